// What the virtual clock does beyond its contract: it is exact.

import { expect, it } from 'vitest';
import { VirtualClock } from './virtual.ts';

it('calls each at its exact moment, those of one moment in the order of asking', () => {
  const clock = new VirtualClock(1_000);
  const called: string[] = [];
  const note = (name: string) => () => called.push(`${name} ${clock.nowMs()}`);
  clock.at(1_020, note('c'));
  clock.at(1_010, note('a'));
  clock.at(1_010, note('b'));
  clock.at(900, note('past'));
  clock.advanceTo(1_015);
  expect(called).toEqual(['past 1000', 'a 1010', 'b 1010']);
  expect(clock.nowMs()).toBe(1_015);
  clock.advance(5);
  expect(called.at(-1)).toBe('c 1020');
});

it('calls what is asked for on the way, and cancels what a call cancels', () => {
  const clock = new VirtualClock();
  const called: number[] = [];
  const cancel = clock.at(50, () => called.push(-1));
  clock.at(10, () => {
    called.push(clock.nowMs());
    clock.at(clock.nowMs(), () => called.push(clock.nowMs()));
    clock.at(30, () => called.push(clock.nowMs()));
    cancel();
  });
  clock.advanceTo(100);
  expect(called).toEqual([10, 10, 30]);
  expect(clock.nextAtMs()).toBeNull();
});

it('never goes back, and says when the next call is due', () => {
  const clock = new VirtualClock(500);
  clock.advanceTo(100);
  expect(clock.nowMs()).toBe(500);
  clock.at(700, () => {});
  clock.at(600, () => {});
  expect(clock.nextAtMs()).toBe(600);
});

it('stays usable after a call that throws', () => {
  const clock = new VirtualClock();
  const called: number[] = [];
  clock.at(10, () => {
    throw new Error('a bug of the caller');
  });
  clock.at(20, () => called.push(clock.nowMs()));
  expect(() => clock.advanceTo(30)).toThrow('a bug of the caller');
  expect(clock.nowMs()).toBe(10);
  clock.advanceTo(30);
  expect(called).toEqual([20]);
});

it('says so when calls without end keep time from going on', () => {
  const clock = new VirtualClock();
  const again = () => void clock.at(0, again);
  again();
  expect(() => clock.advance(1)).toThrow('time stands still at 0');
});
