// Which chargers a command means: the rules of its target, and who of them can take it.

import { noSuchOutlet, placeOf } from '../commands/addressing.ts';
import type { Command } from '../commands/command.ts';
import type { ChargerRecord, Store } from '../ports/store.ts';
import { versionOf } from './charger-view.ts';
import type { CommandFailure, CommandTarget } from './command-schema.ts';
import { invalid, notFound } from './problem.ts';

export interface Targeted {
  readonly chargers: readonly ChargerRecord[];
  readonly failed: readonly CommandFailure[];
}

const eitherOr = 'provide either charger_id or location_id, not both';
const oneOnly = 'provide charger_id; this command is for one charger only';
const subsetOnly = 'is valid only together with location_id';

/** Fails when the rules are broken or when what the target names does not exist. */
export async function targetedChargers(store: Store, org: string, target: CommandTarget): Promise<Targeted> {
  const { charger_id, location_id, charger_ids } = target;
  if (charger_ids != null && location_id == null) {
    throw invalid([{ field: 'target.charger_ids', message: subsetOnly }]);
  }
  if ((charger_id == null) === (location_id == null)) {
    throw invalid([{ field: 'target', message: eitherOr }], `invalid target: ${eitherOr}`);
  }
  if (location_id != null) return locationChargers(store, org, location_id, charger_ids ?? null);
  return { chargers: [await oneCharger(store, org, charger_id ?? '')], failed: [] };
}

/** For commands that no location can take. */
export async function singleCharger(store: Store, org: string, target: CommandTarget): Promise<ChargerRecord> {
  if (target.location_id != null || target.charger_ids != null || target.charger_id == null) {
    throw invalid([{ field: 'target', message: oneOnly }], `invalid target: ${oneOnly}`);
  }
  return oneCharger(store, org, target.charger_id);
}

async function oneCharger(store: Store, org: string, id: string): Promise<ChargerRecord> {
  const charger = await store.charger(org, id);
  if (charger === null) throw notFound(`charger ${id} does not exist`);
  return charger;
}

/** All of them, or those named: each counts once, in the order given. */
async function locationChargers(
  store: Store,
  org: string,
  locationId: string,
  ids: readonly string[] | null,
): Promise<Targeted> {
  if ((await store.location(org, locationId)) === null) throw notFound(`location ${locationId} does not exist`);
  if (ids === null) return { chargers: await store.chargersOfLocation(org, locationId), failed: [] };
  const named = [...new Set(ids)];
  const known = new Map((await store.chargers(org, named)).map((charger) => [charger.id, charger]));
  const chargers: ChargerRecord[] = [];
  const failed: CommandFailure[] = [];
  for (const id of named) {
    const charger = known.get(id);
    if (charger === undefined) failed.push({ identity: null, error: `charger ${id} does not exist` });
    else if (charger.locationId === locationId) chargers.push(charger);
    else failed.push({ identity: charger.identity, error: 'the charger is not in this location' });
  }
  return { chargers, failed };
}

type Event = Readonly<Record<string, unknown>>;

/** `0, 0` is the station as a whole; one of them alone is no place at all. */
export function refuseHalfStation({ addresses }: Command, { evse_id, connector_id }: Event): void {
  if (addresses !== 'connector or station' || (evse_id === 0) === (connector_id === 0)) return;
  const field = evse_id === 0 ? 'event.evse_id' : 'event.connector_id';
  throw invalid([{ field, message: 'must be >= 1, unless both are 0' }]);
}

/** Says why a charger cannot take commands of this kind, or null. */
export function obstacles(command: Command): (charger: ChargerRecord, event: Event) => string | null {
  return (charger, event) => {
    if (charger.desired === 'stopped') return 'the charger is stopped';
    const place = placeOf(command.addresses, charger.layout, versionOf(charger), event);
    return place === undefined ? noSuchOutlet(event) : null;
  };
}
