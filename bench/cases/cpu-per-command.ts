// The CPU time of one command from HTTP over its frame to its outcome, one after the other, in fleets of three sizes.

import { once } from 'node:events';
import { join } from 'node:path';
import { type Bench, type Measured, pathOf } from '../bench.ts';
import type { BenchCase, Sizes } from '../bench-case.ts';
import type { CommandFloorSettings } from '../floor-commands.ts';
import { Installation } from '../gateway.ts';
import { chargerId } from '../stock.ts';
import { Stub } from '../stub.ts';

const version = '1.6';
/** So many chargers take the commands, in turn. */
const mostCommanded = 100;
/** After the frame, for the outcome: the next command must find everything at rest. */
const pauseMs = 3;
const deadlineMs = 600_000;

const fleets = {
  few: ({ chargers }: Sizes) => Math.ceil(chargers / 100),
  some: ({ chargers }: Sizes) => Math.ceil(chargers / 10),
  all: ({ chargers }: Sizes) => chargers,
};

export const cpuPerCommand = (fleet: keyof typeof fleets): BenchCase => ({
  name: `cpu-per-command-${fleet}`,
  unit: 'µs',
  limit: { of: 'ratio', max: 3.3 },
  deadlineMs,
  floor: (bench) => floorUs(bench, fleets[fleet](bench.sizes)),
  measure: (bench) => commandUs(bench, fleets[fleet](bench.sizes), embedded(bench)),
});

/** The same command in the largest and in the smallest fleet. */
export const cpuPerCommandGrowth: BenchCase = {
  name: 'cpu-per-command-growth',
  unit: 'µs',
  limit: { of: 'ratio', max: 1.2 },
  deadlineMs,
  floor: (bench) => commandUs(bench, fleets.few(bench.sizes), embedded(bench)),
  measure: (bench) => commandUs(bench, fleets.all(bench.sizes), embedded(bench)),
};

async function floorUs(bench: Bench, chargers: number): Promise<number> {
  const stub = await Stub.start(bench);
  bench.stage(`bringing ${chargers} plain clients up`);
  const since = await stub.counts();
  const databasePath = join(bench.folder, 'floor.sqlite');
  const settings: CommandFloorSettings = { urls: stub.urls, chargers, databasePath };
  const child = bench.spawn('the floor', [pathOf('./floor-commands.ts'), JSON.stringify(settings)], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const [url] = (await bench.orEnd(once(child, 'message'))) as [string];
  child.send('dial');
  await stub.allBooted(version, chargers, since);
  return perCommandUs(bench, stub, child, async (number) => {
    const response = await fetch(`${url}/commands`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ target: { charger_id: String(number % chargers) }, event: eventOf(number) }),
      signal: bench.signal,
    });
    if (response.status !== 202) throw new Error(`the floor answers ${response.status} ${await response.text()}`);
    await response.arrayBuffer();
  });
}

const embedded = (bench: Bench): Installation => new Installation(bench, 'fleet');

export async function commandUs(bench: Bench, chargers: number, installation: Installation): Promise<number> {
  const stub = await Stub.start(bench);
  await installation.stock(stub, version, chargers);
  const gateway = await installation.start();
  const commanded = Math.min(mostCommanded, chargers);
  bench.stage(`starting ${commanded} sessions`);
  const since = await stub.counts();
  for (let number = 0; number < commanded; number++) {
    await gateway.command('start-session', { charger_id: chargerId(number) }, { id_tag: 'DEADBEEF' });
  }
  await stub.untilHeard(since, commanded, 'StartTransaction');
  let last = '';
  const us = await perCommandUs(bench, stub, gateway.children, async (number) => {
    const target = { charger_id: chargerId(number % commanded) };
    const { results } = await gateway.command('power-update', target, eventOf(number));
    last = results[0]?.command.id ?? '';
  });
  const { status } = (await gateway.get(`/ocpp/commands/${last}?wait_s=5`)) as { readonly status: string };
  if (status !== 'succeeded') throw new Error(`the last command is ${status}`);
  return us;
}

/** Each charger is given another power every time, or it would have nothing to say. */
const eventOf = (number: number): object => ({ power_w: 5_000 + (number % 1_000), evse_id: 1, connector_id: 1 });

async function perCommandUs(
  bench: Bench,
  stub: Stub,
  measured: Measured,
  send: (number: number) => Promise<void>,
): Promise<number> {
  const { commands, quietMs } = bench.sizes;
  stub.listenFor('MeterValues');
  let number = 0;
  const run = async (count: number): Promise<void> => {
    for (let done = 0; done < count; done++) {
      const said = stub.next();
      await send(number++);
      await said;
      bench.detail(`${done}`, done / count);
      await bench.sleep(pauseMs);
    }
  };
  await run(Math.ceil(commands / 4));
  bench.stage(`${commands} commands, one after the other`);
  const since = await stub.counts();
  const { cpuMs, besideMs } = await bench.cpuDuring(measured, () => run(commands));
  await bench.sleep(quietMs);
  bench.bytesPerCall = await stub.bytesPerCall(since);
  bench.tellBeside(besideMs, commands);
  return (cpuMs * 1_000) / commands;
}
