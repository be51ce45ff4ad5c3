// What every clock promises: run this suite on each adapter.

import { beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../src/ports/clock.ts';

export interface OpenedClock {
  readonly clock: Clock;
  /** Lets at least this much time pass, and everything happen that is due by then. */
  pass(ms: number): Promise<void>;
}

export function describeClock(name: string, open: () => OpenedClock): void {
  describe(`the clock (${name})`, () => {
    let clock: Clock;
    let pass: (ms: number) => Promise<void>;
    beforeEach(() => {
      ({ clock, pass } = open());
    });

    it('never goes back, and goes on', async () => {
      const startMs = clock.nowMs();
      let lastMs = startMs;
      for (let times = 0; times < 5; times += 1) {
        await pass(2);
        expect(clock.nowMs()).toBeGreaterThanOrEqual(lastMs);
        lastMs = clock.nowMs();
      }
      expect(lastMs).toBeGreaterThanOrEqual(startMs + 10);
      expect(Number.isInteger(lastMs)).toBe(true);
    });

    it('calls once, not before its moment', async () => {
      const dueMs = clock.nowMs() + 10;
      const calledAtMs: number[] = [];
      clock.at(dueMs, () => calledAtMs.push(clock.nowMs()));
      await pass(60);
      await pass(60);
      expect(calledAtMs).toHaveLength(1);
      expect(calledAtMs[0]).toBeGreaterThanOrEqual(dueMs);
    });

    it('calls soon when the moment is now or has passed, but never within the asking', async () => {
      const called: string[] = [];
      clock.at(clock.nowMs(), () => called.push('now'));
      clock.at(clock.nowMs() - 1_000, () => called.push('past'));
      expect(called).toEqual([]);
      await pass(40);
      expect(called.toSorted()).toEqual(['now', 'past']);
    });

    it('calls in the order of the moments, not of the asking', async () => {
      const called: number[] = [];
      const startMs = clock.nowMs();
      for (const afterMs of [30, 5, 20]) clock.at(startMs + afterMs, () => called.push(afterMs));
      await pass(90);
      expect(called).toEqual([5, 20, 30]);
    });

    it('does not call what was cancelled, and cancelling again or too late is fine', async () => {
      const called: string[] = [];
      const cancel = clock.at(clock.nowMs() + 5, () => called.push('cancelled'));
      const late = clock.at(clock.nowMs() + 5, () => called.push('kept'));
      cancel();
      cancel();
      await pass(50);
      late();
      expect(called).toEqual(['kept']);
    });

    it('waits for moments years away without calling early', async () => {
      const called: string[] = [];
      const cancel = clock.at(clock.nowMs() + 10 * 365 * 86_400_000, () => called.push('early'));
      await pass(20);
      cancel();
      expect(called).toEqual([]);
    });

    it('can be asked again from within a call', async () => {
      const calledAtMs: number[] = [];
      const startMs = clock.nowMs();
      const again = () => {
        calledAtMs.push(clock.nowMs());
        if (calledAtMs.length < 3) clock.at(startMs + calledAtMs.length * 5, again);
      };
      clock.at(startMs, again);
      await pass(90);
      expect(calledAtMs).toHaveLength(3);
    });
  });
}
