// Puts chargers into the store of a gateway that does not run, through the store port: all of one location.

import type { ChargerRecord, CpoRecord, LocationRecord, Store } from '../src/ports/store.ts';
import { newProvisioning, provisionedStopped } from '../src/provisioning/provisioning.ts';
import type { Version } from './bench-case.ts';

export interface StockOptions {
  readonly version: Version;
  readonly count: number;
  /** Of their CSMSs, in turn. */
  readonly urls: readonly string[];
  /** Whether they run when the gateway starts. */
  readonly running: boolean;
}

const org = 'demo';
const atMs = Date.UTC(2026, 0, 1);
const atOnce = 5_000;

export const locationId = '019a8b1e-0000-7000-9000-000000000001';
export const chargerId = (number: number): string => `019a8b1e-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
export const identityOf = (number: number): string => `BENCH-${number}`;

const cpo: CpoRecord = {
  id: '019a8b1e-0000-7000-a000-000000000001',
  org,
  name: 'Bench',
  countryCode: 'NL',
  partyId: 'BEN',
  createdAtMs: atMs,
  updatedAtMs: atMs,
};

const location: LocationRecord = {
  id: locationId,
  org,
  cpoId: cpo.id,
  name: 'Bench',
  template: 'home-duo',
  site: {},
  createdAtMs: atMs,
  updatedAtMs: atMs,
};

/** Closes it afterwards. */
export async function stockStore(store: Store, options: StockOptions): Promise<void> {
  await store.createLocations({ cpo, locations: [location], chargers: [] });
  for (let from = 0; from < options.count; from += atOnce) {
    const length = Math.min(atOnce, options.count - from);
    await store.createChargers(Array.from({ length }, (_, index) => record(from + index, options)));
  }
  await store.close();
}

function record(number: number, { version, urls, running }: StockOptions): ChargerRecord {
  return {
    id: chargerId(number),
    org,
    identity: identityOf(number),
    name: null,
    vendorName: null,
    model: null,
    ocppVersion: version,
    layout: [{ evseId: 1, connectorId: 1, type: 'Type2', format: 'SOCKET', maxPowerW: 22_000 }],
    connectorType: 'Type2',
    maxChargingPowerW: 22_000,
    locationId,
    wsUrl: urls[number % urls.length] ?? null,
    modelId: null,
    security: null,
    features: [],
    seed: number,
    desired: running ? 'running' : 'stopped',
    generation: 1,
    provisioning: running ? newProvisioning(Date.now()) : provisionedStopped(atMs),
    createdAtMs: atMs,
    updatedAtMs: atMs,
  };
}
