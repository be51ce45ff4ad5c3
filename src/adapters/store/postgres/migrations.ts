// The shape of the PostgreSQL database as numbered steps; a step that was released never changes, a new one is added below it.

import { Failure } from '../../../errors.ts';
import type { Session } from '../../postgres/session.ts';
import { logSchema } from './log-schema.ts';
import { schema } from './schema.ts';

export interface Migration {
  readonly version: number;
  /**
   * The oldest version whose programs can go on with the database after this step. During an upgrade old and new processes run
   * side by side: a step that only adds (tables, columns with a default, indexes) leaves this as it was.
   */
  readonly worksWith: number;
  readonly sql: string;
}

export const migrations: readonly Migration[] = [
  { version: 1, worksWith: 1, sql: schema },
  { version: 2, worksWith: 1, sql: logSchema },
];

// Any number: the same in every process of the product, so that one at a time looks and changes.
const migrationLock = 4_207_849_484;

const oldestServer = 14;

/** What the statements need: a way to wait for the end of another connection, and texts with any character. */
export async function checkServer(session: Session): Promise<void> {
  const [row] = await session.run(
    `SELECT current_setting('server_version_num')::int / 10000, current_setting('server_encoding')`,
  );
  const [version, encoding] = [Number(row?.[0]), String(row?.[1])];
  if (version < oldestServer) {
    throw new Failure(
      'store_failed',
      `PostgreSQL ${oldestServer} or newer is needed, and the server is of version ${version}`,
    );
  }
  if (encoding !== 'UTF8')
    throw new Failure('store_failed', `the database must have the encoding UTF8, and has ${encoding}`);
}

/** Brings the database to the newest version, whole or not at all; many processes may ask for it at once. */
export async function migrate(session: Session, steps: readonly Migration[] = migrations): Promise<void> {
  await session.transaction(async () => {
    await session.run('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
    await session.run('CREATE TABLE IF NOT EXISTS migrations (version int PRIMARY KEY, works_with int NOT NULL)');
    const [newest] = await session.run('SELECT version, works_with FROM migrations ORDER BY version DESC LIMIT 1');
    const [found, worksWith] = [Number(newest?.[0] ?? 0), Number(newest?.[1] ?? 0)];
    const known = steps.at(-1)?.version ?? 0;
    if (worksWith > known) {
      throw new Failure(
        'store_failed',
        `the database is of version ${found}, for programs that know ${worksWith}, and this one knows only up to ${known}: run a newer version of it`,
      );
    }
    for (const { version, worksWith: since, sql } of steps) {
      if (version <= found) continue;
      await session.script(sql);
      await session.run('INSERT INTO migrations (version, works_with) VALUES ($1, $2)', [version, since]);
    }
  });
}
