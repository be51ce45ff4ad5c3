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

const statuses = ['queued', 'running', 'succeeded', 'failed'] as const;

/** Newest first. */
export function listCommands(reader: Reader, { org, filter, skip, limit }: Wanted): Page<CommandRecord> {
  const { chargerId, status } = filter;
  const where = chargerId === undefined ? 'org = ?' : 'charger_id = ? AND +org = ?';
  const values = [...(chargerId === undefined ? [] : [chargerId]), org];
  const ofStatus = status === undefined ? '' : ' AND status = ?';
  const given = [...values, ...(status === undefined ? [] : [status])];
  const total = Number(reader.get(`SELECT count(*) FROM commands WHERE ${where}${ofStatus}`, given)?.[0]);
  if (skip >= total) return { items: [], total };
  // The index has each status by itself in order of acceptance, so the newest of all are among the newest of each.
  const each = chargerId === undefined && status === undefined ? statuses : null;
  const newest =
    each === null
      ? `SELECT seq FROM commands WHERE ${where}${ofStatus} ORDER BY seq DESC LIMIT ?`
      : each
          .map(
            (word) =>
              `SELECT * FROM (SELECT seq FROM commands WHERE org = ? AND status = '${word}' ORDER BY seq DESC LIMIT ?)`,
          )
          .join(' UNION ALL ');
  const bounds = each === null ? [...given, skip + limit] : each.flatMap(() => [org, skip + limit]);
  const rows = reader.all(
    `SELECT ${commandColumns} FROM commands WHERE seq IN (SELECT seq FROM (${newest}) ORDER BY seq DESC LIMIT ? OFFSET ?) ORDER BY seq DESC`,
    [...bounds, limit, skip],
  );
  return { items: rows.map(commandRecord), total };
}

export async function crowdedChargers(
  reader: Reader,
  chargerIds: readonly string[],
  depth: number,
): Promise<ReadonlySet<string>> {
  const sql = `SELECT charger_id FROM commands WHERE finished_at IS NULL AND charger_id IN (SELECT value FROM json_each(?2))
    GROUP BY charger_id HAVING count(*) >= ?1`;
  return new Set((await reader.allOf(sql, [depth], chargerIds)).map(([id]) => String(id)));
}
