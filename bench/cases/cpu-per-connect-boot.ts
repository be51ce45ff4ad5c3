// The CPU time of one charger's way to its CSMS: connection, BootNotification, a StatusNotification for each connector.

import type { BenchCase, Version } from '../bench-case.ts';
import { startFloor } from '../floor.ts';
import { Installation } from '../gateway.ts';
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

  /** A start with them, less one without. */
  async measure(bench) {
    const { chargers } = bench.sizes;
    const stub = await Stub.start(bench);
    const empty = new Installation(bench, 'empty');
    const withoutAny = await empty.start();
    const emptyMs = bench.cpuMs(withoutAny.child);
    await empty.kill(withoutAny);
    const stocked = new Installation(bench, 'stocked');
    await stocked.stock(stub, version, chargers);
    const since = await stub.counts();
    const gateway = await stocked.start();
    bench.bytesPerCall = await stub.bytesPerCall(since);
    return ((bench.cpuMs(gateway.child) - emptyMs) * 1_000) / chargers;
  },
});
