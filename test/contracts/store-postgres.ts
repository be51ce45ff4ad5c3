// Opens the PostgreSQL store in a database of its own for the contract suites.

import { Client } from 'pg';
import { inject } from 'vitest';
import { SqliteQueue } from '../../src/adapters/queue/sqlite.ts';
import { openPostgresStore, type PostgresOptions, type PostgresStore } from '../../src/adapters/store/postgres.ts';
import type { Opened } from './store-samples.ts';

/** Null where there is no PostgreSQL: then the suites that need it are skipped. */
export const serverUrl = inject('databaseUrl');

export interface OpenedPostgres extends Opened {
  readonly store: PostgresStore;
  readonly url: string;
}

let count = 0;

export async function openPostgres(options: Omit<PostgresOptions, 'url'> = {}): Promise<OpenedPostgres> {
  const { url, drop } = await freshDatabase();
  return openAt(url, drop, options);
}

/** A second process's view, as it were: another store on the same database. */
export function openAgain(url: string): Promise<PostgresStore> {
  return openPostgresStore({ url });
}

export async function freshDatabase(server = serverUrl): Promise<{ readonly url: string; drop(): Promise<void> }> {
  if (server === null) throw new Error('there is no PostgreSQL');
  count += 1;
  const name = `chargesim_test_${process.pid}_${count}`;
  await administer(server, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => administer(server, `DROP DATABASE ${name} WITH (FORCE)`) };
}

async function administer(server: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

async function openAt(
  url: string,
  drop: () => Promise<void>,
  options: Omit<PostgresOptions, 'url'>,
): Promise<OpenedPostgres> {
  const store = await openPostgresStore({ ...options, url });
  return {
    store,
    url,
    queue: new SqliteQueue(store),
    async reopen() {
      await store.close();
      return openAt(url, drop, options);
    },
    async close() {
      await store.close();
      await drop();
    },
  };
}
