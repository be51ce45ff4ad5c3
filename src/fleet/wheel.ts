// One timer wheel for all chargers: a charger costs two numbers here, and moving its next wake-up costs nothing.

import type { Clock } from '../ports/clock.ts';

/** What the wheel wakes. The two numbers belong to the wheel. */
export interface Sleeper {
  /** When it wants to be woken. */
  wakeAtMs: number;
  /** The tick of the slot in which it stands; -1 for none. */
  wheelTick: number;
  wake(nowMs: number): void;
}

const tickMs = 50;
const slotCount = 4_096;

export class Wheel {
  readonly #clock: Clock;
  readonly #slots: (Sleeper[] | undefined)[] = new Array<Sleeper[] | undefined>(slotCount);
  #tick: number;
  #standing = 0;
  #cancel: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#tick = Math.floor(clock.nowMs() / tickMs);
  }

  /** Wakes it at or soon after `atMs`; the last word counts. Infinity: not at all. */
  schedule(sleeper: Sleeper, atMs: number): void {
    sleeper.wakeAtMs = atMs;
    if (atMs === Number.POSITIVE_INFINITY) return;
    const tick = this.#tickOf(atMs);
    // It already stands in an earlier slot, and will be moved on from there.
    if (sleeper.wheelTick >= 0 && sleeper.wheelTick <= tick) return;
    this.#stand(sleeper, tick);
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#slots.fill(undefined);
    this.#standing = 0;
  }

  /** Never the current tick, whose slot may be under way; never beyond one turn, from where it is moved on. */
  #tickOf(atMs: number): number {
    return Math.min(Math.max(Math.ceil(atMs / tickMs), this.#tick + 1), this.#tick + slotCount - 1);
  }

  #stand(sleeper: Sleeper, tick: number): void {
    if (this.#standing === 0) this.#tick = Math.max(this.#tick, Math.floor(this.#clock.nowMs() / tickMs));
    const at = Math.max(tick, this.#tick + 1);
    sleeper.wheelTick = at;
    const slot = this.#slots[at % slotCount];
    if (slot === undefined) this.#slots[at % slotCount] = [sleeper];
    else slot.push(sleeper);
    this.#standing++;
    this.#cancel ??= this.#clock.at((this.#tick + 1) * tickMs, () => this.#turn());
  }

  #turn(): void {
    this.#cancel = null;
    const nowMs = this.#clock.nowMs();
    const until = Math.floor(nowMs / tickMs);
    while (this.#tick < until && this.#standing > 0) {
      this.#tick++;
      this.#empty(this.#tick, nowMs);
    }
    if (this.#standing > 0) this.#cancel ??= this.#clock.at((this.#tick + 1) * tickMs, () => this.#turn());
  }

  #empty(tick: number, nowMs: number): void {
    const slot = this.#slots[tick % slotCount];
    if (slot === undefined) return;
    this.#slots[tick % slotCount] = undefined;
    this.#standing -= slot.length;
    for (const sleeper of slot) {
      // Left behind by one that was moved to an earlier slot.
      if (sleeper.wheelTick !== tick) continue;
      sleeper.wheelTick = -1;
      if (sleeper.wakeAtMs <= nowMs) sleeper.wake(nowMs);
      else if (sleeper.wakeAtMs !== Number.POSITIVE_INFINITY) this.#stand(sleeper, this.#tickOf(sleeper.wakeAtMs));
    }
  }
}
