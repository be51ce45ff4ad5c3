// The CPU time of one charger's way to its CSMS: connection, BootNotification, a StatusNotification for each connector.

import type { BenchCase, Version } from '../bench-case.ts';
import { startFloor } from '../floor.ts';
import { Installation } from '../gateway.ts';
import { Stub } from '../stub.ts';

const version: Version = '1.6';

export const cpuPerConnectBoot: BenchCase = {
  name: 'cpu-per-connect-boot',
  unit: 'µs',
  limit: { of: 'ratio', max: 1.5 },
  deadlineMs: 300_000,

  async floor(bench) {
    const { chargers } = bench.sizes;
    const stub = await Stub.start(bench);
    const floor = await startFloor(bench, stub, { version, chargers });
    await floor.stop();
    return (floor.bootCpuMs * 1_000) / chargers;
  },

  async measure(bench) {
    const { chargers } = bench.sizes;
    const stub = await Stub.start(bench);
    const startCpuMs = async (installation: Installation): Promise<number> => {
      const gateway = await installation.start();
      const cpuMs = bench.cpuMs(gateway.child);
      await installation.kill(gateway);
      return cpuMs;
    };
    const stocked = new Installation(bench, stub, version, 'stocked');
    await stocked.stock(chargers);
    const emptyMs = await startCpuMs(new Installation(bench, stub, version, 'empty'));
    const stockedMs = await startCpuMs(stocked);
    return ((stockedMs - emptyMs) * 1_000) / chargers;
  },
};
