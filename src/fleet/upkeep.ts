// Looks after commands that nobody else looks after: ends those that wait in vain, and forgets those that ended long ago.

import { endedEvent } from '../commands/command-ended.ts';
import type { Clock } from '../ports/clock.ts';
import type { Feed } from '../ports/feed.ts';
import type { Store } from '../ports/store.ts';

export interface UpkeepParts {
  readonly store: Store;
  readonly feed: Feed;
  readonly clock: Clock;
  /** How long a command waits for a charger that stays stopped. */
  readonly commandExpiryMs: number;
  /** How long a command can be read after it has ended. */
  readonly commandMaxAgeMs: number;
  readonly onFailure: (error: unknown) => void;
}

const everyMs = 5_000;

/** Returns a function that ends it. */
export function startUpkeep(parts: UpkeepParts): () => Promise<void> {
  const { clock } = parts;
  let cancel = (): void => {};
  let running: Promise<void> = Promise.resolve();
  let isOver = false;
  const next = (): void => {
    if (isOver) return;
    cancel = clock.at(clock.nowMs() + everyMs, () => {
      running = upkeep(parts).catch(parts.onFailure).then(next);
    });
  };
  next();
  return async () => {
    isOver = true;
    cancel();
    await running;
  };
}

export async function upkeep({ store, feed, clock, commandExpiryMs, commandMaxAgeMs }: UpkeepParts): Promise<void> {
  const nowMs = clock.nowMs();
  for (;;) {
    const ended = await store.expireCommands(nowMs - commandExpiryMs, nowMs);
    if (ended.length === 0) break;
    feed.publish(ended.map((each) => endedEvent(each, nowMs)));
  }
  await store.forgetCommands(nowMs - commandMaxAgeMs);
}
