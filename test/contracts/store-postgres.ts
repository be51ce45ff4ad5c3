// Opens the PostgreSQL store on an empty database for the contract suites.

import { Client } from 'pg';
import { afterAll, inject } from 'vitest';
import { SqliteQueue } from '../../src/adapters/queue/sqlite.ts';
import { openPostgresStore, type PostgresOptions, type PostgresStore } from '../../src/adapters/store/postgres.ts';
import type { Shared } from './store-partition-contract.ts';

/** Null where there is no PostgreSQL: then the suites that need it are skipped. */
export const serverUrl = inject('databaseUrl');

export interface OpenedPostgres extends Shared {
  readonly store: PostgresStore;
  readonly url: string;
}

/** To make a database takes longer than most tests: those of this file that nobody uses are emptied and used again. */
const free: string[] = [];
const made: string[] = [];

afterAll(async () => {
  for (const url of made.splice(0)) {
    await administer(serverUrl ?? '', `DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`);
  }
});

export async function openPostgres(options: Omit<PostgresOptions, 'url'> = {}): Promise<OpenedPostgres> {
  const url = free.pop() ?? (await freshDatabase());
  return openAt(url, options);
}

export async function freshDatabase(encoding = 'UTF8'): Promise<string> {
  if (serverUrl === null) throw new Error('there is no PostgreSQL');
  const name = `chargesim_test_${process.pid}_${made.length}`;
  await administer(serverUrl, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING '${encoding}' LOCALE 'C'`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  made.push(url.href);
  return url.href;
}

export async function administer(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function openAt(url: string, options: Omit<PostgresOptions, 'url'>): Promise<OpenedPostgres> {
  const store = await openPostgresStore({ ...options, url });
  const others: PostgresStore[] = [];
  return {
    store,
    url,
    queue: new SqliteQueue(store),
    async another() {
      const other = await openPostgresStore({ ...options, url });
      others.push(other);
      return other;
    },
    async reopen() {
      await store.close();
      return openAt(url, options);
    },
    async close() {
      await Promise.all([store, ...others].map((one) => one.close()));
      await administer(url, emptying);
      free.push(url);
    },
  };
}

export const emptying = `
  TRUNCATE chargers, charger_memory, charger_addendum, charger_totals, cpos, locations, receipts, commands, webhooks, counters;
  TRUNCATE frame_log, frame_log_writers;
  DO $$
    DECLARE part record;
    BEGIN
      FOR part IN SELECT first FROM frame_log_parts LOOP EXECUTE 'DROP TABLE frame_log_' || part.first; END LOOP;
    END
  $$;
  TRUNCATE frame_log_parts;
  ALTER SEQUENCE frame_log_numbers RESTART;
  UPDATE partitions SET epoch = 0 WHERE epoch <> 0;
`;
