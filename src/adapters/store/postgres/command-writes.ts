// What becomes of commands without their chargers, and the counters.

import { Failure } from '../../../errors.ts';
import type { Tenure } from '../../../ports/partition.ts';
import type { EndedCommand } from '../../../ports/store.ts';
import type { Statement } from '../../postgres/named-query.ts';
import type { Session } from '../../postgres/session.ts';
import { texts } from '../../postgres/values.ts';
import { endedCommand, queuedColumns } from '../sqlite/rows.ts';
import { alone } from './works.ts';

/** So many are ended, or forgotten, by one write. */
export const commandsPerWrite = 2_000;

/** Of a table that has the location of each command's charger beside it. */
export const endedColumns = `location_id, error_code, error, ${queuedColumns}`;

const interruptCommands: Statement = {
  name: 'interruptCommands',
  text: `WITH ended AS (
      UPDATE commands SET status = 'failed', error_code = 'interrupted', error = 'interrupted by a restart', finished_at = $2
      WHERE finished_at IS NULL AND status = 'running' AND charger_id = ANY ($1::text[]) RETURNING commands.*
    )
    SELECT ${endedColumns} FROM (
      SELECT ended.*, location_id FROM ended LEFT JOIN chargers ON chargers.id = ended.charger_id
    ) AS ended ORDER BY seq`,
};
const holdTenure: Statement = {
  name: 'holdTenure',
  text: 'SELECT 1 FROM partitions WHERE partition = $1 AND epoch = $2 FOR SHARE',
};

export interface Interruption {
  readonly chargerIds: readonly string[];
  readonly atMs: number;
  readonly tenure?: Tenure;
}

export const interruption = alone<Interruption, readonly EndedCommand[]>((session, { chargerIds, atMs, tenure }) =>
  session.transaction(async () => {
    if (tenure !== undefined) {
      const held = await session.run(holdTenure, [tenure.partition, tenure.epoch]);
      if (held.length === 0) throw new Failure('fenced');
    }
    return (await session.run(interruptCommands, [texts(chargerIds), atMs])).map(endedCommand);
  }),
);

const expireCommands: Statement = {
  name: 'expireCommands',
  text: `WITH vain AS (
      SELECT commands.id, location_id, chargers.id IS NULL AS is_gone
      FROM commands LEFT JOIN chargers ON chargers.id = charger_id
      WHERE finished_at IS NULL AND (chargers.id IS NULL OR (desired = 'stopped' AND status = 'queued' AND accepted_at < $1))
      ORDER BY seq LIMIT ${commandsPerWrite} FOR UPDATE OF commands SKIP LOCKED
    ), ended AS (
      UPDATE commands SET status = 'failed', finished_at = $2,
        error_code = CASE WHEN is_gone THEN 'deleted' ELSE 'expired' END,
        error = CASE WHEN is_gone THEN 'the charger was deleted' ELSE 'the charger stayed stopped for too long' END
      FROM vain WHERE commands.id = vain.id RETURNING commands.*, vain.location_id
    )
    SELECT ${endedColumns} FROM ended ORDER BY seq`,
};

export const expiry = alone<{ readonly beforeMs: number; readonly atMs: number }, readonly EndedCommand[]>(
  async (session, { beforeMs, atMs }) => (await session.run(expireCommands, [beforeMs, atMs])).map(endedCommand),
);

const forgetCommands: Statement = {
  name: 'forgetCommands',
  text: forgetting('commands', 'id', 'finished_at'),
};
const forgetReceipts: Statement = {
  name: 'forgetReceipts',
  text: forgetting('receipts', 'org, key', 'at'),
};

/** Answered by how many there were. */
export const commandForgetting = alone<number, number>(
  (session, beforeMs) => forget(session, forgetCommands, beforeMs),
  async () => 'again',
);
export const receiptForgetting = alone<number, number>(
  (session, beforeMs) => forget(session, forgetReceipts, beforeMs),
  async () => 'again',
);

function forgetting(table: string, key: string, at: string): string {
  return `WITH forgotten AS (
      DELETE FROM ${table} WHERE (${key}) IN (
        SELECT ${key} FROM ${table} WHERE ${at} < $1 LIMIT ${commandsPerWrite} FOR UPDATE SKIP LOCKED
      ) RETURNING 1
    ) SELECT count(*) FROM forgotten`;
}

async function forget(session: Session, statement: Statement, beforeMs: number): Promise<number> {
  const [row] = await session.run(statement, [beforeMs]);
  return Number(row?.[0]);
}

const reserveNumbers: Statement = {
  name: 'reserveNumbers',
  text: `INSERT INTO counters (name, next) VALUES ($1, 1 + $2::bigint)
    ON CONFLICT (name) DO UPDATE SET next = counters.next + $2 RETURNING next - $2`,
};

export const reservation = alone<{ readonly name: string; readonly count: number }, number>(
  async (session, { name, count }) => {
    const [row] = await session.run(reserveNumbers, [name, count]);
    return Number(row?.[0]);
  },
  // Those that may have been reserved are lost, which nobody minds.
  async () => 'again',
);

const beginTenure: Statement = {
  name: 'beginTenure',
  text: 'UPDATE partitions SET epoch = $2 WHERE partition = $1 AND epoch < $2 RETURNING 1',
};

export const tenureBeginning = alone<Tenure, boolean>(
  async (session, { partition, epoch }) => (await session.run(beginTenure, [partition, epoch])).length > 0,
  async (session, { partition, epoch }) =>
    (await session.run(holdTenure, [partition, epoch])).length > 0 ? true : 'again',
);
