// The CPU time of a session's start and stop, when one command each makes the whole fleet do it at once.

import type { ChildProcess } from 'node:child_process';
import type { Bench } from '../bench.ts';
import type { BenchCase, Version } from '../bench-case.ts';
import { startFloor } from '../floor.ts';
import { Installation } from '../gateway.ts';
import { scriptOf } from '../script.ts';
import { locationId } from '../stock.ts';
import { Stub } from '../stub.ts';

const version: Version = '1.6';

export const cpuPerSession: BenchCase = {
  name: 'cpu-per-session',
  unit: 'µs',
  limit: null,
  deadlineMs: 300_000,

  async floor(bench) {
    const stub = await Stub.start(bench);
    const floor = await startFloor(bench, stub, version, bench.sizes.chargers);
    return storm(bench, stub, floor.child, async (script) => floor.tell({ kind: 'say', script }));
  },

  async measure(bench) {
    const stub = await Stub.start(bench);
    const installation = new Installation(bench, 'fleet');
    await installation.stock(stub, version, bench.sizes.chargers);
    const gateway = await installation.start();
    const target = { location_id: locationId };
    return storm(bench, stub, gateway.child, async (script) => {
      if (script === 'startSession') await gateway.command('start-session', target, { id_tag: 'DEADBEEF' });
      else await gateway.command('stop-session', target, {});
    });
  },
};

type Side = 'startSession' | 'stopSession';

async function storm(
  bench: Bench,
  stub: Stub,
  child: ChildProcess,
  begin: (script: Side) => Promise<void>,
): Promise<number> {
  const { chargers, quietMs } = bench.sizes;
  const before = await stub.counts();
  const cpuMs = await bench.cpuMsDuring(child, async () => {
    for (const script of ['startSession', 'stopSession'] as const) {
      bench.stage(`${script} of ${chargers} chargers`);
      const since = await stub.counts();
      await begin(script);
      await stub.untilHeard(since, chargers * scriptOf(version, script).length);
      await bench.sleep(quietMs);
    }
  });
  bench.bytesPerCall = await stub.bytesPerCall(before);
  return (cpuMs * 1_000) / chargers;
}
