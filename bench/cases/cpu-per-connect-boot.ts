// The CPU time of one charger's way to its CSMS: connection, BootNotification, a StatusNotification for each connector.

import type { Bench, CpuUse } from '../bench.ts';
import type { BenchCase, Version } from '../bench-case.ts';
import { startFloor } from '../floor.ts';
import { type Gateway, Installation } from '../gateway.ts';
import { Stub } from '../stub.ts';

export const cpuPerConnectBoot = (version: Version): BenchCase => ({
  name: `cpu-per-connect-boot-${version}`,
  unit: 'µs',
  limit: { of: 'ratio', max: 1.5 },
  deadlineMs: 300_000,

  async floor(bench) {
    const { chargers } = bench.sizes;
    const stub = await Stub.start(bench);
    const since = await stub.counts();
    const floor = await startFloor(bench, stub, version, chargers);
    bench.bytesPerCall = await stub.bytesPerCall(since);
    return (floor.bootCpuMs * 1_000) / chargers;
  },

  measure: (bench) => bootUs(bench, version, async (name) => new Installation(bench, name)),
});

/** A start with them, less one without. */
export async function bootUs(
  bench: Bench,
  version: Version,
  install: (name: string) => Promise<Installation>,
): Promise<number> {
  const { chargers } = bench.sizes;
  const stub = await Stub.start(bench);
  const empty = await install('empty');
  const { gateway: withoutAny, ...less } = await startUse(bench, empty);
  await empty.kill(withoutAny);
  const stocked = await install('stocked');
  await stocked.stock(stub, version, chargers);
  const since = await stub.counts();
  const { cpuMs, besideMs } = await startUse(bench, stocked);
  bench.bytesPerCall = await stub.bytesPerCall(since);
  const more = Object.entries(besideMs).map(([name, ms]) => [name, ms - (less.besideMs[name] ?? 0)]);
  bench.tellBeside(Object.fromEntries(more), chargers);
  return ((cpuMs - less.cpuMs) * 1_000) / chargers;
}

async function startUse(bench: Bench, installation: Installation): Promise<CpuUse & { readonly gateway: Gateway }> {
  const started: Gateway[] = [];
  const { besideMs } = await bench.cpuDuring([], async () => void started.push(await installation.start()));
  const [gateway] = started;
  if (gateway === undefined) throw new Error('bug: a gateway has started and is not there');
  return { gateway, cpuMs: bench.cpuMs(gateway.children), besideMs };
}
