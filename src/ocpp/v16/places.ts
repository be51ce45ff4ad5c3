// Where on a charger OCPP 1.6 points with a connector id: connectors are counted through from 1, and 0 is the station.

import type { Talk } from '../dialect.ts';

/** The outlet, from 0; null when the charger has none of this number. */
export const outletOf = (connectorId: number, { station }: Talk): number | null =>
  station.connectors[connectorId - 1] === undefined ? null : connectorId - 1;

export const everyOutlet = ({ station }: Talk): readonly number[] => [...station.connectors.keys()];

export function outletsOf(connectorId: number, talk: Talk): readonly number[] {
  const outlet = outletOf(connectorId, talk);
  return outlet === null ? [] : [outlet];
}
