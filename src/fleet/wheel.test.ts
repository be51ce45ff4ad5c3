// The timer wheel, held against a plain list of alarms.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../adapters/clock/virtual.ts';
import { type Sleeper, Wheel } from './wheel.ts';

class Alarm implements Sleeper {
  wakeAtMs = Number.POSITIVE_INFINITY;
  wheelTick = -1;
  readonly rung: number[] = [];
  onWake: (nowMs: number) => void = () => {};

  wake(nowMs: number): void {
    this.rung.push(nowMs);
    this.wakeAtMs = Number.POSITIVE_INFINITY;
    this.onWake(nowMs);
  }
}

const start = 1_000_000;

describe('the wheel', () => {
  it('wakes each sleeper once, never early and at most two ticks late, however often it is moved', () => {
    const moves = fc.array(
      fc.record({ sleeper: fc.nat(4), atMs: fc.integer({ min: 0, max: 400_000 }), after: fc.nat(5_000) }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(moves, (story) => {
        const clock = new VirtualClock(start);
        const wheel = new Wheel(clock);
        const due = new Map<Alarm, number>();
        const alarms = Array.from({ length: 5 }, () => new Alarm());
        for (const alarm of alarms) {
          alarm.onWake = (nowMs) => {
            const late = nowMs - (due.get(alarm) ?? Number.NaN);
            expect(late >= 0 && late <= 100).toBe(true);
            due.delete(alarm);
          };
        }
        for (const { sleeper, atMs, after } of story) {
          const alarm = alarms[sleeper] as Alarm;
          due.set(alarm, clock.nowMs() + atMs);
          wheel.schedule(alarm, clock.nowMs() + atMs);
          clock.advance(after);
        }
        clock.advance(410_000);
        expect(due.size).toBe(0);
      }),
      { numRuns: 40 },
    );
  });

  it('wakes a sleeper that goes back to sleep while it is being woken', () => {
    const clock = new VirtualClock(start);
    const wheel = new Wheel(clock);
    const alarm = new Alarm();
    alarm.onWake = (nowMs) => wheel.schedule(alarm, nowMs + 1_000);
    wheel.schedule(alarm, start);
    clock.advance(10_000);
    expect(alarm.rung.length).toBeGreaterThanOrEqual(9);
  });

  it('does not wake one that no longer wants to be woken', () => {
    const clock = new VirtualClock(start);
    const wheel = new Wheel(clock);
    const alarm = new Alarm();
    wheel.schedule(alarm, start + 1_000);
    wheel.schedule(alarm, Number.POSITIVE_INFINITY);
    clock.advance(500_000);
    expect(alarm.rung).toEqual([]);
  });

  it('holds no timer while nobody sleeps', () => {
    const clock = new VirtualClock(start);
    let timers = 0;
    const counting = {
      nowMs: () => clock.nowMs(),
      at: (atMs: number, run: () => void) => {
        timers++;
        return clock.at(atMs, run);
      },
    };
    new Wheel(counting);
    clock.advance(10_000);
    expect(timers).toBe(0);
  });
});
