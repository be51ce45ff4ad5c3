// Opens the SQLite store and its queue in a folder of their own for the contract suites.

import { mkdtemp, rm } from 'node:fs/promises';
import { enableCompileCache } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteQueue } from '../../src/adapters/queue/sqlite.ts';
import { openSqliteStore, type SqliteOptions } from '../../src/adapters/store/sqlite.ts';
import type { Opened } from './store-samples.ts';

// Each store that writes much starts a thread of its own.
enableCompileCache();

export async function openSqlite(options: Omit<SqliteOptions, 'path'> = {}): Promise<Opened> {
  const folder = await mkdtemp(join(tmpdir(), 'store-'));
  return openIn(folder, options);
}

async function openIn(folder: string, options: Omit<SqliteOptions, 'path'>): Promise<Opened> {
  const store = await openSqliteStore({ ...options, path: join(folder, 'gateway.db') });
  return {
    store,
    queue: new SqliteQueue(store),
    async reopen() {
      await store.close();
      return openIn(folder, options);
    },
    async close() {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}
