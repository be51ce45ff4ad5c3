// The data folder belongs to one gateway at a time.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Failure } from '../errors.ts';

/** Takes the folder until the process ends, however it ends: the lock is the operating system's. Returns the way to give it back. */
export function takeDataDir(dataDir: string): () => void {
  let lock: DatabaseSync | null = null;
  try {
    mkdirSync(dataDir, { recursive: true });
    lock = new DatabaseSync(join(dataDir, 'lock'));
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock?.close();
    if (error instanceof Error && /locked|busy/.test(error.message)) {
      throw new Failure(
        'bad_setting',
        `the data folder ${dataDir} is in use by another gateway: stop it, or choose another DATA_DIR`,
      );
    }
    const why = error instanceof Error ? error.message : String(error);
    throw new Failure('bad_setting', `the data folder ${dataDir} cannot be used: ${why}`);
  }
  const taken = lock;
  return () => taken.close();
}
