// Pages of chargers and commands: kept totals where there may be many to count, counting where there are few.

import type {
  ChargerFilter,
  ChargerRecord,
  CommandFilter,
  CommandRecord,
  Page,
  ProvisioningProgress,
} from '../../../ports/store.ts';
import type { Reader } from '../../postgres/reader.ts';
import { type ChargerRows, chargerColumns, commandColumns, commandRecord } from '../sqlite/rows.ts';

interface Part {
  readonly org: string;
  readonly page: number;
  readonly limit: number;
}

/** What is asked for, as a condition with its values. */
class Condition {
  readonly values: (string | number)[] = [];
  readonly #terms: string[] = [];

  /** Nothing when there is no value. */
  add(term: (place: string) => string, value: string | undefined): this {
    if (value !== undefined) this.#terms.push(term(`$${this.values.push(value)}`));
    return this;
  }

  get where(): string {
    return this.#terms.join(' AND ');
  }
}

export async function listChargers(
  reader: Reader,
  rows: ChargerRows,
  filter: ChargerFilter,
  { org, page, limit }: Part,
): Promise<Page<ChargerRecord>> {
  const search = filter.search === undefined || filter.search === '' ? undefined : filter.search.toLowerCase();
  const condition = new Condition()
    .add((place) => `org = ${place}`, org)
    .add((place) => `location_id = ${place}`, filter.locationId)
    .add((place) => `provisioning_status = ${place}`, filter.provisioningStatus)
    .add((place) => `ocpp_version = ${place}`, filter.ocppVersion)
    .add((place) => `desired = ${place}`, filter.desired)
    // This takes the text as it is: no character of it is a wildcard.
    .add((place) => `(strpos(identity_lower, ${place}) > 0 OR strpos(name_lower, ${place}) > 0)`, search);
  const isCounted = search !== undefined || filter.locationId !== undefined;
  const total = await (isCounted ? count(reader, 'chargers', condition) : keptTotal(reader, org, filter));
  // All that there are may be few among many: having found them, it must not look for more.
  const left = Math.min(limit, total - (page - 1) * limit);
  if (left <= 0) return { items: [], total };
  const sql = pageOf(`SELECT ${chargerColumns} FROM chargers`, condition, 'id', (page - 1) * limit, left);
  const items = await reader.all(sql, condition.values);
  return { items: items.map((row) => rows.charger(row)), total };
}

export async function listCommands(
  reader: Reader,
  filter: CommandFilter,
  { org, page, limit }: Part,
): Promise<Page<CommandRecord>> {
  const condition = new Condition()
    .add((place) => `org = ${place}`, org)
    .add((place) => `charger_id = ${place}`, filter.chargerId)
    // Said in full for the planner, which then finds them among the few that have not ended.
    .add((place) => `status = ${place}${isOpen(filter) ? ' AND finished_at IS NULL' : ''}`, filter.status);
  const [items, total] = await Promise.all([
    reader.all(
      pageOf(`SELECT ${commandColumns} FROM commands`, condition, 'seq', (page - 1) * limit, limit),
      condition.values,
    ),
    count(reader, 'commands', condition),
  ]);
  return { items: items.map(commandRecord), total };
}

export async function locationProgress(reader: Reader, org: string, id: string): Promise<ProvisioningProgress> {
  const row = await reader.get(
    `SELECT count(*), count(*) FILTER (WHERE provisioning_status = 'ready'), count(*) FILTER (WHERE provisioning_status = 'failed')
      FROM chargers WHERE org = $1 AND location_id = $2`,
    [org, id],
  );
  return { total: Number(row?.[0]), ready: Number(row?.[1]), failed: Number(row?.[2]) };
}

/** Newest first. */
function pageOf(selection: string, { where }: Condition, order: 'id' | 'seq', skip: number, limit: number): string {
  return `${selection} WHERE ${where} ORDER BY ${order} DESC LIMIT ${Math.trunc(limit)} OFFSET ${Math.trunc(skip)}`;
}

function isOpen({ status }: CommandFilter): boolean {
  return status === 'queued' || status === 'running';
}

async function count(reader: Reader, table: string, { where, values }: Condition): Promise<number> {
  const row = await reader.get(`SELECT count(*) FROM ${table} WHERE ${where}`, values);
  return Number(row?.[0]);
}

async function keptTotal(
  reader: Reader,
  org: string,
  { ocppVersion, desired, provisioningStatus }: ChargerFilter,
): Promise<number> {
  const condition = new Condition()
    .add((place) => `org = ${place}`, org)
    .add((place) => `version = ${place}`, ocppVersion)
    .add((place) => `desired = ${place}`, desired)
    .add((place) => `status = ${place}`, provisioningStatus);
  const sql = `SELECT coalesce(sum(difference), 0) FROM charger_totals WHERE ${condition.where}`;
  return Number((await reader.get(sql, condition.values))?.[0]);
}
