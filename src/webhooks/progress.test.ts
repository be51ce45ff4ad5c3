// Checks what successes and failures make of a webhook, and how long it waits.

import { describe, expect, it } from 'vitest';
import { afterFailure, afterSuccess, complaintOf, newProgress, retryDelayMs } from './progress.ts';

const dayMs = 86_400_000;
const failure = { error: 'the receiver answered 500', isFinal: false };

describe('the wait before the next attempt', () => {
  it('is a second at first, doubles, and is five minutes at most', () => {
    expect([1, 2, 3, 4, 8, 9, 10, 100, 5_000].map((failures) => retryDelayMs(failures, 1))).toEqual([
      1_000, 2_000, 4_000, 8_000, 128_000, 256_000, 300_000, 300_000, 300_000,
    ]);
  });

  it('is shortened by chance, by half at most', () => {
    expect([0, 0.25, 0.5, 1].map((chance) => retryDelayMs(3, chance))).toEqual([2_000, 2_500, 3_000, 4_000]);
  });
});

describe('an answer', () => {
  it.each([200, 201, 202, 204, 299])('of %i is a success', (status) => {
    expect(complaintOf({ kind: 'answered', status })).toBeNull();
  });

  it.each([100, 199, 301, 302, 307, 400, 401, 404, 429, 500, 503])('of %i is a failure that may pass', (status) => {
    expect(complaintOf({ kind: 'answered', status })).toEqual({
      error: `the receiver answered ${status}`,
      isFinal: false,
    });
  });

  it('of 410 is the end', () => {
    expect(complaintOf({ kind: 'answered', status: 410 })?.isFinal).toBe(true);
  });
});

describe('the progress of a webhook', () => {
  it('counts failures from the first on, and forgets them with a success', () => {
    const once = afterFailure(newProgress('a'), failure, 1_000, dayMs);
    const twice = afterFailure(once, { ...failure, error: 'the receiver refused the connection' }, 2_000, dayMs);
    expect(twice).toEqual({
      state: 'active',
      after: 'a',
      failures: 2,
      failingSinceMs: 1_000,
      lastError: 'the receiver refused the connection',
      deliveredAtMs: null,
    });
    expect(afterSuccess(twice, 3_000)).toEqual({
      ...newProgress('a'),
      lastError: 'the receiver refused the connection',
      deliveredAtMs: 3_000,
    });
  });

  it('ends when nothing but failures came for as long as is allowed, however few', () => {
    const first = afterFailure(newProgress('a'), failure, 1_000, dayMs);
    expect(afterFailure(first, failure, dayMs + 999, dayMs).state).toBe('active');
    expect(afterFailure(first, failure, dayMs + 1_000, dayMs)).toMatchObject({ state: 'disabled', failures: 2 });
    const recovered = afterSuccess(first, dayMs);
    expect(afterFailure(recovered, failure, dayMs + 1_000, dayMs).state).toBe('active');
  });

  it('ends at once when the receiver wants nothing more', () => {
    const gone = { error: 'the receiver answered 410', isFinal: true };
    expect(afterFailure(newProgress('a'), gone, 1_000, dayMs)).toMatchObject({ state: 'disabled', failures: 1 });
  });
});
