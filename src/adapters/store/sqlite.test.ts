// What the SQLite store does beyond its contract: old and foreign files, failures, the log, and limits.

import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  chargerRecord,
  chargerRecords,
  failureOf,
  idOf,
  queuedCommand,
  queuedCommands,
} from '../../../test/contracts/store-samples.ts';
import { isFailure } from '../../errors.ts';
import { reservation } from './sqlite/command-writes.ts';
import { migrate } from './sqlite/migrations.ts';
import { ThreadHandle } from './sqlite/thread-handle.ts';
import { writerLimits } from './sqlite/writer.ts';
import { openSqliteStore, type SqliteOptions, type SqliteStore } from './sqlite.ts';

let folder: string;
let path: string;
const opened: SqliteStore[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sqlite-'));
  path = join(folder, 'deeper', 'gateway.db');
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
  await rm(folder, { recursive: true });
});

async function open(options: Partial<SqliteOptions> = {}): Promise<SqliteStore> {
  const store = await openSqliteStore({ path, ...options });
  opened.push(store);
  return store;
}

describe('opening a SQLite store', () => {
  it('makes the folder, and a file that only its owner can read', async () => {
    const store = await open();
    await store.ping();
    for (const name of [path, `${path}-wal`]) expect((await stat(name)).mode & 0o777).toBe(0o600);
  });

  it('refuses a database of a newer version in one sentence and leaves it as it is', async () => {
    await (await open()).close();
    const database = new DatabaseSync(path);
    database.exec('INSERT INTO migrations (version) VALUES (999)');
    const failure = await failureOf(open());
    expect(isFailure(failure, 'store_failed')).toBe(true);
    expect(String(failure)).toContain('the database is of version 999 and this program knows only up to');
    expect(database.prepare('SELECT max(version) AS version FROM migrations').get()?.['version']).toBe(999);
    database.close();
  });

  it('refuses a file that is no database and names it', async () => {
    path = join(folder, 'notes.txt');
    await writeFile(path, 'These are my notes, and quite a lot of them. '.repeat(100));
    const failure = await failureOf(open());
    expect(isFailure(failure, 'store_failed')).toBe(true);
    expect(String(failure)).toContain('notes.txt');
  });

  it('applies only the migrations that are missing, and none of them when one fails', () => {
    const database = new DatabaseSync(':memory:');
    const first = { version: 1, sql: 'CREATE TABLE a (x)' };
    migrate(database, [first]);
    const failing = [first, { version: 2, sql: 'CREATE TABLE b (x)' }, { version: 3, sql: 'CREATE TABLE a (x)' }];
    expect(() => migrate(database, failing)).toThrow();
    const tables = () => database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
    expect(tables().map(({ name }) => name)).toEqual(['a', 'migrations']);
    migrate(database, failing.slice(0, 2));
    expect(tables().map(({ name }) => name)).toEqual(['a', 'b', 'migrations']);
  });

  it('works in memory too, for as long as the process lives', async () => {
    const store = await open({ path: ':memory:' });
    expect(await store.createChargers(chargerRecords(1, 500))).toEqual({ taken: null });
    await store.enqueueCommands(queuedCommands(1, 500));
    expect(await store.pendingCommands([idOf(1)])).toHaveLength(500);
  });
});

describe.each(['normal', 'full'] as const)('writing to a SQLite store (%s sync)', (synchronous) => {
  it('lets a write that fails take no other with it, and says why it failed', async () => {
    const store = await open({ synchronous });
    await store.enqueueCommands([queuedCommand(2)]);
    const outcomes = await Promise.allSettled([
      store.enqueueCommands(queuedCommands(10, 100)),
      store.enqueueCommands([queuedCommand(1), queuedCommand(2)]),
      store.createChargers([chargerRecord(1)]),
      store.createChargers([chargerRecord(1, { identity: 'another with the same id' })]),
      store.reserveNumbers('a', 1),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    const failure = outcomes[1]?.status === 'rejected' ? outcomes[1].reason : null;
    expect(isFailure(failure, 'store_failed')).toBe(true);
    expect(String(failure.cause)).toContain('commands.id');
    expect(await store.command('acme', queuedCommand(1).id)).toBeNull();
    expect(await store.pendingCommands([idOf(1)])).toHaveLength(101);
  });

  it('fails a write that cannot be put into words, however far it had come, and goes on', async () => {
    const store = await open({ synchronous });
    for (const count of [10, 1_000]) {
      const broken = queuedCommands(1, count).with(-1, queuedCommand(count, { payload: { number: 1n } }));
      expect(isFailure(await failureOf(store.enqueueCommands(broken)), 'store_failed')).toBe(true);
      expect(await store.command('acme', queuedCommand(1).id)).toBeNull();
      expect(await store.reserveNumbers(`after ${count}`, 1)).toBe(1);
    }
    await store.enqueueCommands(queuedCommands(1, 1_000));
    expect(await store.pendingCommands([idOf(1)])).toHaveLength(1_000);
  });

  it('keeps a hundred long memories in one call', async () => {
    const store = await open({ synchronous });
    await store.createChargers(chargerRecords(1, 100));
    const memory = 'm'.repeat(100_000);
    await store.commit(chargerRecords(1, 100).map(({ id }) => ({ chargerId: id, memory })));
    const lengths = (await store.fleetAfter(null, 100)).map((member) => member.memory?.length);
    expect(new Set(lengths)).toEqual(new Set([100_000]));
  });

  it('keeps the log short while writing goes on', async () => {
    const store = await open({ synchronous, limits: { ...writerLimits, logPages: 50 } });
    await store.createChargers([chargerRecord(1)]);
    for (let round = 0; round < 400; round += 1) {
      await store.commit([{ chargerId: idOf(1), memory: 'x'.repeat(20_000) }]);
    }
    // Without checkpoints it would have 400 times 5 pages of 4 096 bytes.
    while ((await stat(`${path}-wal`)).size > 4_000_000) await delay(10);
    await store.close();
    expect(await failureOf(stat(`${path}-wal`))).toMatchObject({ code: 'ENOENT' });
    const again = await open();
    expect((await again.fleetMember(idOf(1)))?.memory).toHaveLength(20_000);
  });

  it('cuts long work into transactions, each call whole', async () => {
    const store = await open({ synchronous, limits: { ...writerLimits, statementsPerTransaction: 100 } });
    await Promise.all([1, 2, 3, 4, 5].map((call) => store.enqueueCommands(queuedCommands(call * 1_000, 90))));
    expect(await store.pendingCommands([idOf(1)])).toHaveLength(450);
  });

  it('refuses further writes when too many wait, and takes them again later', async () => {
    const store = await open({ synchronous, limits: { ...writerLimits, statementsWaiting: 100 } });
    const [first, second] = await Promise.allSettled([
      store.enqueueCommands(queuedCommands(1, 150)),
      store.enqueueCommands(queuedCommands(500, 1)),
    ]);
    expect(first.status).toBe('fulfilled');
    expect(second.status === 'rejected' && isFailure(second.reason, 'limit_reached')).toBe(true);
    await store.enqueueCommands(queuedCommands(500, 1));
    expect(await store.pendingCommands([idOf(1)])).toHaveLength(151);
  });
});

describe('the writing thread', () => {
  it('that cannot start fails each batch it is given, and never leaves one waiting', async () => {
    const thread = new ThreadHandle({ path: folder, synchronous: 'full' });
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect(await failureOf(thread.write([reservation('a', 1)]))).toBeInstanceOf(Error);
    }
    await thread.close();
  });
});

describe('kept totals', () => {
  it('follow chargers that move and go', async () => {
    const store = await open();
    await store.createChargers([chargerRecord(1, { locationId: 'L-1' }), chargerRecord(2, { locationId: 'L-1' })]);
    await store.commit([{ chargerId: idOf(2), memory: 'kept' }]);
    const database = new DatabaseSync(path);
    // Both at once, as no call of the store does it today.
    const ready = "desired = 'stopped', provisioning_status = 'ready'";
    database.exec(`UPDATE chargers SET location_id = 'L-2', ${ready} WHERE id = '${idOf(1)}'`);
    database.exec(`DELETE FROM chargers WHERE id = '${idOf(2)}'`);
    const left = database.prepare('SELECT count(*) AS total FROM charger_memory').get()?.['total'];
    const totals = database.prepare('SELECT location, desired, pending, ready, total FROM charger_totals').all();
    database.close();
    expect(left).toBe(0);
    expect(totals.map((row) => ({ ...row }))).toEqual([
      { location: '', desired: 'stopped', pending: 0, ready: 1, total: 1 },
      { location: '=L-2', desired: 'stopped', pending: 0, ready: 1, total: 1 },
    ]);
    expect((await store.listChargers('acme', { locationId: 'L-2' }, 1, 10)).total).toBe(1);
    expect((await store.listChargers('acme', { locationId: 'L-1' }, 1, 10)).total).toBe(0);
  });
});
