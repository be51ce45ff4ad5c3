// npm run bench: measures the product beside its floor, case by case, and fails where a limit is passed.

import { mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type BenchCase, type CaseFailure, type CaseResult, sizesOf } from './bench-case.ts';
import { cases } from './cases/index.ts';
import { runFleet } from './fleet/run-fleet.ts';
import { openFilesLimit } from './readings.ts';
import { jsonLine, Progress, table } from './report.ts';
import { runCase } from './run-case.ts';
import { scaleOutCases } from './scale-out/index.ts';

const usage = `npm run bench -- [--json] [--only NAME] [--chargers N] [--quick] [--profile FOLDER]

  --json        one JSON object a line for each case, instead of a table
  --only NAME   only the cases whose names begin like this; may be given several times
  --chargers N  how many chargers the fleets have (10000)
  --quick       small fleets and short looks, to see that it runs: no limit is enforced
  --profile FOLDER  profiles of the product's processes, and what took most of their time: no limit is enforced
  --help        this text

npm run bench -- scale-out [the same]   many processes over PostgreSQL and NATS, beside one machine
npm run bench -- fleet [--help]         holds a large fleet for a while

Exit status: 0 all within their limits, 1 a limit is passed, 2 a case could not be measured, 130 interrupted.
`;

const exits = { fine: 0, limitPassed: 1, notMeasured: 2, interrupted: 130 };
/** Files that a process has open besides its sockets. */
const otherFiles = 200;
const fewestChargers = 50;

const [first, ...others] = process.argv.slice(2);
if (first === 'fleet') process.exitCode = await runFleet(others);
else if (first === 'scale-out') process.exitCode = await main(scaleOutCases, others);
else process.exitCode = await main(cases, process.argv.slice(2));

async function main(cases: readonly BenchCase[], args: readonly string[]): Promise<number> {
  const asked = readArguments(cases, args);
  if (asked === null) {
    process.stdout.write(usage);
    return exits.fine;
  }
  if (typeof asked === 'string') {
    process.stderr.write(`${asked}\n\n${usage}`);
    return exits.notMeasured;
  }
  const { json, quick, chargers, profiles, chosen } = asked;
  const interrupting = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => interrupting.abort(new Error(`interrupted by ${signal}`)));
  }
  const progress = new Progress(process.stderr);
  const sizes = sizesOf(chargers, quick);
  const results: (CaseResult | CaseFailure)[] = [];
  for (const [index, benchCase] of chosen.entries()) {
    if (interrupting.signal.aborted) break;
    const { name } = benchCase;
    const title = `[${index + 1}/${chosen.length}] ${name}`;
    const result = await runCase(benchCase, {
      sizes,
      enforced: !quick && profiles === null,
      profiles,
      interrupted: interrupting.signal,
      tell: (stage, detail, share) => progress.tell(`${title}, ${stage}`, detail, (index + share) / chosen.length),
    }).catch(
      (error: unknown): CaseFailure => ({ name, failure: error instanceof Error ? error.message : String(error) }),
    );
    progress.clear();
    results.push(result);
    if (json) process.stdout.write(`${jsonLine(result)}\n`);
    else if ('failure' in result) process.stderr.write(`${name}: ${result.failure}\n`);
  }
  if (!json) process.stdout.write(`${table(results)}\n`);
  if (quick) process.stderr.write('A quick run: the sizes are too small to judge by, and no limit was enforced.\n');
  return interrupting.signal.aborted ? exits.interrupted : exitOf(results);
}

function exitOf(results: readonly (CaseResult | CaseFailure)[]): number {
  if (results.some((result) => 'failure' in result)) return exits.notMeasured;
  return results.some((result) => 'ok' in result && result.ok === false) ? exits.limitPassed : exits.fine;
}

interface Asked {
  readonly json: boolean;
  readonly quick: boolean;
  readonly chargers: number | null;
  readonly profiles: string | null;
  readonly chosen: readonly BenchCase[];
}

/** What was asked for, null for help, or what is wrong with it. */
function readArguments(cases: readonly BenchCase[], args: readonly string[]): Asked | string | null {
  if (process.platform !== 'linux') return 'the benchmarks read CPU time and memory from /proc: they need Linux';
  const options = {
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] as string[] },
    chargers: { type: 'string' },
    profile: { type: 'string' },
    help: { type: 'boolean', default: false },
  } as const;
  let values: ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];
  try {
    ({ values } = parseArgs({ args: [...args], options }));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const { json, quick, only } = values;
  if (values.help) return null;
  const unknown = only.find((start) => !cases.some(({ name }) => name.startsWith(start)));
  if (unknown !== undefined) {
    return `no case is called ${unknown}; there are: ${cases.map(({ name }) => name).join(', ')}`;
  }
  const chargers = values.chargers === undefined ? null : Number(values.chargers);
  const most = openFilesLimit() - otherFiles;
  if (chargers !== null && !(Number.isInteger(chargers) && chargers >= fewestChargers && chargers <= most)) {
    return `--chargers must be a whole number from ${fewestChargers} to ${most} (a process may not open more files)`;
  }
  const chosen = only.length === 0 ? cases : cases.filter(({ name }) => only.some((start) => name.startsWith(start)));
  const profiles = values.profile ?? null;
  if (profiles !== null) mkdirSync(profiles, { recursive: true });
  return { json, quick, chargers, profiles, chosen };
}
