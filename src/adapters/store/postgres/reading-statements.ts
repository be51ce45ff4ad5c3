// What is read by a key or a list of keys.

import type { Statement } from '../../postgres/named-query.ts';
import { chargerColumns, commandColumns, memberColumns, queuedColumns, receiptColumns } from '../sqlite/rows.ts';

const members = `chargers JOIN charger_memory ON charger_memory.charger = chargers.id
    JOIN charger_addendum ON charger_addendum.charger = chargers.id`;
const behind = 'chargers.id > $1 AND charger_memory.charger > $1 AND charger_addendum.charger > $1';

const statements = {
  charger: `SELECT ${chargerColumns} FROM chargers WHERE id = $1 AND org = $2`,
  chargerByIdentity: `SELECT ${chargerColumns} FROM chargers WHERE org = $1 AND identity = $2`,
  chargers: `SELECT ${chargerColumns} FROM chargers WHERE org = $1 AND id = ANY ($2::text[])`,
  member: `SELECT ${memberColumns} FROM ${members} WHERE chargers.id = $1`,
  // Said of all, or the planner begins with the first memory for every page.
  membersAfter: `SELECT ${memberColumns} FROM ${members}
    WHERE ${behind} ORDER BY chargers.id LIMIT $2`,
  partitionAfter: `SELECT ${memberColumns} FROM ${members}
    WHERE partition = $3 AND ${behind} ORDER BY chargers.id LIMIT $2`,
  command: `SELECT ${commandColumns} FROM commands WHERE id = $1 AND org = $2`,
  receipt: `SELECT ${receiptColumns} FROM receipts WHERE org = $1 AND key = $2`,
  pending: `SELECT ${queuedColumns} FROM commands
    WHERE finished_at IS NULL AND status = 'queued' AND charger_id = ANY ($1::text[]) AND id <> ALL ($2::text[]) ORDER BY seq`,
  waiting: `SELECT id, charger_id FROM commands WHERE status = 'queued' AND partition = ANY ($1::smallint[])`,
  crowded: `SELECT charger_id FROM commands
    WHERE finished_at IS NULL AND charger_id = ANY ($1::text[]) GROUP BY charger_id HAVING count(*) >= $2`,
} as const;

export type ReadingName = keyof typeof statements;

/** What is found by one key is prepared once on each connection; a list is planned each time, for as many as there are in it. */
const isPrepared: ReadonlySet<ReadingName> = new Set(['charger', 'chargerByIdentity', 'member', 'command', 'receipt']);

export function reading(name: ReadingName): string | Statement {
  return isPrepared.has(name) ? { name, text: statements[name] } : statements[name];
}
