// The feed within one process: a bounded history and listeners who are told once in a turn of the event loop.

import type { Feed, FleetEvent, NewFleetEvent, Subscription } from '../../ports/feed.ts';

export interface MemoryFeedOptions {
  /**
   * A whole number that is greater after every start of the process, so that ids never repeat nor sort before those of an earlier
   * life: the milliseconds since 1970, or a counter that is kept.
   */
  readonly epoch: number;
  /** How many events are kept for those who come back. */
  readonly keep?: number;
  /** Hears of a listener that threw and was removed. */
  readonly onListenerFailure?: (error: unknown) => void;
}

interface Listening {
  readonly hear: (events: readonly FleetEvent[]) => void;
  /** The number of the next event it has not heard. */
  next: number;
}

const keptByDefault = 10_000;
const epochDigits = 9;
const numberDigits = 10;

export class MemoryFeed implements Feed {
  readonly #epoch: string;
  readonly #keep: number;
  readonly #onListenerFailure: (error: unknown) => void;
  readonly #listening = new Set<Listening>();
  /** The newest events; the first of them has the number `#first`. */
  #events: FleetEvent[] = [];
  #first = 1;
  #scheduled = false;

  constructor(options: MemoryFeedOptions) {
    this.#epoch = options.epoch.toString(36).padStart(epochDigits, '0');
    this.#keep = options.keep ?? keptByDefault;
    this.#onListenerFailure = options.onListenerFailure ?? (() => {});
  }

  publish(events: readonly NewFleetEvent[]): void {
    for (const event of events) this.#events.push({ ...event, id: this.#id(this.#next()) });
    this.#schedule();
  }

  subscribe(listener: (events: readonly FleetEvent[]) => void, options?: { after?: string }): Subscription {
    const { from, complete } =
      options?.after === undefined ? { from: this.#next(), complete: true } : this.#since(options.after);
    const listening: Listening = { hear: listener, next: from };
    this.#listening.add(listening);
    this.#schedule();
    return { complete, stop: () => void this.#listening.delete(listening) };
  }

  /** The number of the event to be published next. */
  #next(): number {
    return this.#first + this.#events.length;
  }

  #id(number: number): string {
    return `${this.#epoch}-${number.toString(36).padStart(numberDigits, '0')}`;
  }

  /** An id of another life, or none of ours, could be anywhere: then the listener gets all that is kept. */
  #since(after: string): { readonly from: number; readonly complete: boolean } {
    const oldest = Math.max(this.#first, this.#next() - this.#keep);
    const number = Number.parseInt(after.slice(this.#epoch.length + 1), 36);
    const ours = this.#id(number) === after && number < this.#next();
    if (!ours || number < oldest - 1) return { from: oldest, complete: false };
    return { from: number + 1, complete: true };
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#tell();
      this.#forget();
    });
  }

  #tell(): void {
    for (const listening of this.#listening) {
      const events = this.#events.slice(listening.next - this.#first);
      if (events.length === 0) continue;
      listening.next += events.length;
      try {
        listening.hear(events);
      } catch (error) {
        this.#listening.delete(listening);
        this.#onListenerFailure(error);
      }
    }
  }

  // Everybody has heard everything here. A quarter more than needed may stay, so that moving the rest is rare.
  #forget(): void {
    const surplus = this.#events.length - this.#keep;
    if (surplus <= this.#keep / 4) return;
    this.#events = this.#events.slice(surplus);
    this.#first += surplus;
  }
}
