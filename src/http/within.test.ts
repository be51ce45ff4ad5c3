// Checks that waiting ends, with the answer or without.
import { expect, it } from 'vitest';
import { VirtualClock } from '../adapters/clock/virtual.ts';
import { within } from './within.ts';

it('gives the answer that comes in time, and waits for nothing more', async () => {
  const clock = new VirtualClock();
  expect(await within(clock, 100, Promise.resolve('answer'), null)).toBe('answer');
  expect(clock.nextAtMs()).toBeNull();
});

it('gives up when the time is up, and does not mind what comes later', async () => {
  const clock = new VirtualClock();
  const late = Promise.withResolvers<string>();
  const waiting = within(clock, 100, late.promise, 'nothing');
  clock.advance(100);
  expect(await waiting).toBe('nothing');
  late.reject(new Error('too late'));
});

it('passes a failure on', async () => {
  const clock = new VirtualClock();
  await expect(within(clock, 100, Promise.reject(new Error('no')), null)).rejects.toThrow('no');
  expect(clock.nextAtMs()).toBeNull();
});
