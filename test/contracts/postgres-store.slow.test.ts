// What the PostgreSQL store does beyond its contract: old and new programs side by side, failures, limits, and kept totals.

import { Client } from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { connectionLimits, Session } from '../../src/adapters/postgres/session.ts';
import { migrate, migrations } from '../../src/adapters/store/postgres/migrations.ts';
import { openPostgresStore, type PostgresOptions, type PostgresStore } from '../../src/adapters/store/postgres.ts';
import { isFailure } from '../../src/errors.ts';
import { administer, freshDatabase, openPostgres, serverUrl } from './store-postgres.ts';
import {
  chargerRecord,
  chargerRecords,
  failureOf,
  idOf,
  queuedCommand,
  queuedCommands,
  succeeded,
} from './store-samples.ts';

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

async function open(options: Omit<PostgresOptions, 'url'> = {}): Promise<{ store: PostgresStore; url: string }> {
  const opened = await openPostgres(options);
  undo.push(() => opened.close());
  return opened;
}

/** Somebody who holds a charger's memory, as a transaction of another process may, until let go. */
async function holdMemory(url: string, chargerId: string): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('BEGIN');
  await client.query('SELECT 1 FROM charger_memory WHERE charger = $1 FOR UPDATE', [chargerId]);
  return () => client.end();
}

describe.skipIf(serverUrl === null)('opening a PostgreSQL store', () => {
  const session = async (url: string) => {
    const opened = await Session.open(url, 'test', connectionLimits);
    undo.push(() => opened.end());
    return opened;
  };
  const tables = async (url: string) =>
    (await administer(url, `SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`)).map(
      ({ tablename }) => tablename,
    );

  it('is done by many processes at once on an empty database', async () => {
    const url = await freshDatabase();
    const stores = await Promise.all(Array.from({ length: 6 }, () => openPostgresStore({ url })));
    await Promise.all(stores.map((store) => store.ping()));
    await Promise.all(stores.map((store) => store.close()));
    expect(await administer(url, 'SELECT version FROM migrations')).toEqual(
      migrations.map(({ version }) => ({ version })),
    );
  });

  it('goes on with a database that a newer program has only added to, and refuses one that it cannot know', async () => {
    const url = await freshDatabase();
    const known = migrations.at(-1)?.version ?? 0;
    await (await openPostgresStore({ url })).close();
    await migrate(await session(url), [
      ...migrations,
      { version: known + 1, worksWith: known, sql: 'ALTER TABLE chargers ADD COLUMN later text' },
    ]);
    const store = await openPostgresStore({ url });
    expect(await store.createChargers([chargerRecord(1)])).toEqual({ taken: null });
    expect(await store.charger('acme', idOf(1))).toEqual(chargerRecord(1));
    await store.close();
    await administer(url, `INSERT INTO migrations VALUES (${known + 2}, ${known + 2})`);
    const failure = await failureOf(openPostgresStore({ url }));
    expect(isFailure(failure, 'store_failed')).toBe(true);
    expect(String(failure)).toContain(`the database is of version ${known + 2}, for programs that know ${known + 2}`);
  });

  it('is brought up to date under an older program at work, which goes on; what it cannot know it says plainly', async () => {
    const url = await freshDatabase();
    const known = migrations.at(-1)?.version ?? 0;
    const old = await openPostgresStore({ url });
    undo.push(() => old.close());
    await old.createChargers(chargerRecords(1, 20));
    let isUpToDate = false;
    const atWork = async (number: number): Promise<number> => {
      let turns = 0;
      for (; !isUpToDate || turns < 3; turns += 1) {
        await old.commit([{ chargerId: idOf(number), memory: `${number}-${turns}` }]);
        await old.enqueueCommands([queuedCommand(1_000 * turns + number, { chargerId: idOf(number) })]);
        await old.fleetMember(idOf(number));
        await old.charger('acme', idOf(number));
      }
      return turns;
    };
    const working = Promise.all(Array.from({ length: 20 }, (_, index) => atWork(index + 1)));
    const added = ['chargers', 'charger_memory', 'commands', 'partitions', 'receipts', 'webhooks']
      .map(
        (table) => `ALTER TABLE ${table} ADD COLUMN later text NOT NULL DEFAULT 'x'; CREATE INDEX ON ${table} (later);`,
      )
      .join(' ');
    const step = { version: known + 1, worksWith: known, sql: `${added} CREATE TABLE later (id int PRIMARY KEY)` };
    await migrate(await session(url), [...migrations, step]);
    isUpToDate = true;
    const turns = await working;
    for (const [index, count] of turns.entries()) {
      expect((await old.fleetMember(idOf(index + 1)))?.memory).toBe(`${index + 1}-${count - 1}`);
    }
    await administer(url, 'ALTER TABLE charger_memory RENAME COLUMN memory TO remembered');
    expect(String(await failureOf(old.commit([{ chargerId: idOf(1), memory: 'never' }])))).toContain(
      'another shape than this program knows',
    );
  });

  it('applies only the steps that are missing, and none of them when one fails', async () => {
    const url = await freshDatabase();
    const step = (version: number, table: string) => ({ version, worksWith: 1, sql: `CREATE TABLE ${table} (x int)` });
    const failing = [step(1, 'a'), step(2, 'b'), step(3, 'a')];
    await migrate(await session(url), failing.slice(0, 1));
    expect(await failureOf(migrate(await session(url), failing))).toBeInstanceOf(Error);
    expect(await tables(url)).toEqual(['a', 'migrations']);
    await migrate(await session(url), failing.slice(0, 2));
    expect(await tables(url)).toEqual(['a', 'b', 'migrations']);
  });

  it('refuses a database whose texts cannot have every character', async () => {
    const url = await freshDatabase('SQL_ASCII');
    const failure = await failureOf(openPostgresStore({ url }));
    expect(isFailure(failure, 'store_failed')).toBe(true);
    expect(String(failure)).toContain('the encoding UTF8, and has SQL_ASCII');
  });

  it('says what it was not allowed to do', async () => {
    const url = await freshDatabase();
    await administer(url, `CREATE ROLE guest_${process.pid} LOGIN PASSWORD 'guest'`);
    undo.push(() => administer(url, `DROP ROLE guest_${process.pid}`));
    await administer(url, 'REVOKE CREATE ON SCHEMA public FROM PUBLIC');
    const guest = Object.assign(new URL(url), { username: `guest_${process.pid}`, password: 'guest' }).href;
    const failure = await failureOf(openPostgresStore({ url: guest }));
    expect(isFailure(failure, 'store_failed')).toBe(true);
    expect(String(failure)).toContain('permission denied for schema public');
  });

  it.each([
    ['password', (url: URL) => Object.assign(url, { password: 'secret-guess' })],
    ['database', (url: URL) => Object.assign(url, { pathname: '/nowhere' })],
  ])('with a wrong %s fails at once and says why, without the password', async (what, spoil) => {
    const failure = await failureOf(openPostgresStore({ url: spoil(new URL(serverUrl ?? '')).href }));
    expect(isFailure(failure, 'store_failed')).toBe(true);
    expect(String(failure)).toContain(what);
    expect(String(failure)).not.toContain('secret-guess');
  });
});

describe.skipIf(serverUrl === null)('writing to a PostgreSQL store', () => {
  it('lets a write that fails take no other with it, and says why it failed', async () => {
    const { store } = await open();
    await store.enqueueCommands([queuedCommand(2)]);
    const outcomes = await Promise.allSettled([
      store.enqueueCommands(queuedCommands(10, 100)),
      store.enqueueCommands([queuedCommand(1), queuedCommand(2)]),
      store.enqueueCommands(queuedCommands(200, 1)),
      store.createChargers([chargerRecord(1)]),
      store.createChargers([chargerRecord(1, { identity: 'another with the same id' })]),
      store.reserveNumbers('a', 1),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    const failure = outcomes[1]?.status === 'rejected' ? outcomes[1].reason : null;
    expect(isFailure(failure, 'store_failed')).toBe(true);
    expect(String(failure.cause)).toContain('commands_pkey');
    expect(await store.command('acme', queuedCommand(1).id)).toBeNull();
    expect(await store.pendingCommands([idOf(1)])).toHaveLength(102);
  });

  it('fails a write that cannot be put into words, however far it had come, and goes on', async () => {
    const { store } = await open();
    for (const count of [10, 2_500]) {
      const broken = queuedCommands(1, count).with(-1, queuedCommand(count, { payload: { number: 1n } }));
      expect(isFailure(await failureOf(store.enqueueCommands(broken)), 'store_failed')).toBe(true);
      expect(await store.command('acme', queuedCommand(1).id)).toBeNull();
      expect(await store.reserveNumbers(`after ${count}`, 1)).toBe(1);
    }
    await store.enqueueCommands(queuedCommands(1, 2_500));
    expect(await store.pendingCommands([idOf(1)])).toHaveLength(2_500);
  });

  it('keeps a text with a null character, which PostgreSQL does not know, with a sign in its place', async () => {
    const { store } = await open();
    await store.createChargers([chargerRecord(1, { name: 'a\0b' })]);
    await store.enqueueCommands([queuedCommand(1)]);
    const outcome = succeeded(queuedCommand(1), { status: 'failed', error: 'bad\0news', result: { text: 'a\0b' } });
    await store.commit([{ chargerId: idOf(1), memory: 'x\0y', outcomes: [outcome] }]);
    expect(await store.fleetMember(idOf(1))).toMatchObject({ record: { name: 'a\uFFFDb' }, memory: 'x\uFFFDy' });
    expect(await store.command('acme', queuedCommand(1).id)).toMatchObject({
      error: 'bad\uFFFDnews',
      result: { text: 'a\0b' },
    });
    expect(await store.charger('acme', 'no\0body')).toBeNull();
  });

  it('refuses further writes when too many wait, and takes them again later', async () => {
    const { store } = await open({ limits: { callsWaiting: 5 } });
    const calls = await Promise.allSettled(Array.from({ length: 8 }, () => store.reserveNumbers('a', 1)));
    const refused = calls.flatMap((call) => (call.status === 'rejected' ? [call.reason] : []));
    expect(refused.map((failure) => isFailure(failure, 'limit_reached'))).toEqual([true, true, true]);
    expect(await store.reserveNumbers('a', 1)).toBe(6);
  });

  it('gives up on a write that somebody else is in the way of for too long, and goes on', async () => {
    const { store, url } = await open({ limits: { statementMs: 300 } });
    await store.createChargers([chargerRecord(1)]);
    const letGo = await holdMemory(url, idOf(1));
    const failure = await failureOf(store.commit([{ chargerId: idOf(1), memory: 'never' }]));
    expect([isFailure(failure, 'store_unreachable'), String(failure)]).toEqual([
      true,
      'Failure: the database took too long',
    ]);
    await letGo();
    await store.commit([{ chargerId: idOf(1), memory: 'kept' }]);
    expect((await store.fleetMember(idOf(1)))?.memory).toBe('kept');
  });

  it('lets nothing that a lost connection was doing come after what it did since', async () => {
    const { store, url } = await open({ limits: { answerMs: 300, statementMs: 60_000 } });
    await store.createChargers([chargerRecord(1)]);
    const letGo = await holdMemory(url, idOf(1));
    const first = store.commit([{ chargerId: idOf(1), memory: 'first' }]);
    const writers = async () =>
      (
        await administer(
          url,
          `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'chargesim writer%'`,
        )
      ).map(({ pid }) => pid);
    const before = await writers();
    // Given up by the store, which has connected anew and waits again.
    while ((await writers()).every((pid) => before.includes(pid))) await store.charger('acme', idOf(1));
    await letGo();
    await first;
    await store.commit([{ chargerId: idOf(1), memory: 'second' }]);
    expect(await writers()).toHaveLength(1);
    expect((await store.fleetMember(idOf(1)))?.memory).toBe('second');
  });

  it('goes on when an administrator ends its connections', async () => {
    const { store, url } = await open();
    await store.createChargers([chargerRecord(1)]);
    for (let round = 1; round <= 5; round += 1) {
      const calls = [store.commit([{ chargerId: idOf(1), memory: `${round}` }]), store.charger('acme', idOf(1))];
      await administer(
        url,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      );
      await Promise.all(calls);
      expect((await store.fleetMember(idOf(1)))?.memory).toBe(`${round}`);
    }
  });

  it('cuts long commits into statements, each call whole', async () => {
    const { store } = await open();
    await store.createChargers(chargerRecords(1, 120));
    const memory = 'm'.repeat(100_000);
    await store.commit(chargerRecords(1, 120).map(({ id }) => ({ chargerId: id, memory })));
    const lengths = (await store.fleetAfter(null, 200)).map((member) => member.memory?.length);
    expect(lengths).toEqual(new Array(120).fill(100_000));
  });
});

describe.skipIf(serverUrl === null)('kept totals', () => {
  it('say the same before and after they are folded, by several at once', async () => {
    const { store, url } = await open();
    for (let round = 0; round < 30; round += 1) await store.createChargers(chargerRecords(round * 10, 10));
    await store.changeChargers('acme', [idOf(1), idOf(2)], { desired: 'stopped', ocppVersion: null }, 5);
    await store.deleteChargers('acme', [idOf(2), idOf(3)], 5);
    const totals = async () =>
      Promise.all(
        [{}, { desired: 'stopped' }, { ocppVersion: '1.6' }, { provisioningStatus: 'pending' }].map(
          async (filter) => (await store.listChargers('acme', filter as object, 1, 1)).total,
        ),
      );
    expect(await totals()).toEqual([298, 1, 297, 298]);
    const fold = () => administer(url, `SELECT fold_charger_totals(ARRAY['acme'])`);
    await Promise.all([fold(), fold(), store.createChargers(chargerRecords(1_000, 10)), fold()]);
    await fold();
    expect(await totals()).toEqual([308, 1, 307, 308]);
    expect(await administer(url, 'SELECT desired, version, difference FROM charger_totals ORDER BY 1')).toEqual([
      { desired: 'running', version: '1.6', difference: '307' },
      { desired: 'stopped', version: '', difference: '1' },
    ]);
  });
});
