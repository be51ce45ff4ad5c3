// From the start of the program until it serves, with a whole fleet stored, beside the same with none.

import type { Bench } from '../bench.ts';
import type { BenchCase } from '../bench-case.ts';
import { Installation } from '../gateway.ts';
import { Stub } from '../stub.ts';

export const startUpCpu: BenchCase = {
  name: 'start-up-cpu',
  unit: 's',
  limit: { of: 'value', max: 2 },
  deadlineMs: 300_000,
  floor: async (bench) => (await startUp(bench, 0)).cpuS,
  measure: async (bench) => (await startUp(bench, bench.sizes.chargers)).cpuS,
};

/** Wall time, which depends on what else the machine does: told, never judged. */
export const startUpTime: BenchCase = {
  name: 'start-up-time',
  unit: 's',
  limit: null,
  deadlineMs: 300_000,
  floor: async (bench) => (await startUp(bench, 0)).wallS,
  measure: async (bench) => (await startUp(bench, bench.sizes.chargers)).wallS,
};

async function startUp(bench: Bench, chargers: number): Promise<{ readonly cpuS: number; readonly wallS: number }> {
  const stub = await Stub.start(bench);
  const installation = new Installation(bench, 'fleet');
  if (chargers > 0) await installation.stock(stub, '1.6', chargers);
  // The first start of all writes what later ones find compiled.
  else await installation.kill(await installation.start());
  bench.stage(`starting with ${chargers} chargers`);
  const startedMs = performance.now();
  const { child, url } = await installation.listening();
  await bench.until(async () => (await fetch(`${url}/readyz`, { signal: bench.signal })).ok, 5);
  return { cpuS: bench.cpuMs(child) / 1_000, wallS: (performance.now() - startedMs) / 1_000 };
}
