// A stored location with its chargers, as OCPI tells of it.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Ask, Statuses } from '../ports/ask.ts';
import type { ChargerRecord, CpoRecord, LocationRecord } from '../ports/store.ts';
import type { Site } from '../templates/location-templates.ts';
import { type OcpiCharger, type OcpiLocation, ocpiLocation } from '../templates/ocpi-location.ts';
import { versionOf } from './charger-view.ts';

export interface WholeLocation {
  readonly location: LocationRecord;
  readonly chargers: readonly ChargerRecord[];
}

/** As they are right now: their chargers are asked, all together. */
export async function liveViews(
  ask: Ask,
  cpo: CpoRecord,
  locations: readonly WholeLocation[],
): Promise<readonly OcpiLocation[]> {
  // Of those that no CSMS has accepted yet nothing needs to be asked.
  const ids = locations.flatMap(({ chargers }) => chargers.filter(isReady).map(({ id }) => id));
  const statuses: ReadonlyMap<string, Statuses> = ids.length === 0 ? new Map() : await ask.statuses(ids);
  const views: OcpiLocation[] = [];
  for (const each of locations) {
    // A page of large ones is no reason for others to wait.
    if (views.length > 0) await nextTurn();
    views.push(locationView(cpo, each, statuses));
  }
  return views;
}

export function locationView(
  cpo: CpoRecord,
  { location, chargers }: WholeLocation,
  statuses: ReadonlyMap<string, Statuses>,
): OcpiLocation {
  return ocpiLocation({
    id: location.id,
    name: location.name,
    // Stored as the template had it.
    site: location.site as unknown as Site,
    operator: { name: cpo.name, countryCode: cpo.countryCode, partyId: cpo.partyId },
    chargers: chargers.map((record) => ocpiCharger(record, statuses.get(record.id))),
    updatedAtMs: location.updatedAtMs,
  });
}

const isReady = ({ provisioning }: ChargerRecord): boolean => provisioning.status === 'ready';

function ocpiCharger(record: ChargerRecord, statuses: Statuses | undefined): OcpiCharger {
  const { id, identity, layout, updatedAtMs } = record;
  const reachable = statuses === undefined ? 'unknown' : 'live';
  return {
    id,
    identity,
    ocppVersion: versionOf(record),
    layout,
    state: isReady(record) ? reachable : 'planned',
    statuses: statuses ?? [],
    updatedAtMs,
  };
}
