// The CPU time of listing a page of 20 chargers: of many, beside the same page of few.

import { openSqliteStore } from '../../src/adapters/store/sqlite.ts';
import type { ChargerRecord } from '../../src/ports/store.ts';
import { provisionedStopped } from '../../src/provisioning/provisioning.ts';
import type { Bench } from '../bench.ts';
import type { BenchCase } from '../bench-case.ts';
import { Installation } from '../gateway.ts';
import { Stub } from '../stub.ts';

const few = 500;
/** Five times the fleets of the other cases: 50 000 unless told otherwise. */
const manyTimes = 5;
const requests = 2_000;
const atOnce = 8;
const createdAtMs = Date.UTC(2026, 0, 1);

export const cpuPerListedPage: BenchCase = {
  name: 'cpu-per-listed-page',
  unit: 'µs',
  limit: { of: 'ratio', max: 2 },
  deadlineMs: 300_000,
  floor: (bench) => pageCpu(bench, few),
  measure: (bench) => pageCpu(bench, bench.sizes.chargers * manyTimes),
};

async function pageCpu(bench: Bench, chargers: number): Promise<number> {
  const stub = await Stub.start(bench);
  const installation = new Installation(bench, stub, '1.6', `stored-${chargers}`);
  bench.stage(`storing ${chargers} chargers`);
  const store = await openSqliteStore({ path: installation.databasePath });
  for (let from = 0; from < chargers; from += 5_000) {
    const count = Math.min(5_000, chargers - from);
    await store.createChargers(Array.from({ length: count }, (_, index) => stopped(from + index)));
  }
  await store.close();
  const gateway = await installation.start();
  await installation.list(gateway, requests / 10, atOnce);
  bench.stage(`listing them ${requests} times`);
  const before = bench.cpuMs(gateway.child);
  await installation.list(gateway, requests, atOnce);
  return ((bench.cpuMs(gateway.child) - before) * 1_000) / requests;
}

/** A charger that does not run: only what is stored counts here. */
function stopped(number: number): ChargerRecord {
  const serial = number.toString(16).padStart(12, '0');
  return {
    id: `019a8b1e-0000-7000-8000-${serial}`,
    org: 'demo',
    identity: `BENCH-${number}`,
    name: `Charger ${number}`,
    vendorName: null,
    model: null,
    ocppVersion: '1.6',
    layout: [{ evseId: 1, connectorId: 1, type: 'Type2', format: 'SOCKET', maxPowerW: 22_000 }],
    connectorType: 'Type2',
    maxChargingPowerW: 22_000,
    locationId: null,
    wsUrl: null,
    modelId: null,
    security: null,
    features: [],
    seed: number,
    desired: 'stopped',
    generation: 1,
    provisioning: provisionedStopped(createdAtMs),
    createdAtMs,
    updatedAtMs: createdAtMs,
  };
}
