// The CPU time per charger of one command to a whole location, beside that of the same command to one charger: neither makes a frame.

import type { Bench } from '../bench.ts';
import type { BenchCase } from '../bench-case.ts';
import { type Gateway, Installation } from '../gateway.ts';
import { chargerId, locationId } from '../stock.ts';
import { Stub } from '../stub.ts';

/** A tenth of the fleet: 1 000 chargers unless told otherwise. */
const share = 10;
const rounds = 10;
/** After a command to one charger, until the next: it must find everything at rest. */
const pauseMs = 3;

export const cpuPerLocationCommand: BenchCase = {
  name: 'cpu-per-location-command',
  unit: 'µs',
  limit: { of: 'ratio', max: 0.25 },
  deadlineMs: 300_000,

  async floor(bench) {
    const { gateway, chargers } = await startLocation(bench);
    const { commands } = bench.sizes;
    return perCommandUs(bench, gateway, commands, async (number) => {
      const last = await command(gateway, { charger_id: chargerId(number % chargers) }, number);
      await bench.sleep(pauseMs);
      return last;
    });
  },

  async measure(bench) {
    const { gateway, chargers } = await startLocation(bench);
    const us = await perCommandUs(bench, gateway, rounds, async (number) => {
      const last = await command(gateway, { location_id: locationId }, number);
      await bench.until(async () => (await statusOf(gateway, last)) === 'succeeded');
      return last;
    });
    return us / chargers;
  },
};

async function startLocation(bench: Bench): Promise<{ readonly gateway: Gateway; readonly chargers: number }> {
  const stub = await Stub.start(bench);
  const installation = new Installation(bench, 'location');
  const chargers = Math.ceil(bench.sizes.chargers / share);
  await installation.stock(stub, '1.6', chargers);
  return { gateway: await installation.start(), chargers };
}

/** The id of the last of the commands that it made. */
async function command(gateway: Gateway, target: Readonly<Record<string, string>>, number: number): Promise<string> {
  const { results } = await gateway.command('set-configuration', target, { key: 'Bench', value: String(number) });
  return results.at(-1)?.command.id ?? '';
}

async function statusOf(gateway: Gateway, id: string): Promise<string> {
  return ((await gateway.get(`/ocpp/commands/${id}`)) as { readonly status: string }).status;
}

async function perCommandUs(
  bench: Bench,
  gateway: Gateway,
  commands: number,
  run: (number: number) => Promise<string>,
): Promise<number> {
  let last = '';
  const repeat = async (count: number): Promise<void> => {
    for (let number = 0; number < count; number++) last = await run(number);
  };
  await repeat(Math.ceil(commands / 4));
  bench.stage(`${commands} commands`);
  const cpuMs = await bench.cpuMsDuring(gateway.child, () => repeat(commands));
  await bench.until(async () => (await statusOf(gateway, last)) === 'succeeded');
  return (cpuMs * 1_000) / commands;
}
