// The store in one SQLite file: reads at once on this thread, writes through the writer.

import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { Failure, isFailure } from '../../errors.ts';
import type { QueuedCommand } from '../../ports/queue.ts';
import type {
  ChargerChange,
  ChargerFilter,
  ChargerRecord,
  CommandFilter,
  CommandRecord,
  Commit,
  CpoRecord,
  EndedCommand,
  FleetMember,
  LocationRecord,
  Page,
  ProvisioningProgress,
  Receipt,
  Store,
  WebhookProgress,
  WebhookRecord,
} from '../../ports/store.ts';
import { chargerChange, chargerCreation, chargerDeletion, soleChargerChange } from './sqlite/charger-writes.ts';
import { crowdedChargers, listCommands } from './sqlite/command-listing.ts';
import {
  acceptance,
  commandForgetting,
  commandsPerWrite,
  expiry,
  interruption,
  keeping,
  reservation,
} from './sqlite/command-writes.ts';
import { connect, type SqliteLocation } from './sqlite/connection.ts';
import { KnownChargers } from './sqlite/known-chargers.ts';
import { chargersOfLocation, listChargers, locationProgress } from './sqlite/listing.ts';
import { migrate } from './sqlite/migrations.ts';
import {
  cpoCreation,
  cpoDeletion,
  type LocationCreation,
  locationCreation,
  locationDeletion,
} from './sqlite/place-writes.ts';
import { Reader } from './sqlite/reader.ts';
import { receiptForgetting, receiptKeeping, receiptsPerWrite } from './sqlite/receipt-writes.ts';
import {
  ChargerRows,
  chargerColumns,
  commandColumns,
  commandRecord,
  cpoColumns,
  cpoRecord,
  endedCommand,
  keptReceipt,
  locationColumns,
  locationRecord,
  memberColumns,
  placeInQueue,
  queuedColumns,
  queuedCommand,
  type Row,
  receiptColumns,
  webhookColumns,
  webhookRecord,
} from './sqlite/rows.ts';
import type { Answer } from './sqlite/transaction.ts';
import { progressKeeping, webhookCreation, webhookDeletion } from './sqlite/webhook-writes.ts';
import type { Write } from './sqlite/write.ts';
import { Writer, type WriterLimits } from './sqlite/writer.ts';

export interface SqliteOptions {
  /** A file, made with its folder when missing, or `:memory:` for a store that ends with the process. */
  readonly path: string;
  /** `normal`, the default, survives a crash of the process; `full` survives a power cut too. */
  readonly synchronous?: 'normal' | 'full';
  readonly limits?: WriterLimits;
}

const memberSelection = `SELECT ${memberColumns} FROM chargers
  LEFT JOIN charger_memory ON charger_memory.charger = chargers.seq
  LEFT JOIN charger_addendum ON charger_addendum.charger = chargers.seq`;

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
  readonly #known = new KnownChargers();
  #closing: Promise<void> | null = null;

  constructor(database: DatabaseSync, writer: Writer) {
    this.#database = database;
    this.#writer = writer;
    this.#reader = new Reader(database);
  }

  async createChargers(records: readonly ChargerRecord[], receipt?: Receipt): Promise<{ taken: string | null }> {
    return created(await this.#write(chargerCreation(records, receipt)));
  }

  async charger(org: string, id: string): Promise<ChargerRecord | null> {
    const known = this.#known.get(id);
    if (known !== undefined) return known.org === org ? known : null;
    const found = this.#charger(`SELECT ${chargerColumns} FROM chargers WHERE id = ? AND org = ?`, [id, org]);
    if (found !== null) this.#known.add(found);
    return found;
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

  async changeCharger(
    org: string,
    id: string,
    change: ChargerChange,
    atMs: number,
    receipt?: Receipt,
  ): Promise<ChargerRecord | null> {
    const [row] = rowsOf(await this.#change(soleChargerChange(org, id, change, atMs, receipt)));
    return row === undefined ? null : this.#rows.charger(row);
  }

  async changeChargers(org: string, ids: readonly string[], change: ChargerChange, atMs: number): Promise<void> {
    await this.#change(chargerChange(org, ids, change, atMs));
  }

  async deleteChargers(
    org: string,
    ids: readonly string[],
    atMs: number,
  ): Promise<{ deleted: number; ended: readonly EndedCommand[] }> {
    const answer = await this.#change(chargerDeletion(org, ids, atMs));
    return { deleted: countOf(answer), ended: rowsOf(answer).map(endedCommand) };
  }

  async createCpo(record: CpoRecord, receipt?: Receipt): Promise<void> {
    await this.#write(cpoCreation(record, receipt));
  }

  async cpo(org: string, id: string): Promise<CpoRecord | null> {
    return this.#one(cpoRecord, `SELECT ${cpoColumns} FROM cpos WHERE id = ? AND org = ?`, [id, org]);
  }

  async listCpos(org: string, page: number, limit: number): Promise<Page<CpoRecord>> {
    const sql = `SELECT ${cpoColumns} FROM cpos WHERE org = ? ORDER BY id DESC LIMIT ? OFFSET ?`;
    const rows = this.#reader.all(sql, [org, limit, (page - 1) * limit]);
    const total = this.#reader.get('SELECT count(*) FROM cpos WHERE org = ?', [org]);
    return { items: rows.map(cpoRecord), total: Number(total?.[0]) };
  }

  async deleteCpo(org: string, id: string): Promise<boolean> {
    return !isRefused(await this.#write(cpoDeletion(org, id)));
  }

  async createLocations(creation: LocationCreation, receipt?: Receipt): Promise<{ taken: string | null }> {
    return created(await this.#write(locationCreation(creation, receipt)));
  }

  async location(org: string, id: string): Promise<LocationRecord | null> {
    return this.#one(locationRecord, `SELECT ${locationColumns} FROM locations WHERE id = ? AND org = ?`, [id, org]);
  }

  async locationsByName(org: string, name: string, limit: number): Promise<readonly LocationRecord[]> {
    const sql = `SELECT ${locationColumns} FROM locations WHERE org = ? AND name = ? ORDER BY id DESC LIMIT ?`;
    return this.#reader.all(sql, [org, name, limit]).map(locationRecord);
  }

  async listLocations(org: string, cpoId: string, page: number, limit: number): Promise<Page<LocationRecord>> {
    const sql = `SELECT ${locationColumns} FROM locations WHERE org = ? AND cpo_id = ? ORDER BY id DESC LIMIT ? OFFSET ?`;
    const rows = this.#reader.all(sql, [org, cpoId, limit, (page - 1) * limit]);
    const total = this.#reader.get('SELECT locations FROM cpos WHERE id = ? AND org = ?', [cpoId, org]);
    return { items: rows.map(locationRecord), total: Number(total?.[0] ?? 0) };
  }

  async chargersOfLocation(org: string, locationId: string): Promise<readonly ChargerRecord[]> {
    return chargersOfLocation(this.#reader, this.#rows, org, locationId);
  }

  async locationProgress(org: string, locationId: string): Promise<ProvisioningProgress> {
    return locationProgress(this.#reader, org, locationId);
  }

  async deleteLocation(org: string, id: string): Promise<boolean> {
    const { total } = locationProgress(this.#reader, org, id);
    return !isRefused(await this.#change(locationDeletion(org, id, total)));
  }

  async receipt(org: string, key: string): Promise<Receipt | null> {
    return this.#one(keptReceipt, `SELECT ${receiptColumns} FROM receipts WHERE org = ? AND key = ?`, [org, key]);
  }

  async keepReceipt(receipt: Receipt): Promise<void> {
    await this.#write(receiptKeeping(receipt));
  }

  async forgetReceipts(beforeMs: number): Promise<void> {
    await this.#writer.settled();
    // Mostly there are none, and then the writing thread need not hear of it.
    while (this.#reader.get('SELECT 1 FROM receipts WHERE at < ? LIMIT 1', [beforeMs]) !== undefined) {
      const forgotten = countOf(await this.#write(receiptForgetting(beforeMs)));
      if (forgotten < receiptsPerWrite) return;
    }
  }

  async fleetAfter(id: string | null, limit: number): Promise<readonly FleetMember[]> {
    // A new owner must not miss what the former one has asked to keep.
    await this.#writer.settled();
    const rows = this.#reader.all(`${memberSelection} WHERE id > ? ORDER BY id LIMIT ?`, [id ?? '', limit]);
    return rows.map((row) => this.#rows.member(row));
  }

  async fleetMember(id: string): Promise<FleetMember | null> {
    await this.#writer.settled();
    return this.#one((row) => this.#rows.member(row), `${memberSelection} WHERE id = ?`, [id]);
  }

  async commit(commits: readonly Commit[]): Promise<void> {
    const isChange = commits.some(({ provisioning }) => provisioning !== undefined);
    await (isChange ? this.#change(keeping(commits)) : this.#write(keeping(commits)));
  }

  async interrupt(chargerIds: readonly string[], atMs: number): Promise<readonly EndedCommand[]> {
    return rowsOf(await this.#write(interruption(chargerIds, atMs))).map(endedCommand);
  }

  async command(org: string, id: string): Promise<CommandRecord | null> {
    return this.#one(commandRecord, `SELECT ${commandColumns} FROM commands WHERE id = ? AND org = ?`, [id, org]);
  }

  async listCommands(org: string, filter: CommandFilter, page: number, limit: number): Promise<Page<CommandRecord>> {
    return listCommands(this.#reader, { org, filter, skip: (page - 1) * limit, limit });
  }

  async expireCommands(beforeMs: number, atMs: number): Promise<readonly EndedCommand[]> {
    return rowsOf(await this.#write(expiry(beforeMs, atMs))).map(endedCommand);
  }

  async forgetCommands(beforeMs: number): Promise<void> {
    await this.#writer.settled();
    const oldest = 'SELECT finished_at FROM commands ORDER BY seq LIMIT 100';
    while (this.#reader.get(`SELECT 1 FROM (${oldest}) WHERE finished_at < ? LIMIT 1`, [beforeMs]) !== undefined) {
      const forgotten = countOf(await this.#write(commandForgetting(beforeMs)));
      if (forgotten < commandsPerWrite) return;
    }
  }

  async createWebhook(record: WebhookRecord, receipt?: Receipt): Promise<void> {
    await this.#write(webhookCreation(record, receipt));
  }

  async webhook(org: string, id: string): Promise<WebhookRecord | null> {
    return this.#one(webhookRecord, `SELECT ${webhookColumns} FROM webhooks WHERE id = ? AND org = ?`, [id, org]);
  }

  async listWebhooks(org: string, page: number, limit: number): Promise<Page<WebhookRecord>> {
    const sql = `SELECT ${webhookColumns} FROM webhooks WHERE org = ? ORDER BY id DESC LIMIT ? OFFSET ?`;
    const rows = this.#reader.all(sql, [org, limit, (page - 1) * limit]);
    const total = this.#reader.get('SELECT count(*) FROM webhooks WHERE org = ?', [org]);
    return { items: rows.map(webhookRecord), total: Number(total?.[0]) };
  }

  async deleteWebhook(org: string, id: string): Promise<boolean> {
    return !isRefused(await this.#write(webhookDeletion(org, id)));
  }

  async webhooks(): Promise<readonly WebhookRecord[]> {
    await this.#writer.settled();
    return this.#reader.all(`SELECT ${webhookColumns} FROM webhooks ORDER BY id`, []).map(webhookRecord);
  }

  async keepProgress(webhookId: string, progress: WebhookProgress): Promise<void> {
    await this.#write(progressKeeping(webhookId, progress));
  }

  async reserveNumbers(name: string, count: number): Promise<number> {
    const [row] = rowsOf(await this.#write(reservation(name, count)));
    if (row === undefined) throw new Failure('store_failed');
    return Number(row[0]);
  }

  /** For the queue: all or none, durable when it resolves. */
  async enqueueCommands(commands: readonly QueuedCommand[], receipt?: Receipt): Promise<void> {
    await this.#write(acceptance(commands, receipt));
  }

  /** For the queue: the commands of these chargers that are still queued, oldest first. */
  async pendingCommands(chargerIds: readonly string[]): Promise<readonly QueuedCommand[]> {
    await this.#writer.settled();
    const sql = `SELECT ${queuedColumns} FROM commands
      WHERE finished_at IS NULL AND status = 'queued' AND charger_id IN (SELECT value FROM json_each(?))`;
    const rows = await this.#reader.allOf(sql, [], chargerIds);
    return rows.toSorted((one, other) => placeInQueue(one) - placeInQueue(other)).map(queuedCommand);
  }

  /** For the queue. */
  async crowdedChargers(chargerIds: readonly string[], depth: number): Promise<ReadonlySet<string>> {
    return crowdedChargers(this.#reader, chargerIds, depth);
  }

  async ping(): Promise<void> {
    await this.reserveNumbers('store.pings', 1);
  }

  close(): Promise<void> {
    this.#reader.close();
    this.#known.forgetAll();
    this.#closing ??= this.#writer.close().finally(() => this.#database.close());
    return this.#closing;
  }

  #charger(sql: string, values: readonly SQLInputValue[]): ChargerRecord | null {
    return this.#one((row) => this.#rows.charger(row), sql, values);
  }

  #one<Item>(read: (row: Row) => Item, sql: string, values: readonly SQLInputValue[]): Item | null {
    const row = this.#reader.get(sql, values);
    return row === undefined ? null : read(row);
  }

  /** A write that changes chargers. */
  #change(write: Write): Promise<Answer> {
    return this.#known.changedBy(() => this.#write(write));
  }

  /** The one refusal that every call may meet is thrown here; the others are the answers of their calls. */
  async #write(write: Write): Promise<Answer> {
    const answer = await this.#writer.write(write);
    if (isRefused(answer) && answer.refusedBy === 'insertReceipt') throw new Failure('receipt_taken');
    return answer;
  }
}

function isRefused(answer: Answer): answer is Extract<Answer, { refusedBy: unknown }> {
  return answer !== null && 'refusedBy' in answer;
}

function created(answer: Answer): { readonly taken: string | null } {
  if (!isRefused(answer)) return { taken: null };
  if (answer.refusedBy === 'insertCharger') return { taken: String(answer.named) };
  throw new Failure('store_failed', `there is no CPO ${answer.named} for its location`);
}

function countOf(answer: Answer): number {
  return answer !== null && 'count' in answer ? answer.count : 0;
}

function rowsOf(answer: Answer): readonly Row[] {
  return answer !== null && 'rows' in answer ? answer.rows : [];
}
