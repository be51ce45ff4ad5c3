// Checks how many callers a gate lets in, and how fast.

import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../clock/virtual.ts';
import { Gate, type GateOptions } from './gate.ts';

function gateOf(options: Partial<GateOptions>) {
  const clock = new VirtualClock(1_000_000);
  const entered: number[] = [];
  const gate = new Gate<number>({ clock, atOnce: 2, perSecond: null, ...options }, (caller) => entered.push(caller));
  return { clock, gate, entered };
}

describe('a gate', () => {
  it('lets in only so many at a time, in the order in which they came', () => {
    const { gate, entered } = gateOf({});
    for (const caller of [1, 2, 3, 4]) gate.come(caller);
    expect(entered).toEqual([1, 2]);
    expect([gate.isWaiting(2), gate.isWaiting(3)]).toEqual([false, true]);
    gate.leave(2);
    expect(entered).toEqual([1, 2, 3]);
    gate.leave(2);
    expect(entered).toEqual([1, 2, 3]);
  });

  it('forgets who gives up while waiting', () => {
    const { gate, entered } = gateOf({});
    for (const caller of [1, 2, 3, 4]) gate.come(caller);
    gate.leave(3);
    gate.leave(1);
    expect(entered).toEqual([1, 2, 4]);
  });

  it('spreads them over time when there is a rate, without saving up for later', () => {
    const { gate, entered, clock } = gateOf({ atOnce: 100, perSecond: 10 });
    clock.advance(60_000);
    for (let caller = 1; caller <= 30; caller += 1) gate.come(caller);
    expect(entered).toHaveLength(1);
    clock.advance(1_000);
    expect(entered).toHaveLength(11);
    clock.advance(1_900);
    expect(entered).toHaveLength(30);
  });
});
