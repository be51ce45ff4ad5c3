// Waiting for answers of many links with one timer: whoever waits longer than allowed is told so.

import type { Clock } from '../../ports/clock.ts';

/** How often is looked. A wait is ended late by this much at most. */
export const LOOK_EVERY_MS = 1_000;

/** All waits last equally long, so the first to begin is the first to end, and a map keeps that order. */
export class Deadlines<Waiter> {
  readonly #clock: Clock;
  readonly #patienceMs: number;
  readonly #expired: (waiter: Waiter) => void;
  readonly #dueMs = new Map<Waiter, number>();
  #isLooking = false;

  constructor(clock: Clock, patienceMs: number, expired: (waiter: Waiter) => void) {
    this.#clock = clock;
    this.#patienceMs = patienceMs;
    this.#expired = expired;
  }

  /** Begins to wait; who waits already goes on with the earlier wait. */
  begin(waiter: Waiter): void {
    if (this.#dueMs.has(waiter)) return;
    this.#dueMs.set(waiter, this.#clock.nowMs() + this.#patienceMs);
    this.#lookLater();
  }

  end(waiter: Waiter): void {
    this.#dueMs.delete(waiter);
  }

  #lookLater(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#clock.at(this.#clock.nowMs() + LOOK_EVERY_MS, () => this.#look());
  }

  #look(): void {
    this.#isLooking = false;
    const nowMs = this.#clock.nowMs();
    for (const [waiter, dueMs] of this.#dueMs) {
      if (dueMs > nowMs) break;
      this.#dueMs.delete(waiter);
      this.#expired(waiter);
    }
    if (this.#dueMs.size > 0) this.#lookLater();
  }
}
