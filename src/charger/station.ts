// What a charger is built as: its name plate and its outlets. Never changes while it runs; chargers of a kind share the outlets.

import type { Credentials } from './security.ts';

export interface ConnectorSpec {
  readonly evseId: number;
  readonly connectorId: number;
  readonly type: string;
  readonly current: 'AC' | 'DC';
  /** Phases of the supply; 0 for DC. */
  readonly phases: number;
  /** A socket holds the cable with a lock; a fixed cable has none. */
  readonly hasLock: boolean;
  readonly maxPowerW: number;
}

export interface Station {
  readonly identity: string;
  readonly vendorName: string;
  readonly model: string;
  readonly serialNumber: string;
  readonly firmwareVersion: string;
  /** The firmware is not that of the factory any more. */
  readonly isUpdated?: true;
  readonly connectors: readonly ConnectorSpec[];
  /** Shared by all connectors. */
  readonly maxPowerW: number;
  readonly seed: number;
  /** Absent where it was set up without any. */
  readonly credentials?: Credentials;
}

export const withFirmware = (station: Station, firmwareVersion: string): Station => ({
  ...station,
  firmwareVersion,
  isUpdated: true,
});

/** Names an outlet on the station; `outlet` counts from 0 through all connectors. */
export interface ConnectorRef {
  readonly outlet: number;
  readonly evseId: number;
  readonly connectorId: number;
}

export function connectorRef(station: Station, outlet: number): ConnectorRef {
  const { evseId, connectorId } = specOf(station, outlet);
  return { outlet, evseId, connectorId };
}

export function specOf(station: Station, outlet: number): ConnectorSpec {
  const spec = station.connectors[outlet];
  if (spec === undefined) throw new Error(`outlet ${outlet} does not exist on ${station.identity}`);
  return spec;
}

const direct: ReadonlySet<string> = new Set(['CCS1', 'CCS2', 'CHAdeMO']);
const singlePhase: ReadonlySet<string> = new Set(['Type1', 'NACS']);
/** What one phase of 32 A gives. */
const onePhaseMaxW = 7_400;
/** NACS serves both: what an AC outlet can give at most tells which. */
const nacsAcMaxW = 20_000;

/** AC or DC, and on how many phases, as the connector's type and rating tell. */
export function connectorKind(type: string, maxPowerW: number): Pick<ConnectorSpec, 'current' | 'phases'> {
  if (direct.has(type) || (type === 'NACS' && maxPowerW > nacsAcMaxW)) return { current: 'DC', phases: 0 };
  return { current: 'AC', phases: singlePhase.has(type) || maxPowerW <= onePhaseMaxW ? 1 : 3 };
}
