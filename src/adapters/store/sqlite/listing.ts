// Pages of chargers: kept totals for the plain filters, and a search that goes through the fleet in short turns.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ChargerFilter, ChargerRecord, Page, ProvisioningProgress } from '../../../ports/store.ts';
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
/** So many whole records are read before others have the thread. */
const readPerTurn = 250;
const greaterThanEveryId = '\u{10FFFF}';

/** To read a charger costs as much as so many entries of an index. */
const entriesPerCharger = 20;

type Term = 'locationId' | 'provisioningStatus' | 'ocppVersion' | 'desired';
const terms: Readonly<Record<Term, { readonly column: string; readonly inIndex: readonly Term[] }>> = {
  locationId: { column: 'location_id', inIndex: [] },
  provisioningStatus: { column: 'provisioning_status', inIndex: ['ocppVersion', 'desired'] },
  ocppVersion: { column: 'ocpp_version', inIndex: ['desired'] },
  desired: { column: 'desired', inIndex: [] },
};

export async function listChargers(reader: Reader, rows: ChargerRows, wanted: Wanted): Promise<Page<ChargerRecord>> {
  const search = wanted.filter.search?.toLowerCase() ?? '';
  const totals = keptTotals(reader, wanted);
  if (search !== '') return searchChargers(reader, rows, wanted, search, condition(wanted, totals));
  const total = countIn(totals, wanted.filter);
  const limit = Math.min(wanted.limit, total - wanted.skip);
  // All that there are may be few among many: having found them, it must not look for more.
  if (limit <= 0) return { items: [], total };
  const { where, values } = condition(wanted, totals);
  const found = reader.all(`SELECT ${chargerColumns} FROM chargers WHERE ${where} ORDER BY id DESC LIMIT ? OFFSET ?`, [
    ...values,
    limit,
    wanted.skip,
  ]);
  return { items: found.map((row) => rows.charger(row)), total };
}

/** Every charger of a location, in the order of their ids. */
export async function chargersOfLocation(
  reader: Reader,
  rows: ChargerRows,
  org: string,
  locationId: string,
): Promise<readonly ChargerRecord[]> {
  const sql = `SELECT ${chargerColumns} FROM chargers WHERE org = ? AND location_id = ? AND id > ? ORDER BY id LIMIT ?`;
  const found: ChargerRecord[] = [];
  for (;;) {
    const part = reader.all(sql, [org, locationId, found.at(-1)?.id ?? '', readPerTurn]);
    for (const row of part) found.push(rows.charger(row));
    if (part.length < readPerTurn) return found;
    await nextTurn();
  }
}

export function locationProgress(reader: Reader, org: string, locationId: string): ProvisioningProgress {
  const totals = keptTotals(reader, { org, filter: { locationId } });
  return {
    total: countIn(totals, {}),
    ready: countIn(totals, { provisioningStatus: 'ready' }),
    failed: countIn(totals, { provisioningStatus: 'failed' }),
  };
}

async function searchChargers(
  reader: Reader,
  rows: ChargerRows,
  { org, skip, limit }: Wanted,
  search: string,
  { where, values }: Condition,
): Promise<Page<ChargerRecord>> {
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
      `SELECT id FROM chargers WHERE ${where} AND id < ? AND id >= ?
        AND (instr(identity_lower, ?) > 0 OR instr(name_lower, ?) > 0) ORDER BY id DESC`,
      [...values, below, from ?? '', search, search],
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

/** How many chargers of one version and desired state there are, by their provisioning. */
type KeptTotal = Readonly<Record<'pending' | 'provisioning' | 'ready' | 'failed' | 'total', number>> & {
  readonly version: string;
  readonly desired: string;
};

/** Of an org, or of one of its locations when the filter names one: a handful of rows, whatever the size of the fleet. */
function keptTotals(reader: Reader, { org, filter }: Pick<Wanted, 'org' | 'filter'>): readonly KeptTotal[] {
  const rows = reader.all(
    'SELECT version, desired, pending, provisioning, ready, failed, total FROM charger_totals WHERE org = ? AND location = ?',
    [org, filter.locationId === undefined ? '' : `=${filter.locationId}`],
  );
  return rows.map(([version, desired, pending, provisioning, ready, failed, total]) => ({
    version: String(version),
    desired: String(desired),
    pending: Number(pending),
    provisioning: Number(provisioning),
    ready: Number(ready),
    failed: Number(failed),
    total: Number(total),
  }));
}

function countIn(totals: readonly KeptTotal[], filter: Omit<ChargerFilter, 'locationId' | 'search'>): number {
  const { ocppVersion, desired, provisioningStatus = 'total' } = filter;
  let count = 0;
  for (const one of totals) {
    if (ocppVersion !== undefined && one.version !== ocppVersion) continue;
    if (desired !== undefined && one.desired !== desired) continue;
    count += one[provisioningStatus];
  }
  return count;
}

interface Condition {
  readonly where: string;
  readonly values: readonly string[];
}

function condition({ org, filter }: Wanted, totals: readonly KeptTotal[]): Condition {
  const given = (Object.keys(terms) as readonly Term[]).filter((term) => filter[term] !== undefined);
  const costOf = (term: Term): number => {
    // A location is the smallest part of a fleet.
    if (term === 'locationId') return 0;
    const compared = given.every((other) => other === term || terms[term].inIndex.includes(other));
    return countIn(totals, { [term]: filter[term] }) * (compared ? 1 : entriesPerCharger);
  };
  const [leading] = given.toSorted((one, other) => costOf(one) - costOf(other));
  // The plus keeps SQLite from choosing the index of another term.
  const texts = given.map((term) => `${term === leading ? '' : '+'}${terms[term].column} = ?`);
  return { where: ['org = ?', ...texts].join(' AND '), values: [org, ...given.map((term) => String(filter[term]))] };
}
