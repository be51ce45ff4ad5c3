// Pages of commands, and which chargers have too many waiting.

import type { CommandFilter, CommandRecord, Page } from '../../../ports/store.ts';
import type { Reader } from './reader.ts';
import { commandColumns, commandRecord } from './rows.ts';

/** Which commands of an org, and which part of them. */
interface Wanted {
  readonly org: string;
  readonly filter: CommandFilter;
  readonly skip: number;
  readonly limit: number;
}

/** Newest first. */
export function listCommands(reader: Reader, { org, filter, skip, limit }: Wanted): Page<CommandRecord> {
  const { chargerId, status } = filter;
  const terms = ['org = ?'];
  const values = [org];
  if (chargerId !== undefined) {
    // The plus keeps SQLite from going through all commands of the org instead.
    terms[0] = '+org = ?';
    terms.push('charger_id = ?');
    values.push(chargerId);
  }
  if (status !== undefined) {
    terms.push('status = ?');
    values.push(status);
    // These are few, and have an index of their own.
    if (status === 'queued' || status === 'running') terms.push('finished_at IS NULL');
  }
  const where = terms.join(' AND ');
  const total = Number(reader.get(`SELECT count(*) FROM commands WHERE ${where}`, values)?.[0]);
  if (skip >= total) return { items: [], total };
  const page = `SELECT ${commandColumns} FROM commands WHERE ${where} ORDER BY seq DESC LIMIT ? OFFSET ?`;
  return { items: reader.all(page, [...values, limit, skip]).map(commandRecord), total };
}

export async function crowdedChargers(
  reader: Reader,
  chargerIds: readonly string[],
  depth: number,
): Promise<ReadonlySet<string>> {
  const [only, another] = chargerIds;
  if (only !== undefined && another === undefined) {
    const sole = 'SELECT count(*) FROM commands WHERE charger_id = ? AND finished_at IS NULL';
    return new Set(Number(reader.get(sole, [only])?.[0]) >= depth ? [only] : []);
  }
  const sql = `SELECT charger_id FROM commands WHERE finished_at IS NULL AND charger_id IN (SELECT value FROM json_each(?2))
    GROUP BY charger_id HAVING count(*) >= ?1`;
  return new Set((await reader.allOf(sql, [depth], chargerIds)).map(([id]) => String(id)));
}
