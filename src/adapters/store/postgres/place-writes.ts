// What the calls about CPOs, locations and webhooks write.

import { Failure } from '../../../errors.ts';
import type {
  CpoRecord,
  LocationRecord,
  Receipt,
  Store,
  WebhookProgress,
  WebhookRecord,
} from '../../../ports/store.ts';
import { Refused, type Session } from '../../postgres/session.ts';
import { texts } from '../../postgres/values.ts';
import { webhookColumns } from '../sqlite/rows.ts';
import { addChargers, createUntilSure, isThere } from './charger-writes.ts';
import { keepReceipt } from './receipt-writes.ts';
import { alone } from './works.ts';

export type LocationCreation = Parameters<Store['createLocations']>[0];

export const cpoCreation = alone<{ readonly record: CpoRecord; readonly receipt: Receipt | undefined }, null>(
  (session, { record, receipt }) =>
    session.transaction(async () => {
      await keepReceipt(session, receipt);
      await insertCpo(session, record);
      return null;
    }),
  async (session, { record }) => ((await isThere(session, 'cpos', record.id)) ? null : 'again'),
);

/** False while it has locations and when there is none. */
export const cpoDeletion = alone<{ readonly org: string; readonly id: string }, boolean>(
  async (session, { org, id }) => {
    const sql = 'DELETE FROM cpos WHERE org = $1 AND id = $2 AND locations = 0 RETURNING 1';
    return (await session.run(sql, [org, id])).length > 0;
  },
);

export const locationCreation = alone<
  LocationCreation & { readonly receipt: Receipt | undefined },
  { readonly taken: string | null }
>(
  (session, { cpo, locations, chargers, receipt }) =>
    createUntilSure(session, chargers, () =>
      session.transaction(async () => {
        await keepReceipt(session, receipt);
        if (cpo !== undefined) await insertCpo(session, cpo);
        await insertLocations(session, locations);
        return (await addChargers(session, chargers)) ? true : new Refused(false);
      }),
    ),
  async (session, { locations: [first] }) =>
    first !== undefined && (await isThere(session, 'locations', first.id)) ? { taken: null } : 'again',
);

/** False when there is none. */
export const locationDeletion = alone<{ readonly org: string; readonly id: string }, boolean>((session, { org, id }) =>
  session.transaction(async () => {
    const [gone] = await session.run('DELETE FROM locations WHERE org = $1 AND id = $2 RETURNING cpo_id', [org, id]);
    if (gone === undefined) return false;
    const cpoId = String(gone[0]);
    await session.run('UPDATE cpos SET locations = locations - 1 WHERE org = $1 AND id = $2', [org, cpoId]);
    await session.run('UPDATE chargers SET location_id = NULL WHERE org = $1 AND location_id = $2', [org, id]);
    return true;
  }),
);

async function insertCpo(session: Session, record: CpoRecord): Promise<void> {
  const { id, org, name, countryCode, partyId, createdAtMs, updatedAtMs } = record;
  await session.run(
    `INSERT INTO cpos (id, org, name, country_code, party_id, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [id, org, name, countryCode, partyId, createdAtMs, updatedAtMs],
  );
}

async function insertLocations(session: Session, locations: readonly LocationRecord[]): Promise<void> {
  const perCpo = Map.groupBy(locations, ({ org, cpoId }) => JSON.stringify([org, cpoId]));
  // In the same order in every process, so that two of them never wait for each other.
  for (const key of [...perCpo.keys()].toSorted()) {
    const [org, cpoId] = JSON.parse(key);
    const more = perCpo.get(key)?.length ?? 0;
    const sql = 'UPDATE cpos SET locations = locations + $3 WHERE org = $1 AND id = $2 RETURNING 1';
    const found = await session.run(sql, [org, cpoId, more]);
    if (found.length === 0) throw new Failure('store_failed', `there is no CPO ${cpoId} for its location`);
  }
  await session.run(
    `INSERT INTO locations (id, org, cpo_id, name, template, site, created_at, updated_at)
      SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[])`,
    [
      texts(locations.map(({ id }) => id)),
      texts(locations.map(({ org }) => org)),
      texts(locations.map(({ cpoId }) => cpoId)),
      texts(locations.map(({ name }) => name)),
      texts(locations.map(({ template }) => template)),
      texts(locations.map(({ site }) => JSON.stringify(site))),
      locations.map(({ createdAtMs }) => createdAtMs),
      locations.map(({ updatedAtMs }) => updatedAtMs),
    ],
  );
}

export const webhookCreation = alone<{ readonly record: WebhookRecord; readonly receipt: Receipt | undefined }, null>(
  (session, { record, receipt }) =>
    session.transaction(async () => {
      await keepReceipt(session, receipt);
      const { id, org, url, types, chargerId, locationId, secret, createdAtMs, progress } = record;
      const values = [id, org, url, JSON.stringify(types), chargerId, locationId, secret, createdAtMs];
      await session.run(
        `INSERT INTO webhooks (${webhookColumns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
        [...values, ...progressValues(progress)],
      );
      return null;
    }),
  async (session, { record }) => ((await isThere(session, 'webhooks', record.id)) ? null : 'again'),
);

/** False when there is none. */
export const webhookDeletion = alone<{ readonly org: string; readonly id: string }, boolean>(
  async (session, { org, id }) =>
    (await session.run('DELETE FROM webhooks WHERE org = $1 AND id = $2 RETURNING 1', [org, id])).length > 0,
);

export const progressKeeping = alone<{ readonly id: string; readonly progress: WebhookProgress }, null>(
  async (session, { id, progress }) => {
    await session.run(
      `UPDATE webhooks SET state = $2, after_event = $3, failures = $4, failing_since = $5, last_error = $6, delivered_at = $7
        WHERE id = $1`,
      [id, ...progressValues(progress)],
    );
    return null;
  },
  async () => 'again',
);

function progressValues(progress: WebhookProgress): readonly (string | number | null)[] {
  const { state, after, failures, failingSinceMs, lastError, deliveredAtMs } = progress;
  return [state, after, failures, failingSinceMs, lastError, deliveredAtMs];
}
