// The memory of a gateway and one fleet process without any charger, beside two Node.js processes that do nothing.

import type { BenchCase } from '../bench-case.ts';
import { Installation } from '../gateway.ts';
import { pssKbOf } from '../readings.ts';

const idle = 'setInterval(() => {}, 1000);';
const idlePair = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(idle)}], { stdio: 'inherit' });`;

export const baseMemory: BenchCase = {
  name: 'base-memory',
  unit: 'MB',
  limit: { of: 'value', max: 150 },
  deadlineMs: 300_000,

  async floor(bench) {
    const child = bench.spawn('the pair of idle processes', ['-e', idlePair + idle], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    await bench.sleep(bench.sizes.quietMs);
    return (await bench.settledMemoryKb(child, pssKbOf)) / 1024;
  },

  async measure(bench) {
    const gateway = await new Installation(bench, 'base').start();
    return (await bench.settledMemoryKb(gateway.child, pssKbOf)) / 1024;
  },
};
