// The machine's clock, made to run forward only.

import type { Clock } from '../../ports/clock.ts';

export interface TimeSources {
  /** The calendar, in milliseconds since 1970: people and daemons set it forward and back. */
  readonly wallMs: () => number;
  /** Milliseconds since any moment: only runs on. */
  readonly steadyMs: () => number;
}

/** The longest delay that setTimeout takes. */
const longestDelayMs = 2_147_483_647;

export class SystemClock implements Clock {
  readonly #sources: TimeSources;
  #offsetMs: number;

  constructor(sources: TimeSources = { wallMs: () => Date.now(), steadyMs: () => performance.now() }) {
    this.#sources = sources;
    this.#offsetMs = sources.wallMs() - sources.steadyMs();
  }

  /** Follows the calendar when it is set forward. When it is set back this clock neither follows nor stands still. */
  nowMs(): number {
    const steadyMs = this.#sources.steadyMs();
    this.#offsetMs = Math.max(this.#offsetMs, this.#sources.wallMs() - steadyMs);
    return Math.floor(steadyMs + this.#offsetMs);
  }

  at(atMs: number, run: () => void): () => void {
    let timer: NodeJS.Timeout;
    const wait = () => {
      const delayMs = Math.min(Math.max(0, Math.ceil(atMs - this.nowMs())), longestDelayMs);
      timer = setTimeout(() => {
        // A timer may fire a little early, and the longest delay is shorter than some waits.
        if (this.nowMs() < atMs) wait();
        else run();
      }, delayMs);
    };
    wait();
    return () => clearTimeout(timer);
  }
}
