// The queue of one process over the store's database: hands on what is durable, in the order it was asked for.

import type { Queue, QueuedCommand, QueueItem } from '../../ports/queue.ts';
import type { Receipt } from '../../ports/store.ts';

/** The part of the store that the queue needs; the SQLite store has it. */
export interface CommandTable {
  /** All or none, the receipt included, durable when it resolves; several calls in their order. */
  enqueueCommands(commands: readonly QueuedCommand[], receipt?: Receipt): Promise<void>;
  /** Those of these chargers' commands that are accepted and not applied, oldest first. */
  pendingCommands(chargerIds: readonly string[]): Promise<readonly QueuedCommand[]>;
  /** Those of these chargers that have so many commands, or more, that have not ended. */
  crowdedChargers(chargerIds: readonly string[], depth: number): Promise<ReadonlySet<string>>;
}

interface Batch {
  readonly items: readonly QueueItem[];
  state: 'under_way' | 'ready' | 'failed';
  readonly handed: () => void;
}

/** So many chargers are known to be far from their limit. */
const mostKnown = 1_000;
const none: ReadonlySet<string> = new Set();

export class SqliteQueue implements Queue {
  readonly #table: CommandTable;
  /** Of chargers that were asked about lately: no more of their commands than this have not ended. The first is the oldest. */
  readonly #openAtMost = new Map<string, number>();
  /** What is not handed on yet, in the order of the calls; no longer than the calls that are waiting for it. */
  #batches: Batch[] = [];
  #take: ((items: readonly QueueItem[]) => void) | null = null;

  constructor(table: CommandTable) {
    this.#table = table;
  }

  async enqueue(commands: readonly QueuedCommand[], receipt?: Receipt): Promise<void> {
    if (commands.length === 0) {
      if (receipt !== undefined) await this.#table.enqueueCommands([], receipt);
      return;
    }
    for (const { chargerId } of commands) this.#countOpen(chargerId);
    const { batch, handed } = this.#line(commands.map((command) => ({ kind: 'command', command })));
    try {
      await this.#table.enqueueCommands(commands, receipt);
      batch.state = 'ready';
    } catch (error) {
      batch.state = 'failed';
      throw error;
    } finally {
      this.#handOn();
    }
    await handed;
  }

  async crowded(chargerIds: readonly string[], depth: number): Promise<ReadonlySet<string>> {
    const [only, another] = chargerIds;
    if (only === undefined || another !== undefined) return this.#table.crowdedChargers(chargerIds, depth);
    if ((this.#openAtMost.get(only) ?? depth) < depth) return none;
    // Whoever is half way there at most need not be asked about again for as many commands.
    const half = Math.ceil(depth / 2);
    const isHalfWay = (await this.#table.crowdedChargers(chargerIds, half)).size > 0;
    if (isHalfWay) return this.#table.crowdedChargers(chargerIds, depth);
    // The table does not know of those that are under way.
    if (this.#batches.length === 0) this.#know(only, half - 1);
    return none;
  }

  async refresh(chargerIds: readonly string[]): Promise<void> {
    if (chargerIds.length === 0) return;
    const { batch, handed } = this.#line(chargerIds.map((chargerId) => ({ kind: 'refresh', chargerId })));
    batch.state = 'ready';
    this.#handOn();
    await handed;
  }

  pending(chargerIds: readonly string[]): Promise<readonly QueuedCommand[]> {
    return this.#table.pendingCommands(chargerIds);
  }

  /** What is handed on while nobody has subscribed is not kept for later: an owner asks for `pending` after it has subscribed. */
  subscribe(take: (items: readonly QueueItem[]) => void): void {
    this.#take = take;
  }

  async open(): Promise<void> {}

  close(): void {}

  settled(): void {}

  #countOpen(chargerId: string): void {
    const open = this.#openAtMost.get(chargerId);
    if (open !== undefined) this.#openAtMost.set(chargerId, open + 1);
  }

  #know(chargerId: string, open: number): void {
    const oldest = this.#openAtMost.keys().next();
    if (this.#openAtMost.size >= mostKnown && !oldest.done) this.#openAtMost.delete(oldest.value);
    this.#openAtMost.set(chargerId, open);
  }

  #line(items: readonly QueueItem[]): { readonly batch: Batch; readonly handed: Promise<void> } {
    const { promise, resolve } = Promise.withResolvers<void>();
    const batch: Batch = { items, state: 'under_way', handed: resolve };
    this.#batches.push(batch);
    return { batch, handed: promise };
  }

  #handOn(): void {
    for (let batch = this.#batches[0]; batch !== undefined && batch.state !== 'under_way'; batch = this.#batches[0]) {
      this.#batches.shift();
      if (batch.state === 'ready') this.#give(batch.items);
      batch.handed();
    }
  }

  #give(items: readonly QueueItem[]): void {
    try {
      this.#take?.(items);
    } catch (error) {
      // The commands are durable and their caller must hear so: the subscriber's bug is raised on its own.
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}
