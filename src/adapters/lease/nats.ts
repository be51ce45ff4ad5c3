// The lease over NATS: signs of life in one bucket, which forgets, and the tables in another, which does not.

import { JetStreamApiCodes, JetStreamApiError, jetstream, StorageType } from '@nats-io/jetstream';
import { type KV, Kvm } from '@nats-io/kv';
import type { Clock } from '../../ports/clock.ts';
import type { Partitions } from '../../ports/partition.ts';
import type { Nats } from '../nats/connection.ts';
import type { Board } from './board.ts';
import { BoardLease } from './board-lease.ts';
import type { LeaseLimits } from './member.ts';
import type { Table } from './shares.ts';

export interface NatsLeaseOptions {
  readonly nats: Nats;
  readonly partitions: Pick<Partitions, 'epochs' | 'beginTenure'>;
  readonly clock: Clock;
  readonly limits?: Partial<LeaseLimits>;
  readonly onTrouble?: (error: unknown) => void;
}

/** Signs of members that are long gone. */
const signsKeptMs = 60_000;
/** A renewal that takes longer is tried again: there is time for three before everything is lost, also where each is slow. */
const answerMs = 1_200;

export function natsLease({ nats, ...parts }: NatsLeaseOptions): BoardLease {
  return new BoardLease({ ...parts, board: natsBoards(nats), steadyMs: () => performance.now() });
}

export function natsBoards(nats: Nats): (topic: string) => Board {
  // Who is there at the moment needs no disk: one that is full or slow must not look like everybody's death.
  const signs = new Bucket(nats, `${nats.prefix}-signs`, StorageType.Memory, signsKeptMs);
  const tables = new Bucket(nats, `${nats.prefix}-tables`, StorageType.File, 0);
  return (topic) => new NatsBoard(nats, signs, tables, topic);
}

class NatsBoard implements Board {
  readonly #nats: Nats;
  readonly #signs: Bucket;
  readonly #tables: Bucket;
  readonly #topic: string;
  /** Of the renewals: the server's own numbers begin anew when it is started again. */
  #count = 0;

  constructor(nats: Nats, signs: Bucket, tables: Bucket, topic: string) {
    this.#nats = nats;
    this.#signs = signs;
    this.#tables = tables;
    this.#topic = topic;
  }

  async renew(member: string): Promise<void> {
    await this.#signs.use((bucket) => bucket.put(`${this.#topic}.${member}`, String(++this.#count)));
  }

  async withdraw(member: string): Promise<void> {
    await this.#signs.use((bucket) => bucket.purge(`${this.#topic}.${member}`));
  }

  async sign(member: string): Promise<number | null> {
    const entry = await this.#signs.use((bucket) => bucket.get(`${this.#topic}.${member}`));
    return entry === null || entry.operation !== 'PUT' ? null : Number(entry.string());
  }

  async read(): Promise<{ readonly table: Table; readonly revision: number } | null> {
    const entry = await this.#tables.use((bucket) => bucket.get(this.#topic));
    return entry === null ? null : { table: entry.json<Table>(), revision: entry.revision };
  }

  async write(table: Table, revision: number | null): Promise<boolean> {
    try {
      await this.#tables.use((bucket) =>
        bucket.put(this.#topic, JSON.stringify(table), { previousSeq: revision ?? 0 }),
      );
      return true;
    } catch (error) {
      if (isOutpaced(error)) return false;
      throw error;
    }
  }

  /** What goes into a bucket passes by as a message of its own. */
  listen(hear: (member: string | null, sign: number | null) => void): () => void {
    const { connection } = this.#nats;
    const prefix = `${this.#signs.subject}.${this.#topic}.`;
    const signs = connection.subscribe(`${prefix}*`, {
      // One that is taken away is empty.
      callback: (_, message) =>
        hear(message.subject.slice(prefix.length), message.data.length === 0 ? null : Number(message.string())),
    });
    const tables = connection.subscribe(`${this.#tables.subject}.${this.#topic}`, {
      callback: () => hear(null, null),
    });
    return () => {
      for (const subscription of [signs, tables]) subscription.unsubscribe();
    };
  }
}

/** Made when it is missing, also when it has gone missing. */
class Bucket {
  readonly subject: string;
  readonly #nats: Nats;
  readonly #name: string;
  readonly #storage: StorageType;
  readonly #ttlMs: number;
  #opened: KV | null = null;

  constructor(nats: Nats, name: string, storage: StorageType, ttlMs: number) {
    this.#nats = nats;
    this.#name = name;
    this.#storage = storage;
    this.#ttlMs = ttlMs;
    this.subject = `$KV.${name}`;
  }

  async use<Answer>(work: (bucket: KV) => Promise<Answer>): Promise<Answer> {
    // What waited for the connection would come later, when it says nothing any more.
    if (!this.#nats.isConnected) throw new Error('not connected');
    try {
      this.#opened ??= await this.#open();
      return await work(this.#opened);
    } catch (error) {
      if (!isOutpaced(error)) this.#opened = null;
      throw error;
    }
  }

  #open(): Promise<KV> {
    const { connection, replicas } = this.#nats;
    const client = jetstream(connection, { timeout: answerMs });
    // Answered by the server that leads, never by one that may lag behind.
    const options = { ttl: this.#ttlMs, storage: this.#storage, history: 1, replicas, allow_direct: false };
    return new Kvm(client).create(this.#name, options);
  }
}

function isOutpaced(error: unknown): boolean {
  const { StreamWrongLastSequence, StreamWrongLastSequenceUnknown } = JetStreamApiCodes;
  return (
    error instanceof JetStreamApiError &&
    (error.code === StreamWrongLastSequence || error.code === StreamWrongLastSequenceUnknown)
  );
}
