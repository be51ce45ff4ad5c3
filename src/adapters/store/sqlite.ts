// The store in one SQLite file: reads at once on this thread, writes through the writer.

import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { Failure, isFailure } from '../../errors.ts';
import type { QueuedCommand } from '../../ports/queue.ts';
import type {
  ChargerFilter,
  ChargerRecord,
  CommandRecord,
  Commit,
  FleetMember,
  Page,
  Store,
} from '../../ports/store.ts';
import { connect, type SqliteLocation } from './sqlite/connection.ts';
import { listChargers } from './sqlite/listing.ts';
import { migrate } from './sqlite/migrations.ts';
import { Reader } from './sqlite/reader.ts';
import {
  ChargerRows,
  chargerColumns,
  commandColumns,
  commandRecord,
  memberColumns,
  placeInQueue,
  queuedColumns,
  queuedCommand,
} from './sqlite/rows.ts';
import { acceptance, creation, interruption, keeping, reservation } from './sqlite/statements.ts';
import { Writer, type WriterLimits } from './sqlite/writer.ts';

export interface SqliteOptions {
  /** A file, made with its folder when missing, or `:memory:` for a store that ends with the process. */
  readonly path: string;
  /** `normal`, the default, survives a crash of the process; `full` survives a power cut too. */
  readonly synchronous?: 'normal' | 'full';
  readonly limits?: WriterLimits;
}

const memberSelection = `SELECT ${memberColumns} FROM chargers LEFT JOIN charger_memory ON charger = chargers.seq`;

export async function openSqliteStore(options: SqliteOptions): Promise<SqliteStore> {
  const location: SqliteLocation = { path: options.path, synchronous: options.synchronous ?? 'normal' };
  let database: DatabaseSync | null = null;
  try {
    database = connect(location);
    migrate(database);
    return new SqliteStore(database, new Writer(database, location, options.limits));
  } catch (error) {
    database?.close();
    if (isFailure(error)) throw error;
    throw new Failure('store_failed', `the database ${options.path} could not be opened`, { cause: error });
  }
}

export class SqliteStore implements Store {
  readonly #database: DatabaseSync;
  readonly #writer: Writer;
  readonly #reader: Reader;
  readonly #rows = new ChargerRows();
  #closing: Promise<void> | null = null;

  constructor(database: DatabaseSync, writer: Writer) {
    this.#database = database;
    this.#writer = writer;
    this.#reader = new Reader(database);
  }

  async createChargers(records: readonly ChargerRecord[]): Promise<{ readonly taken: string | null }> {
    const answer = await this.#writer.write(creation(records));
    if (answer === null || !('refusedBy' in answer)) return { taken: null };
    return { taken: records[answer.refusedBy]?.identity ?? null };
  }

  async charger(org: string, id: string): Promise<ChargerRecord | null> {
    return this.#charger(`SELECT ${chargerColumns} FROM chargers WHERE id = ? AND org = ?`, [id, org]);
  }

  async chargerByIdentity(org: string, identity: string): Promise<ChargerRecord | null> {
    return this.#charger(`SELECT ${chargerColumns} FROM chargers WHERE org = ? AND identity = ?`, [org, identity]);
  }

  async chargers(org: string, ids: readonly string[]): Promise<readonly ChargerRecord[]> {
    const sql = `SELECT ${chargerColumns} FROM chargers WHERE org = ? AND id IN (SELECT value FROM json_each(?))`;
    const rows = await this.#reader.allOf(sql, [org], ids);
    return rows.map((row) => this.#rows.charger(row));
  }

  async listChargers(org: string, filter: ChargerFilter, page: number, limit: number): Promise<Page<ChargerRecord>> {
    return listChargers(this.#reader, this.#rows, { org, filter, skip: (page - 1) * limit, limit });
  }

  async fleetAfter(id: string | null, limit: number): Promise<readonly FleetMember[]> {
    // A new owner must not miss what the former one has asked to keep.
    await this.#writer.settled();
    const rows = this.#reader.all(`${memberSelection} WHERE id > ? ORDER BY id LIMIT ?`, [id ?? '', limit]);
    return rows.map((row) => this.#rows.member(row));
  }

  async fleetMember(id: string): Promise<FleetMember | null> {
    await this.#writer.settled();
    const row = this.#reader.get(`${memberSelection} WHERE id = ?`, [id]);
    return row === undefined ? null : this.#rows.member(row);
  }

  async commit(commits: readonly Commit[]): Promise<void> {
    await this.#writer.write(keeping(commits));
  }

  async interrupt(chargerIds: readonly string[], atMs: number): Promise<void> {
    await this.#writer.write(interruption(chargerIds, atMs));
  }

  async command(org: string, id: string): Promise<CommandRecord | null> {
    const row = this.#reader.get(`SELECT ${commandColumns} FROM commands WHERE id = ? AND org = ?`, [id, org]);
    return row === undefined ? null : commandRecord(row);
  }

  async reserveNumbers(name: string, count: number): Promise<number> {
    const answer = await this.#writer.write(reservation(name, count));
    if (answer === null || !('value' in answer)) throw new Failure('store_failed');
    return answer.value;
  }

  /** For the queue: all or none, durable when it resolves. */
  async enqueueCommands(commands: readonly QueuedCommand[]): Promise<void> {
    await this.#writer.write(acceptance(commands));
  }

  /** For the queue: the commands of these chargers that are still queued, oldest first. */
  async pendingCommands(chargerIds: readonly string[]): Promise<readonly QueuedCommand[]> {
    await this.#writer.settled();
    const sql = `SELECT ${queuedColumns} FROM commands
      WHERE finished_at IS NULL AND status = 'queued' AND charger_id IN (SELECT value FROM json_each(?))`;
    const rows = await this.#reader.allOf(sql, [], chargerIds);
    return rows.toSorted((one, other) => placeInQueue(one) - placeInQueue(other)).map(queuedCommand);
  }

  async ping(): Promise<void> {
    await this.reserveNumbers('store.pings', 1);
  }

  close(): Promise<void> {
    this.#reader.close();
    this.#closing ??= this.#writer.close().finally(() => this.#database.close());
    return this.#closing;
  }

  #charger(sql: string, values: readonly SQLInputValue[]): ChargerRecord | null {
    const row = this.#reader.get(sql, values);
    return row === undefined ? null : this.#rows.charger(row);
  }
}
