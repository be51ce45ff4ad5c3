// npm run bench -- fleet: holds a large fleet for a while and fails when anything was dropped, missed or slow.

import { parseArgs } from 'node:util';
import { Bench } from '../bench.ts';
import { sizesOf } from '../bench-case.ts';
import { Progress } from '../report.ts';
import { faults, fleetJson, fleetText } from './fleet-report.ts';
import { type FleetOptions, holdFleet } from './hold-fleet.ts';

export const fleetUsage = `npm run bench -- fleet [--chargers N] [--charging N] [--minutes N] [--json]

  --chargers N  how many chargers there are (100000)
  --charging N  how many of them charge, with meter values every 10 s (a tenth); whole locations are taken
  --minutes N   how long they are held (10)
  --json        one JSON object instead of a text

Exit status: 0 held, 1 something was dropped, missed or slow, 2 it could not be measured, 130 interrupted.
`;

const mostChargers = 1_000_000;
/** Of the deadline: what comes before the fleet is held. */
const perChargerMs = 20;
const startMs = 300_000;

interface Asked extends FleetOptions {
  readonly json: boolean;
}

export async function runFleet(args: readonly string[]): Promise<number> {
  const asked = readArguments(args);
  if (asked === null || typeof asked === 'string') {
    (asked === null ? process.stdout : process.stderr).write(asked === null ? fleetUsage : `${asked}\n\n${fleetUsage}`);
    return asked === null ? 0 : 2;
  }
  const interrupting = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => interrupting.abort(new Error(`interrupted by ${signal}`)));
  }
  const progress = new Progress(process.stderr);
  const bench = new Bench({
    sizes: sizesOf(asked.chargers, false),
    deadlineMs: startMs + asked.chargers * perChargerMs + asked.minutes * 60_000,
    profilePath: null,
    interrupted: interrupting.signal,
    tell: (stage, detail, share) => progress.tell(stage, detail, share),
  });
  try {
    const result = await holdFleet(bench, asked);
    progress.clear();
    process.stdout.write(`${asked.json ? fleetJson(result) : fleetText(result)}\n`);
    return faults(result).length === 0 ? 0 : 1;
  } catch (error) {
    progress.clear();
    const reason: unknown = bench.signal.reason ?? error;
    process.stderr.write(
      `${[reason instanceof Error ? reason.message : String(reason), ...bench.complaints].join('\n')}\n`,
    );
    return interrupting.signal.aborted ? 130 : 2;
  } finally {
    await bench.close();
  }
}

/** What was asked for, null for help, or what is wrong with it. */
function readArguments(args: readonly string[]): Asked | string | null {
  const options = {
    chargers: { type: 'string', default: '100000' },
    charging: { type: 'string' },
    minutes: { type: 'string', default: '10' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  } as const;
  let values: ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];
  try {
    ({ values } = parseArgs({ args: [...args], options }));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  if (values.help) return null;
  const chargers = Number(values.chargers);
  if (!(Number.isInteger(chargers) && chargers >= 2 && chargers <= mostChargers && chargers % 2 === 0)) {
    return `--chargers must be an even whole number from 2 to ${mostChargers}`;
  }
  const charging = values.charging === undefined ? Math.floor(chargers / 10) : Number(values.charging);
  if (!(Number.isInteger(charging) && charging >= 0 && charging <= chargers)) {
    return '--charging must be a whole number up to that of the chargers';
  }
  const minutes = Number(values.minutes);
  if (!(minutes > 0)) return '--minutes must be above 0';
  return { chargers, charging, minutes, json: values.json };
}
