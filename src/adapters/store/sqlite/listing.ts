// Pages of chargers: kept totals for the plain filters, and a search that goes through the fleet in short turns.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ChargerFilter, ChargerRecord, Page } from '../../../ports/store.ts';
import type { Reader } from './reader.ts';
import { type ChargerRows, chargerColumns } from './rows.ts';

/** Which chargers of an org, and which part of them. */
interface Wanted {
  readonly org: string;
  readonly filter: ChargerFilter;
  readonly skip: number;
  readonly limit: number;
}

/** A search looks at so many chargers before it lets others have the thread. */
const searchedPerTurn = 2_000;
const greaterThanEveryId = '\u{10FFFF}';

const asColumns = { locationId: 'location_id = ?', ocppVersion: 'ocpp_version = ?', desired: 'desired = ?' };
const asTotals = { locationId: 'location = quote(?)', ocppVersion: 'version = quote(?)', desired: 'desired = ?' };

export async function listChargers(reader: Reader, rows: ChargerRows, wanted: Wanted): Promise<Page<ChargerRecord>> {
  const search = wanted.filter.search?.toLowerCase() ?? '';
  if (search !== '') return searchChargers(reader, rows, wanted, search);
  const { where, values } = condition(wanted, asColumns);
  const found = reader.all(`SELECT ${chargerColumns} FROM chargers WHERE ${where} ORDER BY id DESC LIMIT ? OFFSET ?`, [
    ...values,
    wanted.limit,
    wanted.skip,
  ]);
  return { items: found.map((row) => rows.charger(row)), total: keptTotal(reader, wanted) };
}

async function searchChargers(
  reader: Reader,
  rows: ChargerRows,
  wanted: Wanted,
  search: string,
): Promise<Page<ChargerRecord>> {
  const { org, skip, limit } = wanted;
  const { where, values } = condition(wanted, asColumns);
  const ids: string[] = [];
  let total = 0;
  let below: string | null = greaterThanEveryId;
  while (below !== null) {
    const last = reader.get('SELECT id FROM chargers WHERE org = ? AND id < ? ORDER BY id DESC LIMIT 1 OFFSET ?', [
      org,
      below,
      searchedPerTurn - 1,
    ]);
    const from: string | null = last === undefined ? null : String(last[0]);
    // `instr` takes the text as it is: no character of it is a wildcard.
    const matches = reader.all(
      `SELECT id FROM chargers WHERE ${where} AND id < ? AND id >= ? AND instr(search_text, ?) > 0 ORDER BY id DESC`,
      [...values, below, from ?? '', search],
    );
    for (const [id] of matches) {
      if (total >= skip && ids.length < limit) ids.push(String(id));
      total += 1;
    }
    below = from;
    if (below !== null) await nextTurn();
  }
  const found = reader.all(
    `SELECT ${chargerColumns} FROM chargers WHERE org = ? AND id IN (SELECT value FROM json_each(?)) ORDER BY id DESC`,
    [org, JSON.stringify(ids)],
  );
  return { items: found.map((row) => rows.charger(row)), total };
}

function keptTotal(reader: Reader, wanted: Wanted): number {
  const { where, values } = condition(wanted, asTotals);
  const row = reader.get(`SELECT coalesce(sum(total), 0) FROM charger_totals WHERE ${where}`, values);
  return Number(row?.[0]);
}

function condition(
  wanted: Wanted,
  words: typeof asColumns,
): { readonly where: string; readonly values: readonly string[] } {
  const terms = ['org = ?'];
  const values = [wanted.org];
  for (const key of ['locationId', 'ocppVersion', 'desired'] as const) {
    const value = wanted.filter[key];
    if (value === undefined) continue;
    // A location is the smallest part of a fleet: the plus keeps SQLite from choosing the index of another term.
    terms.push(key !== 'locationId' && wanted.filter.locationId !== undefined ? `+${words[key]}` : words[key]);
    values.push(value);
  }
  return { where: terms.join(' AND '), values };
}
