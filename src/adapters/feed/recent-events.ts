// The newest events, in memory and in order: where nearly every reader finds what it looks for.

import type { FleetEvent } from '../../ports/feed.ts';

export class RecentEvents {
  #events: FleetEvent[] = [];
  #after: string;

  /** `after` is the place that the first event to be added comes behind. */
  constructor(after: string) {
    this.#after = after;
  }

  /** What is here is everything behind this place. */
  get after(): string {
    return this.#after;
  }

  get count(): number {
    return this.#events.length;
  }

  add(event: FleetEvent): void {
    this.#events.push(event);
  }

  /** At most `limit` of those behind this place. */
  behind(place: string, limit: number): readonly FleetEvent[] {
    const from = this.#events.length - this.countBehind(place);
    return this.#events.slice(from, from + limit);
  }

  countBehind(place: string): number {
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#events[middle]?.id ?? '') <= place) low = middle + 1;
      else high = middle;
    }
    return this.#events.length - low;
  }

  /** Forgets the oldest. */
  forget(count: number): void {
    this.#after = this.#events[count - 1]?.id ?? this.#after;
    this.#events = this.#events.slice(count);
  }
}
