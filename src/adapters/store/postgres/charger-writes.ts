// What the calls about chargers write.

import { partitionOf } from '../../../ports/partition.ts';
import type { ChargerChange, ChargerRecord, EndedCommand, Receipt } from '../../../ports/store.ts';
import type { Statement } from '../../postgres/named-query.ts';
import { Refused, type Session } from '../../postgres/session.ts';
import { texts, type Value } from '../../postgres/values.ts';
import { chargerColumns, endedCommand, type Row } from '../sqlite/rows.ts';
import { endedColumns } from './command-writes.ts';
import { keepReceipt } from './receipt-writes.ts';
import { alone } from './works.ts';

/** So many chargers go in one statement: about 2 ms of this process's time to put them into bytes. */
const chargersPerStatement = 500;

type Column = readonly [name: string, type: 'text' | 'int' | 'bigint' | 'float8', of: (charger: ChargerRecord) => Cell];
type Cell = string | number | null;

const columns: readonly Column[] = [
  ['id', 'text', ({ id }) => id],
  ['partition', 'int', ({ id }) => partitionOf(id)],
  ['org', 'text', ({ org }) => org],
  ['identity', 'text', ({ identity }) => identity],
  ['name', 'text', ({ name }) => name],
  ['vendor_name', 'text', ({ vendorName }) => vendorName],
  ['model', 'text', ({ model }) => model],
  ['model_id', 'text', ({ modelId }) => modelId],
  ['ocpp_version', 'text', ({ ocppVersion }) => ocppVersion],
  ['connector_type', 'text', ({ connectorType }) => connectorType],
  ['max_charging_power_w', 'float8', ({ maxChargingPowerW }) => maxChargingPowerW],
  ['location_id', 'text', ({ locationId }) => locationId],
  ['ws_url', 'text', ({ wsUrl }) => wsUrl],
  ['seed', 'float8', ({ seed }) => seed],
  ['desired', 'text', ({ desired }) => desired],
  ['generation', 'int', ({ generation }) => generation],
  ['provisioning_status', 'text', ({ provisioning }) => provisioning.status],
  ['provisioning_step', 'text', ({ provisioning }) => provisioning.step],
  ['provisioning_attempts', 'int', ({ provisioning }) => provisioning.attempts],
  ['provisioning_error', 'text', ({ provisioning }) => provisioning.error],
  ['provisioning_started_at', 'bigint', ({ provisioning }) => provisioning.startedAtMs],
  ['provisioning_finished_at', 'bigint', ({ provisioning }) => provisioning.finishedAtMs],
  ['created_at', 'bigint', ({ createdAtMs }) => createdAtMs],
  ['updated_at', 'bigint', ({ updatedAtMs }) => updatedAtMs],
  ['identity_lower', 'text', ({ identity }) => identity.toLowerCase()],
  ['name_lower', 'text', ({ name }) => name?.toLowerCase() ?? null],
  ['features', 'text', ({ features }) => JSON.stringify(features)],
  ['layout', 'text', ({ layout }) => JSON.stringify(layout)],
  ['security', 'text', ({ security }) => (security === null ? null : JSON.stringify(security))],
];

const insertChargers: Statement = {
  name: 'insertChargers',
  text: `WITH created AS (
      INSERT INTO chargers (${columns.map(([name]) => name).join(', ')})
      SELECT * FROM unnest(${columns.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ')})
      ON CONFLICT (org, identity) DO NOTHING RETURNING id
    ), remembering AS (INSERT INTO charger_memory (charger) SELECT id FROM created),
      adding AS (INSERT INTO charger_addendum (charger) SELECT id FROM created)
    SELECT count(*) FROM created`,
};
const findIdentities: Statement = {
  name: 'findIdentities',
  text: 'SELECT org, identity FROM chargers JOIN unnest($1::text[], $2::text[]) AS wanted (org, identity) USING (org, identity)',
};

export interface ChargerCreation {
  readonly chargers: readonly ChargerRecord[];
  readonly receipt: Receipt | undefined;
}

export const chargerCreation = alone<ChargerCreation, { readonly taken: string | null }>(
  (session, { chargers, receipt }) =>
    createUntilSure(session, chargers, () =>
      session.transaction(async () => {
        await keepReceipt(session, receipt);
        return (await addChargers(session, chargers)) ? true : new Refused(false);
      }),
    ),
  async (session, { chargers: [first] }) =>
    first !== undefined && (await isThere(session, 'chargers', first.id)) ? { taken: null } : 'again',
);

/** Creates, and when an identity was in the way says which; one that is gone by then was not really in the way. */
export async function createUntilSure(
  session: Session,
  chargers: readonly ChargerRecord[],
  create: () => Promise<boolean>,
): Promise<{ readonly taken: string | null }> {
  for (;;) {
    if (await create()) return { taken: null };
    const taken = await firstTaken(session, chargers);
    if (taken !== null) return { taken };
  }
}

/** False when an identity is taken: then some may have been added and the transaction must be undone. */
export async function addChargers(session: Session, chargers: readonly ChargerRecord[]): Promise<boolean> {
  // In the same order in every process, so that two of them never wait for each other.
  const ordered = chargers.toSorted(
    (one, other) => compare(one.org, other.org) || compare(one.identity, other.identity),
  );
  for (const part of parts(ordered)) {
    const values = columns.map(([, type, of]): Value => {
      const cells = part.map(of);
      return type === 'text' ? texts(cells as (string | null)[]) : (cells as (number | null)[]);
    });
    const [row] = await session.run(insertChargers, values);
    if (Number(row?.[0]) < part.length) return false;
  }
  return true;
}

async function firstTaken(session: Session, chargers: readonly ChargerRecord[]): Promise<string | null> {
  const known = new Set<string>();
  const keyOf = (org: unknown, identity: unknown) => JSON.stringify([org, identity]);
  for (const part of parts(chargers)) {
    const lists = [texts(part.map(({ org }) => org)), texts(part.map(({ identity }) => identity))];
    for (const [org, identity] of await session.run(findIdentities, lists)) known.add(keyOf(org, identity));
  }
  for (const { org, identity } of chargers) {
    const key = keyOf(org, identity);
    if (known.has(key)) return identity;
    known.add(key);
  }
  return null;
}

export interface ChargerAlteration {
  readonly org: string;
  readonly ids: readonly string[];
  readonly change: ChargerChange;
  readonly atMs: number;
  readonly receipt?: Receipt | undefined;
}

/** Answered by the charger's row afterwards, or null when there is none; the receipt is not kept then. */
export const soleChargerChange = alone<ChargerAlteration, Row | null>((session, alteration) =>
  session.transaction(async () => {
    await keepReceipt(session, alteration.receipt);
    const [row] = await session.run(...alterationOf(alteration, `RETURNING ${chargerColumns}`));
    return row ?? new Refused(null);
  }),
);

export const chargerChange = alone<ChargerAlteration, null>((session, alteration) =>
  session.transaction(async () => {
    // Twice in two parts, it would be restarted twice.
    for (const ids of parts([...new Set(alteration.ids)]))
      await session.run(...alterationOf({ ...alteration, ids }, ''));
    return null;
  }),
);

/** In one statement, and so one version of each row, whatever is changed. */
function alterationOf({ org, ids, change, atMs }: ChargerAlteration, returning: string): [string, readonly Value[]] {
  const { name, connectorType, layout, ocppVersion, wsUrl, locationId, desired, restart } = change;
  const values: Value[] = [org, texts(ids), atMs, restart === true ? 1 : 0];
  const fields = Object.entries({
    name,
    name_lower: name === undefined ? undefined : (name?.toLowerCase() ?? null),
    connector_type: connectorType,
    layout: layout === undefined ? undefined : JSON.stringify(layout),
    ocpp_version: ocppVersion,
    ws_url: wsUrl,
    location_id: locationId,
    desired,
  }).flatMap(([column, value]) => (value === undefined ? [] : [`${column} = $${values.push(value)}::text`]));
  const settings = ['updated_at = $3::bigint', 'generation = generation + $4::int', ...fields].join(', ');
  return [`UPDATE chargers SET ${settings} WHERE org = $1 AND id = ANY ($2::text[]) ${returning}`, values];
}

const deleteChargers: Statement = {
  name: 'deleteChargers',
  text: `WITH gone AS (DELETE FROM chargers WHERE org = $1 AND id = ANY ($2::text[]) RETURNING id, location_id),
      forgotten AS (DELETE FROM charger_memory USING gone WHERE charger = gone.id),
      dropped AS (DELETE FROM charger_addendum USING gone WHERE charger = gone.id),
      ended AS (
        UPDATE commands SET status = 'failed', error_code = 'deleted', error = 'the charger was deleted', finished_at = $3
        FROM gone WHERE charger_id = gone.id AND finished_at IS NULL RETURNING commands.*, gone.location_id
      )
    SELECT (SELECT count(*) FROM gone), ${endedColumns} FROM (SELECT 1) AS once LEFT JOIN ended ON true ORDER BY seq`,
};

export interface ChargerDeletion {
  readonly org: string;
  readonly ids: readonly string[];
  readonly atMs: number;
}

export const chargerDeletion = alone<
  ChargerDeletion,
  { readonly deleted: number; readonly ended: readonly EndedCommand[] }
>((session, { org, ids, atMs }) =>
  session.transaction(async () => {
    let deleted = 0;
    const ended: EndedCommand[] = [];
    for (const part of parts(ids)) {
      const rows = await session.run(deleteChargers, [org, texts(part), atMs]);
      deleted += Number(rows[0]?.[0]);
      // Without a command there is one row all the same, for the number.
      for (const [, ...row] of rows) if (row.some((value) => value !== null)) ended.push(endedCommand(row));
    }
    return { deleted, ended };
  }),
);

export async function isThere(session: Session, table: string, id: string): Promise<boolean> {
  return (await session.run(`SELECT 1 FROM ${table} WHERE id = $1`, [id])).length > 0;
}

function* parts<Item>(items: readonly Item[]): Iterable<readonly Item[]> {
  for (let at = 0; at < items.length; at += chargersPerStatement) yield items.slice(at, at + chargersPerStatement);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
