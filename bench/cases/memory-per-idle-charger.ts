// What one more idle charger takes of memory: the slope between two fleets, so that the processes themselves do not count.

import type { Bench } from '../bench.ts';
import type { BenchCase, Version } from '../bench-case.ts';
import { startFloor } from '../floor.ts';
import { Installation } from '../gateway.ts';
import { anonymousKbOf } from '../readings.ts';
import { Stub } from '../stub.ts';

export const memoryPerIdleCharger = (version: Version): BenchCase => ({
  name: `memory-per-idle-charger-${version}`,
  unit: 'KB',
  limit: { of: 'value', max: 12 },
  deadlineMs: 900_000,

  async floor(bench) {
    const stub = await Stub.start(bench);
    return slope(bench, async (chargers) => {
      const floor = await startFloor(bench, stub, version, chargers);
      const settledKb = await bench.settledMemoryKb(floor.child, anonymousKbOf);
      await floor.stop();
      return settledKb;
    });
  },

  async measure(bench) {
    return memoryKb(bench, version, async (chargers) => new Installation(bench, `memory-${chargers}`));
  },
});

export async function memoryKb(
  bench: Bench,
  version: Version,
  install: (chargers: number) => Promise<Installation>,
): Promise<number> {
  const stub = await Stub.start(bench);
  return slope(bench, async (chargers) => {
    const installation = await install(chargers);
    await installation.stock(stub, version, chargers);
    const gateway = await installation.start();
    const settledKb = await bench.settledMemoryKb(gateway.children, anonymousKbOf);
    await installation.kill(gateway);
    return settledKb;
  });
}

/** Each size in processes of its own: memory that a process once had shows in it for long. */
async function slope({ sizes }: Bench, memoryKb: (chargers: number) => Promise<number>): Promise<number> {
  const { fewerChargers, chargers } = sizes;
  const fewKb = await memoryKb(fewerChargers);
  const manyKb = await memoryKb(chargers);
  return (manyKb - fewKb) / (chargers - fewerChargers);
}
