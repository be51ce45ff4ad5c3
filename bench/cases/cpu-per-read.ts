// The CPU time of reading a page of the list, or one charger's live state: in a large fleet, beside the same in a small one.

import type { Bench } from '../bench.ts';
import type { BenchCase } from '../bench-case.ts';
import { type Gateway, Installation } from '../gateway.ts';
import { identityOf } from '../stock.ts';
import { Stub } from '../stub.ts';

const limit = { of: 'ratio', max: 2 } as const;
const deadlineMs = 300_000;
const atOnce = 8;

const fewStored = 500;
/** Five times the fleets of the other cases: 50 000 unless told otherwise. They need not run to be listed. */
const manyTimes = 5;

export const cpuPerListedPage: BenchCase = {
  name: 'cpu-per-listed-page',
  unit: 'µs',
  limit,
  deadlineMs,
  floor: (bench) => pageUs(bench, fewStored),
  measure: (bench) => pageUs(bench, bench.sizes.chargers * manyTimes),
};

export const cpuPerLiveState: BenchCase = {
  name: 'cpu-per-live-state',
  unit: 'µs',
  limit,
  deadlineMs,
  floor: (bench) => liveStateUs(bench, Math.ceil(bench.sizes.chargers / 20)),
  measure: (bench) => liveStateUs(bench, bench.sizes.chargers),
};

async function pageUs(bench: Bench, chargers: number): Promise<number> {
  const installation = new Installation(bench, 'stored');
  await installation.store(chargers);
  return readUs(bench, await installation.start(), () => '/ocpp/chargers?limit=20');
}

async function liveStateUs(bench: Bench, chargers: number): Promise<number> {
  const stub = await Stub.start(bench);
  const installation = new Installation(bench, 'running');
  await installation.stock(stub, '1.6', chargers);
  const gateway = await installation.start();
  return readUs(bench, gateway, (number) => `/ocpp/simulators/${identityOf(number % chargers)}`);
}

async function readUs(bench: Bench, gateway: Gateway, path: (number: number) => string): Promise<number> {
  const { requests } = bench.sizes;
  const read = async (count: number): Promise<void> => {
    let number = 0;
    const work = Array.from({ length: atOnce }, async () => {
      while (number < count) await gateway.get(path(number++));
    });
    await Promise.all(work);
  };
  await read(requests / 5);
  bench.stage(`reading ${requests} times`);
  return ((await bench.cpuMsDuring(gateway.child, () => read(requests))) * 1_000) / requests;
}
