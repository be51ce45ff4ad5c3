// Connectors that share an EVSE: it serves one of them at a time.

import { type Charger, connectorAt, named, type Refusal, refuse } from './charger.ts';
import { specOf } from './station.ts';

/** Another connector of the same EVSE that has a car. */
export function siblingInUse(charger: Charger, outlet: number): number | null {
  const { evseId } = specOf(charger.station, outlet);
  const sibling = charger.station.connectors.findIndex(
    (other, index) => index !== outlet && other.evseId === evseId && connectorAt(charger, index).ev !== null,
  );
  return sibling < 0 ? null : sibling;
}

export const inUse = (charger: Charger, sibling: number): Refusal =>
  refuse('evse_in_use', `${named(charger, sibling)} is in use, and an EVSE serves one connector at a time`);
