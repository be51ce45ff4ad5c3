// The feed in memory, for tests and for trying things out: a bounded history that is gone with the process.

import type { Feed, FeedPage, NewFleetEvent } from '../../ports/feed.ts';
import { Bell } from './bell.ts';
import { eventId, forgottenBefore, placeOf } from './event-id.ts';
import { RecentEvents } from './recent-events.ts';

export interface MemoryFeedOptions {
  /** Which life of the feed this is, counted from 1: a greater one each time, so that ids never repeat nor sort before earlier ones. */
  readonly epoch: number;
  /** How many events are kept at least. */
  readonly keep?: number;
}

const keptByDefault = 10_000;

export class MemoryFeed implements Feed {
  readonly #epoch: number;
  readonly #keep: number;
  readonly #events: RecentEvents;
  readonly #bell = new Bell();
  #published = 0;

  constructor({ epoch, keep = keptByDefault }: MemoryFeedOptions) {
    this.#epoch = epoch;
    this.#keep = keep;
    this.#events = new RecentEvents(forgottenBefore(epoch));
  }

  publish(events: readonly NewFleetEvent[]): void {
    for (const event of events) this.#events.add({ id: eventId(this.#epoch, ++this.#published), ...event });
    // A quarter more than needed may stay, so that moving the rest is rare.
    const surplus = this.#events.count - this.#keep;
    if (surplus > this.#keep / 4) this.#events.forget(surplus);
    if (events.length > 0) this.#bell.ring();
  }

  async newest(): Promise<string> {
    return eventId(this.#epoch, this.#published);
  }

  async read(after: string, limit: number): Promise<FeedPage> {
    const place = placeOf(after);
    const events = this.#events.behind(place, limit);
    return { events, missed: events.length > 0 && place < this.#events.after };
  }

  subscribe(tell: () => void): () => void {
    return this.#bell.subscribe(tell);
  }

  async close(): Promise<void> {}
}
