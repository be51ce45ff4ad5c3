// A clock that stands still until it is moved: for tests and simulations, where hours pass in milliseconds.

import type { Clock } from '../../ports/clock.ts';

interface Alarm {
  readonly atMs: number;
  readonly run: () => void;
}

/** A callback that calls itself again for the same moment would never let time go on. */
const callbacksPerMoment = 1_000_000;

export class VirtualClock implements Clock {
  #nowMs: number;
  /** In the order they ring; of one moment, the first asked for first. */
  readonly #alarms: Alarm[] = [];

  constructor(startMs = 0) {
    this.#nowMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  /** What is asked for in the past rings at the next move, be it by nothing. */
  at(atMs: number, run: () => void): () => void {
    const alarm: Alarm = { atMs: Math.max(atMs, this.#nowMs), run };
    this.#alarms.splice(this.#placeOf(alarm), 0, alarm);
    return () => {
      const place = this.#alarms.indexOf(alarm);
      if (place >= 0) this.#alarms.splice(place, 1);
    };
  }

  advance(ms: number): void {
    this.advanceTo(this.#nowMs + ms);
  }

  /** Runs everything due until then, each at its own moment, also what is asked for on the way. */
  advanceTo(atMs: number): void {
    let sameMoment = 0;
    for (let alarm = this.#alarms[0]; alarm !== undefined && alarm.atMs <= atMs; alarm = this.#alarms[0]) {
      sameMoment = alarm.atMs > this.#nowMs ? 1 : sameMoment + 1;
      if (sameMoment > callbacksPerMoment)
        throw new Error(`time stands still at ${this.#nowMs}: callbacks without end`);
      this.#alarms.shift();
      this.#nowMs = Math.max(this.#nowMs, alarm.atMs);
      alarm.run();
    }
    this.#nowMs = Math.max(this.#nowMs, atMs);
  }

  /** When the next callback is due, for those who want to go from one to the next. */
  nextAtMs(): number | null {
    return this.#alarms[0]?.atMs ?? null;
  }

  #placeOf(alarm: Alarm): number {
    let low = 0;
    let high = this.#alarms.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#alarms[middle]?.atMs ?? 0) <= alarm.atMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
