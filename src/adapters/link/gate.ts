// Lets only so many links dial at a time, and only so many a second: memory that many dials at once have taken is never given back,
// and a CSMS to which a whole fleet comes at once should not drown.

import type { Clock } from '../../ports/clock.ts';

export interface GateOptions {
  readonly clock: Clock;
  readonly atOnce: number;
  /** Null: as many as there are places. */
  readonly perSecond: number | null;
}

/** A timer that comes late by no more than this is made up for. */
const latestMs = 50;

/** In the order in which they came. */
export class Gate<Caller> {
  readonly #options: GateOptions;
  readonly #enter: (caller: Caller) => void;
  readonly #inside = new Set<Caller>();
  readonly #waiting = new Set<Caller>();
  /** The earliest moment for the next one. */
  #nextMs = 0;
  #isScheduled = false;

  /** `enter` is called at once, or later, once for each caller. */
  constructor(options: GateOptions, enter: (caller: Caller) => void) {
    this.#options = options;
    this.#enter = enter;
  }

  come(caller: Caller): void {
    this.#waiting.add(caller);
    this.#admit();
  }

  /** Whoever is through, or has given up. */
  leave(caller: Caller): void {
    this.#waiting.delete(caller);
    if (this.#inside.delete(caller)) this.#admit();
  }

  isWaiting(caller: Caller): boolean {
    return this.#waiting.has(caller);
  }

  #admit(): void {
    const { atOnce, perSecond, clock } = this.#options;
    for (const caller of this.#waiting) {
      if (this.#inside.size >= atOnce) return;
      if (perSecond !== null) {
        const nowMs = clock.nowMs();
        if (nowMs < this.#nextMs) {
          this.#admitLater();
          return;
        }
        this.#nextMs = Math.max(this.#nextMs, nowMs - latestMs) + 1_000 / perSecond;
      }
      this.#waiting.delete(caller);
      this.#inside.add(caller);
      this.#enter(caller);
    }
  }

  #admitLater(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#options.clock.at(Math.ceil(this.#nextMs), () => {
      this.#isScheduled = false;
      this.#admit();
    });
  }
}
