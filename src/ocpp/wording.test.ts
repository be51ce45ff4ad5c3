// A moment in words.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { timestamp } from './wording.ts';

describe('a timestamp', () => {
  it('is what the calendar says, in whichever order moments come', () => {
    const moment = fc.integer({ min: -86_400_000, max: 4_102_444_800_000 });
    const soonAfter = fc.integer({ min: 0, max: 200_000 });
    fc.assert(
      fc.property(fc.array(fc.tuple(moment, soonAfter)), (moments) => {
        for (const [atMs, laterMs] of moments) {
          expect(timestamp(atMs)).toBe(new Date(atMs).toISOString());
          expect(timestamp(atMs + laterMs)).toBe(new Date(atMs + laterMs).toISOString());
        }
      }),
    );
  });

  it('leaves out what is less than a millisecond', () => {
    expect(timestamp(Date.UTC(2026, 10, 15) + 0.9)).toBe('2026-11-15T00:00:00.000Z');
  });
});
