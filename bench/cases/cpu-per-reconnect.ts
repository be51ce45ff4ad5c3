// The CPU time of one charger's way back, when its CSMS has cut all connections at once.

import type { ChildProcess } from 'node:child_process';
import type { Bench } from '../bench.ts';
import type { BenchCase, Version } from '../bench-case.ts';
import { startFloor } from '../floor.ts';
import { Installation } from '../gateway.ts';
import { scriptOf } from '../script.ts';
import { Stub } from '../stub.ts';

const version: Version = '1.6';

export const cpuPerReconnect: BenchCase = {
  name: 'cpu-per-reconnect',
  unit: 'µs',
  limit: null,
  deadlineMs: 300_000,

  async floor(bench) {
    const stub = await Stub.start(bench);
    const floor = await startFloor(bench, stub, version, bench.sizes.chargers);
    return wayBackUs(bench, stub, floor.child);
  },

  async measure(bench) {
    const stub = await Stub.start(bench);
    const installation = new Installation(bench, 'fleet');
    await installation.stock(stub, version, bench.sizes.chargers);
    const gateway = await installation.start();
    return wayBackUs(bench, stub, gateway.child);
  },
};

async function wayBackUs(bench: Bench, stub: Stub, child: ChildProcess): Promise<number> {
  const { chargers, quietMs } = bench.sizes;
  bench.stage(`cutting ${chargers} connections and waiting for them to come back`);
  const since = await stub.counts();
  const cpuMs = await bench.cpuMsDuring(child, async () => {
    stub.drop();
    await stub.untilHeard(since, chargers * scriptOf(version, 'reconnect').length);
    await bench.sleep(quietMs);
  });
  bench.bytesPerCall = await stub.bytesPerCall(since);
  return (cpuMs * 1_000) / chargers;
}
