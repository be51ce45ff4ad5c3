// How many commands a second get from a location to its chargers and out as frames, when they come as fast as they are accepted.

import type { Bench } from '../bench.ts';
import type { BenchCase } from '../bench-case.ts';
import { Installation } from '../gateway.ts';
import { locationId } from '../stock.ts';
import { Stub } from '../stub.ts';
import { SharedInstallation } from './shared-installation.ts';

/** A tenth of the fleet: 1 000 chargers unless told otherwise. */
const share = 10;
/** In each of them every charger is plugged in and out, with a StatusNotification each time. */
const rounds = 10;

export const locationCommands = (workers: number): BenchCase => ({
  name: `scale-out-location-commands-${workers}`,
  unit: 'commands/s',
  limit: null,
  deadlineMs: 600_000,
  floor: (bench) => commandsPerSecond(bench, new Installation(bench, 'location')),
  measure: async (bench) => commandsPerSecond(bench, await SharedInstallation.open(bench, workers)),
});

async function commandsPerSecond(bench: Bench, installation: Installation): Promise<number> {
  const stub = await Stub.start(bench);
  const chargers = Math.ceil(bench.sizes.chargers / share);
  await installation.stock(stub, '1.6', chargers);
  const gateway = await installation.start();
  const run = async (times: number): Promise<void> => {
    const since = await stub.counts();
    for (let round = 0; round < times; round++) {
      for (const name of ['plug-connector', 'unplug-connector']) {
        await gateway.command(name, { location_id: locationId }, {});
      }
    }
    await stub.untilHeard(since, 2 * times * chargers, 'StatusNotification');
  };
  await run(Math.ceil(rounds / 4));
  const commands = 2 * rounds * chargers;
  bench.stage(`${commands} commands`);
  let tookMs = 0;
  const { cpuMs, besideMs } = await bench.cpuDuring(gateway.children, async () => {
    const startedMs = performance.now();
    await run(rounds);
    tookMs = performance.now() - startedMs;
    await bench.sleep(bench.sizes.quietMs);
  });
  bench.tellBeside({ together: cpuMs, ...besideMs }, commands);
  return (commands * 1_000) / tookMs;
}
