// Which outlet a command means: `evse_id` and `connector_id` as each OCPP version counts them.

import type { Addresses } from './command.ts';

interface Address {
  readonly evse_id?: number | null;
  readonly connector_id?: number | null;
}

interface Outlet {
  readonly evseId: number;
  readonly connectorId: number;
}

/** 1.6 knows no EVSEs and counts its outlets through, so `{n, 1}` and `{1, n}` both mean the nth. */
const countedThrough: Readonly<Record<string, boolean>> = { '1.6': true };

/** The position of the outlet, from 0; -1 when the charger has no such outlet. */
export function outletOf(outlets: readonly Outlet[], ocppVersion: string, event: Address): number {
  const evseId = event.evse_id ?? 1;
  const connectorId = event.connector_id ?? 1;
  const exact = outlets.findIndex((outlet) => outlet.evseId === evseId && outlet.connectorId === connectorId);
  if (exact >= 0 || !countedThrough[ocppVersion] || (evseId !== 1 && connectorId !== 1)) return exact;
  const counted = Math.max(evseId, connectorId) - 1;
  return counted < outlets.length ? counted : -1;
}

/** The place that an event names, as its command takes it; undefined when the charger has no such place. */
export function placeOf(
  addresses: Addresses,
  outlets: readonly Outlet[],
  ocppVersion: string,
  event: Address,
): number | null | undefined {
  const isStation = event.evse_id === 0 && event.connector_id === 0;
  const namesNone = event.evse_id == null && event.connector_id == null;
  if (addresses === 'charger') return null;
  if (addresses === 'connector or station' && isStation) return null;
  if (addresses === 'any connector' && namesNone) return null;
  const outlet = outletOf(outlets, ocppVersion, event);
  return outlet < 0 ? undefined : outlet;
}

export const noSuchOutlet = (event: Address): string =>
  `the charger has no connector ${event.connector_id ?? 1} on EVSE ${event.evse_id ?? 1}`;
