// How the database file is opened, the same on the gateway's own thread and on the writing thread.

import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export interface SqliteLocation {
  /** A file, or `:memory:` for a store that ends with the process. */
  readonly path: string;
  /** `normal` survives a crash of the process, `full` a power cut too. */
  readonly synchronous: 'normal' | 'full';
}

const inMemory = ':memory:';
// Only one thread writes at a time, so nobody waits for the lock unless a person has the file open.
const lockTimeoutMs = 5_000;
const cacheKib = 8_192;
// After a burst the write-ahead log shrinks to this when it is next begun anew.
const logBytesKept = 64 * 1_024 * 1_024;

export function isInMemory(location: SqliteLocation): boolean {
  return location.path === inMemory;
}

export function connect(location: SqliteLocation): DatabaseSync {
  if (!isInMemory(location)) prepareFile(location.path);
  const database = new DatabaseSync(location.path, { timeout: lockTimeoutMs });
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = ${location.synchronous === 'full' ? 'FULL' : 'NORMAL'};
    PRAGMA wal_autocheckpoint = 0;
    PRAGMA journal_size_limit = ${logBytesKept};
    PRAGMA cache_size = -${cacheKib};
    PRAGMA temp_store = MEMORY;
  `);
  return database;
}

// Chargers keep passwords in their memory: the file is for its owner alone, and SQLite gives its companions the same rights.
function prepareFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  closeSync(openSync(path, 'a', 0o600));
}
