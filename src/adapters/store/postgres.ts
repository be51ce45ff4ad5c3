// The store in a PostgreSQL database that many processes share: reads over a few connections, writes in the order of the calls.

import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '../../errors.ts';
import { type OwnedCommit, type Partitions, partitionCount, type Tenure } from '../../ports/partition.ts';
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
import type { Statement } from '../postgres/named-query.ts';
import { Reader } from '../postgres/reader.ts';
import {
  type ConnectionLimits,
  ConnectionLost,
  connectionLimits,
  failureOf,
  isAnswer,
  Session,
} from '../postgres/session.ts';
import { texts, type Value } from '../postgres/values.ts';
import { acceptance } from './postgres/acceptance.ts';
import { chargerChange, chargerCreation, chargerDeletion, soleChargerChange } from './postgres/charger-writes.ts';
import {
  commandForgetting,
  commandsPerWrite,
  expiry,
  interruption,
  receiptForgetting,
  reservation,
  tenureBeginning,
} from './postgres/command-writes.ts';
import { keeping } from './postgres/keeping.ts';
import { listChargers, listCommands, locationProgress } from './postgres/listing.ts';
import { checkServer, migrate } from './postgres/migrations.ts';
import {
  cpoCreation,
  cpoDeletion,
  type LocationCreation,
  locationCreation,
  locationDeletion,
  progressKeeping,
  webhookCreation,
  webhookDeletion,
} from './postgres/place-writes.ts';
import { type ReadingName, reading } from './postgres/reading-statements.ts';
import { receiptKeeping } from './postgres/receipt-writes.ts';
import { type LaneLimits, laneLimits, type Work, WriteLane } from './postgres/write-lane.ts';
import {
  ChargerRows,
  chargerColumns,
  commandRecord,
  cpoColumns,
  cpoRecord,
  keptReceipt,
  locationColumns,
  locationRecord,
  queuedCommand,
  type Row,
  webhookColumns,
  webhookRecord,
} from './sqlite/rows.ts';

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** For reading; one more is for writing. */
  readonly readingConnections?: number;
  readonly limits?: Partial<ConnectionLimits & LaneLimits>;
}

const defaultReadingConnections = 4;
/** Steps of a migration may take long on a large database. */
const migrationMs = 600_000;
const retryMs = 200;

export async function openPostgresStore(options: PostgresOptions): Promise<PostgresStore> {
  const limits = { ...connectionLimits, ...laneLimits, ...options.limits };
  await bringUpToDate(options.url, limits).catch((error: unknown) => {
    if (!isAnswer(error)) throw failureOf(error);
    throw new Failure('store_failed', `the database cannot be brought up to date: ${error.message}`, { cause: error });
  });
  const connections = options.readingConnections ?? defaultReadingConnections;
  return new PostgresStore(
    new WriteLane(options.url, limits, limits),
    new Reader(options.url, connections, limits, limits.patienceMs),
  );
}

/** A server that is started together with this process may be there a moment later. */
async function bringUpToDate(url: string, limits: ConnectionLimits & LaneLimits): Promise<void> {
  const untilMs = performance.now() + limits.patienceMs;
  const patient = { ...limits, statementMs: migrationMs, answerMs: migrationMs };
  for (;;) {
    try {
      const session = await Session.open(url, 'chargesim migration', patient);
      try {
        await checkServer(session);
        return await migrate(session);
      } finally {
        await session.end();
      }
    } catch (error) {
      if (!(error instanceof ConnectionLost) || performance.now() > untilMs) throw error;
      await delay(retryMs);
    }
  }
}

export class PostgresStore implements Store, Partitions {
  readonly #lane: WriteLane;
  readonly #reader: Reader;
  readonly #rows = new ChargerRows();
  #closing: Promise<void> | null = null;

  constructor(lane: WriteLane, reader: Reader) {
    this.#lane = lane;
    this.#reader = reader;
  }

  createChargers(chargers: readonly ChargerRecord[], receipt?: Receipt): Promise<{ readonly taken: string | null }> {
    return this.#write(chargerCreation, { chargers, receipt });
  }

  charger(org: string, id: string): Promise<ChargerRecord | null> {
    return this.#one((row) => this.#rows.charger(row), reading('charger'), [id, org]);
  }

  chargerByIdentity(org: string, identity: string): Promise<ChargerRecord | null> {
    return this.#one((row) => this.#rows.charger(row), reading('chargerByIdentity'), [org, identity]);
  }

  async chargers(org: string, ids: readonly string[]): Promise<readonly ChargerRecord[]> {
    const rows = await this.#reader.all(reading('chargers'), [org, texts(ids)]);
    return rows.map((row) => this.#rows.charger(row));
  }

  listChargers(org: string, filter: ChargerFilter, page: number, limit: number): Promise<Page<ChargerRecord>> {
    return listChargers(this.#reader, this.#rows, filter, { org, page, limit });
  }

  async changeCharger(
    org: string,
    id: string,
    change: ChargerChange,
    atMs: number,
    receipt?: Receipt,
  ): Promise<ChargerRecord | null> {
    const row = await this.#write(soleChargerChange, { org, ids: [id], change, atMs, receipt });
    return row === null ? null : this.#rows.charger(row);
  }

  async changeChargers(org: string, ids: readonly string[], change: ChargerChange, atMs: number): Promise<void> {
    await this.#write(chargerChange, { org, ids, change, atMs });
  }

  deleteChargers(
    org: string,
    ids: readonly string[],
    atMs: number,
  ): Promise<{ readonly deleted: number; readonly ended: readonly EndedCommand[] }> {
    return this.#write(chargerDeletion, { org, ids, atMs });
  }

  async createCpo(record: CpoRecord, receipt?: Receipt): Promise<void> {
    await this.#write(cpoCreation, { record, receipt });
  }

  cpo(org: string, id: string): Promise<CpoRecord | null> {
    return this.#one(cpoRecord, `SELECT ${cpoColumns} FROM cpos WHERE id = $1 AND org = $2`, [id, org]);
  }

  async listCpos(org: string, page: number, limit: number): Promise<Page<CpoRecord>> {
    const sql = `SELECT ${cpoColumns} FROM cpos WHERE org = $1 ORDER BY id DESC LIMIT $2 OFFSET $3`;
    const [rows, total] = await Promise.all([
      this.#reader.all(sql, [org, limit, (page - 1) * limit]),
      this.#reader.get('SELECT count(*) FROM cpos WHERE org = $1', [org]),
    ]);
    return { items: rows.map(cpoRecord), total: Number(total?.[0]) };
  }

  deleteCpo(org: string, id: string): Promise<boolean> {
    return this.#write(cpoDeletion, { org, id });
  }

  createLocations(creation: LocationCreation, receipt?: Receipt): Promise<{ readonly taken: string | null }> {
    return this.#write(locationCreation, { ...creation, receipt });
  }

  location(org: string, id: string): Promise<LocationRecord | null> {
    const sql = `SELECT ${locationColumns} FROM locations WHERE id = $1 AND org = $2`;
    return this.#one(locationRecord, sql, [id, org]);
  }

  async locationsByName(org: string, name: string, limit: number): Promise<readonly LocationRecord[]> {
    const sql = `SELECT ${locationColumns} FROM locations WHERE org = $1 AND name = $2 ORDER BY id DESC LIMIT $3`;
    return (await this.#reader.all(sql, [org, name, limit])).map(locationRecord);
  }

  async listLocations(org: string, cpoId: string, page: number, limit: number): Promise<Page<LocationRecord>> {
    const sql = `SELECT ${locationColumns} FROM locations WHERE org = $1 AND cpo_id = $2 ORDER BY id DESC LIMIT $3 OFFSET $4`;
    const [rows, total] = await Promise.all([
      this.#reader.all(sql, [org, cpoId, limit, (page - 1) * limit]),
      this.#reader.get('SELECT locations FROM cpos WHERE id = $1 AND org = $2', [cpoId, org]),
    ]);
    return { items: rows.map(locationRecord), total: Number(total?.[0] ?? 0) };
  }

  async chargersOfLocation(org: string, locationId: string): Promise<readonly ChargerRecord[]> {
    const sql = `SELECT ${chargerColumns} FROM chargers WHERE org = $1 AND location_id = $2 ORDER BY id`;
    return (await this.#reader.all(sql, [org, locationId])).map((row) => this.#rows.charger(row));
  }

  locationProgress(org: string, locationId: string): Promise<ProvisioningProgress> {
    return locationProgress(this.#reader, org, locationId);
  }

  deleteLocation(org: string, id: string): Promise<boolean> {
    return this.#write(locationDeletion, { org, id });
  }

  receipt(org: string, key: string): Promise<Receipt | null> {
    return this.#one(keptReceipt, reading('receipt'), [org, key]);
  }

  async keepReceipt(receipt: Receipt): Promise<void> {
    await this.#write(receiptKeeping, receipt);
  }

  forgetReceipts(beforeMs: number): Promise<void> {
    return this.#forget(receiptForgetting, beforeMs);
  }

  fleetAfter(id: string | null, limit: number): Promise<readonly FleetMember[]> {
    return this.#members('membersAfter', [id ?? '', limit]);
  }

  partitionAfter(partition: number, id: string | null, limit: number): Promise<readonly FleetMember[]> {
    return this.#members('partitionAfter', [id ?? '', limit, partition]);
  }

  async fleetMember(id: string): Promise<FleetMember | null> {
    const [member] = await this.#members('member', [id]);
    return member ?? null;
  }

  async commit(commits: readonly Commit[]): Promise<void> {
    await this.#write(keeping, commits);
  }

  commitOwned(commits: readonly OwnedCommit[]): Promise<readonly string[]> {
    return this.#write(keeping, commits);
  }

  interrupt(chargerIds: readonly string[], atMs: number): Promise<readonly EndedCommand[]> {
    return this.#write(interruption, { chargerIds, atMs });
  }

  interruptOwned(tenure: Tenure, chargerIds: readonly string[], atMs: number): Promise<readonly EndedCommand[]> {
    return this.#write(interruption, { chargerIds, atMs, tenure });
  }

  async epochs(): Promise<readonly number[]> {
    const rows = await this.#reader.all('SELECT epoch FROM partitions ORDER BY partition', []);
    if (rows.length !== partitionCount)
      throw new Failure('store_failed', 'the database has another number of partitions');
    return rows.map(([epoch]) => Number(epoch));
  }

  beginTenure(tenure: Tenure): Promise<boolean> {
    return this.#write(tenureBeginning, tenure);
  }

  command(org: string, id: string): Promise<CommandRecord | null> {
    return this.#one(commandRecord, reading('command'), [id, org]);
  }

  listCommands(org: string, filter: CommandFilter, page: number, limit: number): Promise<Page<CommandRecord>> {
    return listCommands(this.#reader, filter, { org, page, limit });
  }

  expireCommands(beforeMs: number, atMs: number): Promise<readonly EndedCommand[]> {
    return this.#write(expiry, { beforeMs, atMs });
  }

  forgetCommands(beforeMs: number): Promise<void> {
    return this.#forget(commandForgetting, beforeMs);
  }

  async createWebhook(record: WebhookRecord, receipt?: Receipt): Promise<void> {
    await this.#write(webhookCreation, { record, receipt });
  }

  webhook(org: string, id: string): Promise<WebhookRecord | null> {
    return this.#one(webhookRecord, `SELECT ${webhookColumns} FROM webhooks WHERE id = $1 AND org = $2`, [id, org]);
  }

  async listWebhooks(org: string, page: number, limit: number): Promise<Page<WebhookRecord>> {
    const sql = `SELECT ${webhookColumns} FROM webhooks WHERE org = $1 ORDER BY id DESC LIMIT $2 OFFSET $3`;
    const [rows, total] = await Promise.all([
      this.#reader.all(sql, [org, limit, (page - 1) * limit]),
      this.#reader.get('SELECT count(*) FROM webhooks WHERE org = $1', [org]),
    ]);
    return { items: rows.map(webhookRecord), total: Number(total?.[0]) };
  }

  deleteWebhook(org: string, id: string): Promise<boolean> {
    return this.#write(webhookDeletion, { org, id });
  }

  async webhooks(): Promise<readonly WebhookRecord[]> {
    return (await this.#reader.all(`SELECT ${webhookColumns} FROM webhooks ORDER BY id`, [])).map(webhookRecord);
  }

  async keepProgress(webhookId: string, progress: WebhookProgress): Promise<void> {
    await this.#write(progressKeeping, { id: webhookId, progress });
  }

  reserveNumbers(name: string, count: number): Promise<number> {
    return this.#write(reservation, { name, count });
  }

  /** For the queue: all or none, durable when it resolves. */
  async enqueueCommands(commands: readonly QueuedCommand[], receipt?: Receipt): Promise<void> {
    const refused = await this.#write(acceptance, { commands, receipt });
    if (refused !== null) throw refused;
  }

  /** For the queue: the commands of these chargers that are still queued, oldest first. */
  async pendingCommands(chargerIds: readonly string[], except: readonly string[] = []) {
    await this.#lane.settled();
    return (await this.#reader.all(reading('pending'), [texts(chargerIds), texts(except)])).map(queuedCommand);
  }

  /** For the queue: those of these partitions that are still queued. */
  async waitingCommands(partitions: readonly number[]) {
    const rows = await this.#reader.all(reading('waiting'), [partitions]);
    return rows.map(([id, chargerId]) => ({ id: String(id), chargerId: String(chargerId) }));
  }

  /** For the queue: those of the chargers that have so many commands or more that have not ended. */
  async crowdedChargers(chargerIds: readonly string[], depth: number): Promise<ReadonlySet<string>> {
    const rows = await this.#reader.all(reading('crowded'), [texts(chargerIds), depth]);
    return new Set(rows.map(([id]) => String(id)));
  }

  async ping(): Promise<void> {
    await this.reserveNumbers('store.pings', 1);
  }

  close(): Promise<void> {
    this.#closing ??= Promise.all([this.#reader.close(), this.#lane.close()]).then(() => {});
    return this.#closing;
  }

  async #members(name: ReadingName, values: readonly Value[]): Promise<readonly FleetMember[]> {
    // A new owner must not miss what the former one has asked to keep.
    await this.#lane.settled();
    return (await this.#reader.all(reading(name), values)).map((row) => this.#rows.member(row));
  }

  async #forget(forgetting: Work<number, number>, beforeMs: number): Promise<void> {
    // In turns, so that other writes do not wait for all of it.
    for (;;) if ((await this.#write(forgetting, beforeMs)) < commandsPerWrite) return;
  }

  async #one<Item>(
    read: (row: Row) => Item,
    statement: string | Statement,
    values: readonly Value[],
  ): Promise<Item | null> {
    const row = await this.#reader.get(statement, values);
    return row === undefined ? null : read(row);
  }

  async #write<Content, Answer>(work: Work<Content, Answer>, content: Content): Promise<Answer> {
    return this.#lane.write(work, content);
  }
}
