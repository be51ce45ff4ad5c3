// The queue of many processes: the store has the commands, NATS brings word of them to the owners of their chargers.

import type { Msg, Subscription } from '@nats-io/transport-node';
import { Failure } from '../../errors.ts';
import type { Clock } from '../../ports/clock.ts';
import { partitionOf, type Tenure } from '../../ports/partition.ts';
import type { Queue, QueuedCommand, QueueItem } from '../../ports/queue.ts';
import type { Receipt } from '../../ports/store.ts';
import { type Nats, reasonOf } from '../nats/connection.ts';
import { HandOver, type SharedCommandTable } from './hand-over.ts';
import { Gate, PartitionWords } from './partition-words.ts';
import { Refreshes } from './refreshes.ts';

export interface NatsQueueOptions {
  readonly nats: Nats;
  readonly table: SharedCommandTable;
  readonly clock: Clock;
  /** How often owners look into the store for commands that no word came of. */
  readonly lookEveryMs?: number;
  readonly onTrouble?: (error: unknown) => void;
}

/** A full stream takes no more; then owners find commands by looking. */
const mostMessages = 500_000;
const mostBytes = 128 * 1024 ** 2;
const consumersAtOnce = 16;

export async function openNatsQueue(options: NatsQueueOptions): Promise<NatsQueue> {
  const queue = new NatsQueue(options);
  await queue.ensureStream().catch((error: unknown) => {
    queue.stop();
    throw new Failure('broker_failed', `the stream of commands cannot be made: ${reasonOf(error)}`, { cause: error });
  });
  return queue;
}

interface OpenPartition {
  readonly tenure: Tenure;
  readonly refreshes: Subscription;
  readonly words: PartitionWords;
}

export class NatsQueue implements Queue {
  readonly #nats: Nats;
  readonly #table: SharedCommandTable;
  readonly #handOver: HandOver;
  readonly #refreshes: Refreshes;
  readonly #stream: string;
  readonly #open = new Map<number, OpenPartition>();
  readonly #gate = new Gate(consumersAtOnce);

  constructor({ nats, table, clock, lookEveryMs = 3_000, onTrouble = () => {} }: NatsQueueOptions) {
    this.#nats = nats;
    this.#table = table;
    this.#stream = `${nats.prefix}-commands`;
    this.#handOver = new HandOver({ table, clock, lookEveryMs, onTrouble });
    this.#refreshes = new Refreshes({ nats, clock, subjectOf: (partition) => this.#subject('refresh', partition) });
  }

  ensureStream(): Promise<unknown> {
    const subjects = [this.#subject('cmd', '*', '*')];
    return this.#nats.ensureStream({ name: this.#stream, subjects, keeps: 'until_taken', mostMessages, mostBytes });
  }

  async enqueue(commands: readonly QueuedCommand[], receipt?: Receipt): Promise<void> {
    if (commands.length === 0 && receipt === undefined) return;
    await this.#table.enqueueCommands(commands, receipt);
    this.#sendWord(commands);
  }

  crowded(chargerIds: readonly string[], depth: number): Promise<ReadonlySet<string>> {
    return this.#table.crowdedChargers(chargerIds, depth);
  }

  async refresh(chargerIds: readonly string[]): Promise<void> {
    await this.#refreshes.tell(chargerIds);
  }

  pending(chargerIds: readonly string[]): Promise<readonly QueuedCommand[]> {
    return this.#table.pendingCommands(chargerIds);
  }

  subscribe(take: (items: readonly QueueItem[]) => void): void {
    this.#handOver.subscribe(take);
  }

  async open(tenures: readonly Tenure[]): Promise<void> {
    this.close(tenures);
    for (const tenure of tenures) this.#open.set(tenure.partition, this.#begin(tenure));
    this.#handOver.open(tenures.map(({ partition }) => partition));
    // Once the server knows where to bring them, nothing is missed that is said of a charger after it was read.
    await this.#nats.flush();
  }

  close(tenures: readonly Tenure[]): void {
    for (const { partition } of tenures) {
      const opened = this.#open.get(partition);
      opened?.refreshes.unsubscribe();
      opened?.words.stop();
      this.#open.delete(partition);
    }
    this.#handOver.close(tenures.map(({ partition }) => partition));
  }

  settled(commandIds: readonly string[]): void {
    this.#handOver.settled(commandIds);
  }

  /** Hands nothing over and tells nobody any more. */
  stop(): void {
    this.close([...this.#open.values()].map(({ tenure }) => tenure));
    this.#handOver.stop();
    this.#refreshes.stop();
  }

  #begin(tenure: Tenure): OpenPartition {
    const { partition } = tenure;
    const hear = (error: Error | null, message: Msg) => {
      const chargerIds = error === null ? chargerIdsIn(message) : null;
      if (chargerIds !== null) this.#handOver.refresh(chargerIds, () => void message.respond());
    };
    return {
      tenure,
      refreshes: this.#nats.connection.subscribe(this.#subject('refresh', partition), { callback: hear }),
      words: new PartitionWords({
        nats: this.#nats,
        stream: this.#stream,
        name: `partition-${partition}`,
        subject: this.#subject('cmd', partition, '*'),
        came: (word) => this.#handOver.came(word),
        ensureStream: () => this.ensureStream(),
        gate: this.#gate,
      }),
    };
  }

  /** Without waiting for an answer: should it not arrive, the owner finds the command by looking. */
  #sendWord(commands: readonly QueuedCommand[]): void {
    if (!this.#nats.isConnected) return;
    for (const { id, chargerId } of commands) {
      this.#nats.connection.publish(this.#subject('cmd', partitionOf(chargerId), chargerId), id);
    }
  }

  #subject(...words: readonly (string | number)[]): string {
    return [this.#nats.prefix, ...words].join('.');
  }
}

/** Null for what nobody of ours has said. */
function chargerIdsIn(message: Msg): readonly string[] | null {
  try {
    const said = message.json<unknown>();
    return Array.isArray(said) && said.every((id) => typeof id === 'string') ? said : null;
  } catch {
    return null;
  }
}
