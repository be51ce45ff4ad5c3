// Which chargers a command means: the rules of its target, and who of them can take it.

import { noSuchOutlet, outletOf } from '../commands/addressing.ts';
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
const subsetOnly = 'is valid only together with location_id';

/** Fails when the rules are broken or when what the target names does not exist. */
export async function targetedChargers(store: Store, org: string, target: CommandTarget): Promise<Targeted> {
  const { charger_id, location_id, charger_ids } = target;
  if (charger_ids != null && location_id == null) {
    throw invalid([{ field: 'target.charger_ids', message: subsetOnly }]);
  }
  if (location_id != null && charger_id == null) throw notFound(`location ${location_id} does not exist`);
  if (charger_id == null || location_id != null) {
    throw invalid([{ field: 'target', message: eitherOr }], `invalid target: ${eitherOr}`);
  }
  const charger = await store.charger(org, charger_id);
  if (charger === null) throw notFound(`charger ${charger_id} does not exist`);
  return { chargers: [charger], failed: [] };
}

type Event = Readonly<Record<string, unknown>>;

/** Says why a charger cannot take commands of this kind, or null. */
export function obstacles(command: Command): (charger: ChargerRecord, event: Event) => string | null {
  const { properties } = command.event as { readonly properties?: object };
  const namesConnector = properties !== undefined && 'evse_id' in properties && 'connector_id' in properties;
  return (charger, event) => {
    if (charger.desired === 'stopped') return 'the charger is stopped';
    if (namesConnector && outletOf(charger.layout, versionOf(charger), event) < 0) return noSuchOutlet(event);
    return null;
  };
}
