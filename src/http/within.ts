// Waits for an answer, but not for ever.

import type { Clock } from '../ports/clock.ts';

/** The answer, or `otherwise` when it does not come within this time; an answer that comes later is nobody's. */
export async function within<Value, Otherwise>(
  clock: Clock,
  timeoutMs: number,
  answer: Promise<Value>,
  otherwise: Otherwise,
): Promise<Value | Otherwise> {
  const { promise: timeIsUp, resolve } = Promise.withResolvers<Otherwise>();
  const cancel = clock.at(clock.nowMs() + timeoutMs, () => resolve(otherwise));
  try {
    return await Promise.race([answer, timeIsUp]);
  } finally {
    cancel();
  }
}
