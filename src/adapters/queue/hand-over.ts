// Hands each command that waits for an owned charger to the subscriber once, whichever way word of it comes.

import type { Clock } from '../../ports/clock.ts';
import { partitionOf } from '../../ports/partition.ts';
import type { QueuedCommand, QueueItem } from '../../ports/queue.ts';
import type { CommandTable } from './sqlite.ts';

/** The part of a store that is shared by many processes; the PostgreSQL store has it. */
export interface SharedCommandTable extends CommandTable {
  /** Without those that are excepted. */
  pendingCommands(chargerIds: readonly string[], except?: readonly string[]): Promise<readonly QueuedCommand[]>;
  /** All of these partitions that are accepted and not applied. */
  waitingCommands(
    partitions: readonly number[],
  ): Promise<readonly { readonly id: string; readonly chargerId: string }[]>;
}

/** Word that a command waits. Nobody needs to hear of it again once it is acknowledged. */
export interface Word {
  readonly id: string;
  readonly chargerId: string;
  readonly isRepeated: boolean;
  acknowledge(): void;
}

export interface HandOverParts {
  readonly table: SharedCommandTable;
  readonly clock: Clock;
  readonly lookEveryMs: number;
  /** Hears why the table cannot be read: once, and again only when it could be in between. */
  readonly onTrouble: (error: unknown) => void;
}

const retryMs = 500;
const chargersPerRead = 1_000;

/** What is to be done for a charger in its next turn. */
interface Due {
  readonly words: Word[];
  isRefreshed: boolean;
  readonly told: (() => void)[];
}

export class HandOver {
  readonly #parts: HandOverParts;
  #take: ((items: readonly QueueItem[]) => void) | null = null;
  readonly #open = new Set<number>();
  /** Handed over in this tenure, and not known to be settled; with the word to acknowledge then. */
  readonly #inHand = new Map<string, { readonly chargerId: string; word: Word | null }>();
  readonly #ofCharger = new Map<string, Set<string>>();
  /** Settled since the last turn. What a turn has read may be older: it must still know them. */
  readonly #settled = new Set<string>();
  readonly #due = new Map<string, Due>();
  #isLookDue = false;
  #isRunning = false;
  #isTroubled = false;
  #isStopped = false;
  #cancelLook = (): void => {};

  constructor(parts: HandOverParts) {
    this.#parts = parts;
    this.#lookLater();
  }

  subscribe(take: (items: readonly QueueItem[]) => void): void {
    this.#take = take;
  }

  open(partitions: readonly number[]): void {
    for (const partition of partitions) this.#open.add(partition);
    this.#isLookDue = true;
    this.#run();
  }

  close(partitions: readonly number[]): void {
    for (const partition of partitions) this.#open.delete(partition);
    for (const [id, { chargerId }] of this.#inHand) if (!this.#isOpen(chargerId)) this.#forget(id);
    for (const chargerId of this.#due.keys()) if (!this.#isOpen(chargerId)) this.#due.delete(chargerId);
  }

  came(word: Word): void {
    if (!this.#isOpen(word.chargerId)) return;
    const known = this.#inHand.get(word.id);
    if (known === undefined) this.#dueOf(word.chargerId).words.push(word);
    // One that waits for long, as for a charger that is stopped, is on record: it need not be told of again and again.
    else if (word.isRepeated) word.acknowledge();
    else known.word = word;
    this.#run();
  }

  /** `told` is called when the subscriber knows; never when it does not come to that. */
  refresh(chargerIds: readonly string[], told: () => void): void {
    const owned = chargerIds.filter((id) => this.#isOpen(id));
    let left = owned.length;
    for (const chargerId of owned) {
      const due = this.#dueOf(chargerId);
      due.isRefreshed = true;
      due.told.push(() => {
        left -= 1;
        if (left === 0) told();
      });
    }
    this.#run();
  }

  settled(commandIds: readonly string[]): void {
    for (const id of commandIds) this.#settled.add(id);
    this.#run();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelLook();
    this.close([...this.#open]);
  }

  #isOpen(chargerId: string): boolean {
    return this.#open.has(partitionOf(chargerId));
  }

  #dueOf(chargerId: string): Due {
    const due = this.#due.get(chargerId) ?? { words: [], isRefreshed: false, told: [] };
    this.#due.set(chargerId, due);
    return due;
  }

  #lookLater(): void {
    const { clock, lookEveryMs } = this.#parts;
    this.#cancelLook = clock.at(clock.nowMs() + lookEveryMs, () => {
      this.#isLookDue = this.#open.size > 0;
      this.#run();
      this.#lookLater();
    });
  }

  /** One turn after the other, so that none hands over what another is about to. */
  #run(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    // What comes in the same moment goes together.
    setImmediate(() => void this.#takeTurns());
  }

  async #takeTurns(): Promise<void> {
    try {
      while (!this.#isStopped && (this.#settled.size > 0 || this.#isLookDue || this.#due.size > 0)) {
        this.#settle();
        await this.#look();
        await this.#handOver();
      }
      this.#isRunning = false;
      this.#isTroubled = false;
    } catch (error) {
      if (!this.#isTroubled && !this.#isStopped) this.#parts.onTrouble(error);
      this.#isTroubled = true;
      const { clock } = this.#parts;
      clock.at(clock.nowMs() + retryMs, () => void this.#takeTurns());
    }
  }

  #settle(): void {
    for (const id of this.#settled) this.#finish(id);
    this.#settled.clear();
  }

  async #look(): Promise<void> {
    if (!this.#isLookDue) return;
    this.#isLookDue = false;
    const waiting = await this.#parts.table.waitingCommands([...this.#open]).catch((error: unknown) => {
      this.#isLookDue = true;
      throw error;
    });
    for (const { id, chargerId } of waiting) if (!this.#inHand.has(id)) this.#dueOf(chargerId);
    const ids = new Set(waiting.map(({ id }) => id));
    // They have ended without their owner, as those of a charger that was deleted do.
    for (const id of this.#inHand.keys()) if (!ids.has(id)) this.#finish(id);
  }

  async #handOver(): Promise<void> {
    const chargerIds = [...this.#due.keys()].slice(0, chargersPerRead);
    if (chargerIds.length === 0) return;
    const known = chargerIds.flatMap((id) => [...(this.#ofCharger.get(id) ?? [])]);
    // Taken before they are read: what comes meanwhile may be newer than what is read, and has its own turn.
    const dues = chargerIds.map((chargerId) => [chargerId, this.#due.get(chargerId)] as const);
    for (const chargerId of chargerIds) this.#due.delete(chargerId);
    const commands = await this.#parts.table.pendingCommands(chargerIds, known).catch((error: unknown) => {
      for (const [chargerId, due] of dues) this.#putBack(chargerId, due);
      throw error;
    });
    const fresh = commands.filter(({ id, chargerId }) => this.#isOpen(chargerId) && !this.#settled.has(id));
    for (const { id, chargerId } of fresh) this.#remember(id, chargerId);
    const refreshed = dues.filter(([chargerId, due]) => due?.isRefreshed && this.#isOpen(chargerId));
    this.#give([
      ...fresh.map((command) => ({ kind: 'command', command }) as const),
      ...refreshed.map(([chargerId]) => ({ kind: 'refresh', chargerId }) as const),
    ]);
    for (const [, due] of refreshed) for (const told of due?.told ?? []) told();
    for (const word of dues.flatMap(([, due]) => due?.words ?? [])) {
      const entry = this.#inHand.get(word.id);
      // Not waiting any more: it has been settled before.
      if (entry === undefined) word.acknowledge();
      else entry.word = word;
    }
  }

  #putBack(chargerId: string, due: Due | undefined): void {
    if (due === undefined || !this.#isOpen(chargerId)) return;
    const newer = this.#dueOf(chargerId);
    newer.isRefreshed ||= due.isRefreshed;
    newer.words.unshift(...due.words);
    newer.told.unshift(...due.told);
  }

  #remember(id: string, chargerId: string): void {
    this.#inHand.set(id, { chargerId, word: null });
    const ids = this.#ofCharger.get(chargerId);
    if (ids === undefined) this.#ofCharger.set(chargerId, new Set([id]));
    else ids.add(id);
  }

  #finish(id: string): void {
    this.#inHand.get(id)?.word?.acknowledge();
    this.#forget(id);
  }

  #forget(id: string): void {
    const entry = this.#inHand.get(id);
    if (entry === undefined) return;
    this.#inHand.delete(id);
    const ids = this.#ofCharger.get(entry.chargerId);
    ids?.delete(id);
    if (ids?.size === 0) this.#ofCharger.delete(entry.chargerId);
  }

  #give(items: readonly QueueItem[]): void {
    if (items.length === 0) return;
    try {
      this.#take?.(items);
    } catch (error) {
      // The subscriber's bug is raised on its own: those who come after must not wait for it.
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}
