// One member of a lease: renews, takes its share, lets go what is too much, and knows in time when it has lost everything.

import type { Clock } from '../../ports/clock.ts';
import type { Holder, Membership } from '../../ports/lease.ts';
import type { Tenure } from '../../ports/partition.ts';
import type { Board } from './board.ts';
import { Neighbours } from './neighbours.ts';
import { claimed, emptyTable, freed, partsOf, shareOf, type Table, withMember, without } from './shares.ts';

export interface LeaseLimits {
  readonly renewEveryMs: number;
  /** After a renewal that has failed. */
  readonly retryAfterMs: number;
  /** A member that has not renewed for so long has lost everything. */
  readonly lostAfterMs: number;
  /** One that has not been seen to renew for so long is gone: enough longer that it has noticed by itself before. */
  readonly goneAfterMs: number;
  /** So many parts are let go at a time: not half a fleet in one moment. */
  readonly releasesAtOnce: number;
}

/** From the death of a member to others having its share: about four seconds. */
export const leaseLimits: LeaseLimits = {
  renewEveryMs: 600,
  retryAfterMs: 200,
  lostAfterMs: 3_000,
  goneAfterMs: 3_600,
  releasesAtOnce: 16,
};

export interface MemberParts {
  readonly id: string;
  readonly board: Board;
  /** How many parts there are. */
  readonly parts: number;
  /** Begins tenures of these parts; those that could not be begun are left out. */
  readonly begin: (parts: readonly number[]) => Promise<readonly Tenure[]>;
  readonly holder: Holder;
  readonly clock: Clock;
  /** Milliseconds since any moment, which nobody sets. */
  readonly steadyMs: () => number;
  readonly limits: LeaseLimits;
  readonly onTrouble: (error: unknown) => void;
}

const leavingAttempts = 5;

export class Member implements Membership {
  readonly id: string;
  readonly #parts: MemberParts;
  readonly #neighbours: Neighbours;
  readonly #unlisten: () => void;
  /** When the last renewal that succeeded was begun. */
  #renewedMs = Number.NEGATIVE_INFINITY;
  #held = new Map<number, Tenure>();
  /** Claimed, and not begun in the store yet. */
  #coming = new Set<number>();
  #draining = new Map<number, Promise<void>>();
  /** Drained, and still its own in the table. */
  #drained = new Set<number>();
  /** Counts the times that everything was lost. */
  #losses = 0;
  #state: 'member' | 'leaving' | 'gone' = 'member';
  #turn: Promise<void> | null = null;
  #renewal: Promise<void> | null = null;
  #isDue = false;
  #isTroubled = false;
  #cancelTurn = (): void => {};
  #cancelRenewal = (): void => {};
  #cancelWatch = (): void => {};

  constructor(parts: MemberParts) {
    this.#parts = parts;
    this.id = parts.id;
    const { board, steadyMs, limits } = parts;
    this.#neighbours = new Neighbours(board, steadyMs, limits);
    this.#unlisten = board.listen((member, sign) => {
      if (member === null) this.#soon();
      else this.#neighbours.heard(member, sign);
    });
    this.#soon();
  }

  get leftMs(): number {
    const { limits, steadyMs } = this.#parts;
    return limits.lostAfterMs - (steadyMs() - this.#renewedMs);
  }

  async leave(): Promise<void> {
    if (this.#state !== 'member') return;
    this.#state = 'leaving';
    await Promise.all([...this.#held.values()].map((tenure) => this.#drain(tenure)));
    this.#state = 'gone';
    this.#cancelTurn();
    this.#cancelRenewal();
    this.#cancelWatch();
    this.#unlisten();
    await this.#turn;
    await this.#withdraw().catch(() => {});
  }

  async #withdraw(): Promise<void> {
    const { board } = this.#parts;
    for (let attempt = 0; attempt < leavingAttempts; attempt += 1) {
      const found = await board.read();
      if (found === null || (await board.write(without(found.table, new Set([this.id])), found.revision))) break;
    }
    await board.withdraw(this.id);
  }

  /** A turn now, or another one behind the one that is under way. */
  #soon(): void {
    if (this.#state === 'gone') return;
    if (this.#turn !== null) {
      this.#isDue = true;
      return;
    }
    this.#cancelTurn();
    this.#isDue = false;
    // What cannot be reached now is tried again in the next turn; the watch decides when that has lasted for too long.
    const { clock, limits } = this.#parts;
    this.#turn = this.#takeTurn()
      .then(
        () => {
          this.#isTroubled = false;
          return limits.renewEveryMs;
        },
        (error: unknown) => {
          this.#complain(error);
          return limits.retryAfterMs;
        },
      )
      .then((pauseMs) => {
        this.#turn = null;
        if (this.#isDue) this.#soon();
        else if (this.#state !== 'gone') this.#cancelTurn = clock.at(clock.nowMs() + pauseMs, () => this.#soon());
      });
  }

  /** Apart from the turns, which take their time where everything is slow: who is only slow shall not be lost. */
  #renew(): Promise<void> {
    this.#renewal ??= this.#showSign().finally(() => {
      this.#renewal = null;
    });
    return this.#renewal;
  }

  async #showSign(): Promise<void> {
    const { board, steadyMs } = this.#parts;
    // The whole process may have been held up, and the watch with it.
    if (this.#isLate) this.#loseEverything();
    const begunMs = steadyMs();
    await board.renew(this.id);
    this.#renewedMs = begunMs;
    this.#watch();
    this.#renewLater(this.#parts.limits.renewEveryMs);
  }

  #renewLater(pauseMs: number): void {
    const { clock, limits } = this.#parts;
    this.#cancelRenewal();
    if (this.#state === 'gone') return;
    this.#cancelRenewal = clock.at(clock.nowMs() + pauseMs, () => {
      this.#renew().catch((error: unknown) => {
        this.#complain(error);
        this.#renewLater(limits.retryAfterMs);
      });
    });
  }

  async #takeTurn(): Promise<void> {
    const { board, limits, parts, steadyMs } = this.#parts;
    if (this.#isLate || steadyMs() - this.#renewedMs >= limits.renewEveryMs) await this.#renew();
    const found = (await board.read()) ?? { table: emptyTable(parts), revision: null };
    this.#dropStolen(found.table);
    const gone = await this.#neighbours.gone(found.table.members.filter((member) => member !== this.id));
    const drained = new Set(this.#drained);
    const losses = this.#losses;
    let table = freed(withMember(without(found.table, gone), this.id), drained);
    if (this.#state === 'member') table = claimed(table, this.id);
    // What is its own since before it lost everything is claimed anew: a change of the table that others cannot overlook.
    const claims =
      this.#state === 'member'
        ? partsOf(table, this.id).filter((part) => !this.#held.has(part) && !this.#coming.has(part))
        : [];
    const isChanged = claims.length > 0 || drained.size > 0 || !isSame(table, found.table);
    if (isChanged && !(await board.write(table, found.revision))) {
      this.#isDue = true;
      return;
    }
    for (const part of drained) this.#drained.delete(part);
    if (this.#losses !== losses || this.#isLate) return;
    if (claims.length > 0) void this.#begin(claims);
    this.#letGo(shareOf(table, this.id) - partsOf(table, this.id).length);
  }

  async #begin(claims: readonly number[]): Promise<void> {
    const { begin, clock, holder, limits } = this.#parts;
    const losses = this.#losses;
    for (const part of claims) this.#coming.add(part);
    const tenures = await begin(claims).catch((error: unknown) => {
      this.#complain(error);
      return [];
    });
    if (this.#losses !== losses || this.#isLate || this.#state !== 'member') return;
    // What was taken by others meanwhile is not coming any more.
    const begun = tenures.filter(({ partition }) => this.#coming.delete(partition));
    for (const tenure of begun) this.#held.set(tenure.partition, tenure);
    if (begun.length > 0) holder.acquired(begun);
    const failed = claims.filter((part) => this.#coming.has(part));
    if (failed.length === 0) return;
    // Claimed again, not before the store has had a moment.
    clock.at(clock.nowMs() + limits.renewEveryMs, () => {
      if (this.#losses === losses) for (const part of failed) this.#coming.delete(part);
      this.#soon();
    });
  }

  /** A share that is short of less than nothing is too large. */
  #letGo(short: number): void {
    if (this.#state !== 'member' || short >= 0) return;
    const { releasesAtOnce } = this.#parts.limits;
    const free = [...this.#held.values()].filter(({ partition }) => !this.#draining.has(partition));
    // What was drained while this turn was under way is on its way too, though the table has it still.
    const surplus = -short - this.#draining.size - this.#drained.size;
    const count = Math.min(surplus, releasesAtOnce - this.#draining.size);
    if (count > 0) for (const tenure of free.slice(-count)) void this.#drain(tenure);
  }

  #drain(tenure: Tenure): Promise<void> {
    const { partition } = tenure;
    const drained = this.#draining.get(partition) ?? this.#release(tenure);
    this.#draining.set(partition, drained);
    return drained;
  }

  async #release(tenure: Tenure): Promise<void> {
    const { partition } = tenure;
    await this.#parts.holder.release(tenure).catch(() => {});
    // Lost while it was drained.
    if (this.#held.get(partition) !== tenure) return;
    this.#held.delete(partition);
    this.#draining.delete(partition);
    this.#drained.add(partition);
    this.#soon();
  }

  /** Others have taken it: they must have had reason to think that this member is gone. */
  #dropStolen(table: Table): void {
    const stolen = [...this.#held.values()].filter(({ partition }) => table.owners[partition] !== this.id);
    for (const part of [...this.#coming, ...this.#drained]) {
      if (table.owners[part] === this.id) continue;
      this.#coming.delete(part);
      this.#drained.delete(part);
    }
    this.#lose(stolen);
  }

  #watch(): void {
    const { clock } = this.#parts;
    this.#cancelWatch();
    this.#cancelWatch = clock.at(clock.nowMs() + this.leftMs, () => this.#loseEverything());
  }

  #loseEverything(): void {
    this.#losses += 1;
    this.#coming.clear();
    this.#drained.clear();
    this.#lose([...this.#held.values()]);
  }

  #complain(error: unknown): void {
    if (!this.#isTroubled) this.#parts.onTrouble(error);
    this.#isTroubled = true;
  }

  get #isLate(): boolean {
    return this.leftMs <= 0;
  }

  #lose(tenures: readonly Tenure[]): void {
    for (const { partition } of tenures) {
      this.#held.delete(partition);
      this.#draining.delete(partition);
    }
    if (tenures.length > 0) this.#parts.holder.lost(tenures);
  }
}

function isSame(one: Table, other: Table): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
