// `npm run conformance -- 1.6`: how many conformance cases the charger passes, by group; `--mutations` for each feature alone.

import type { Version } from '../talk.ts';
import { casesOf, counts, outcomeOf, type Result, resultOf, type Suite } from './running.ts';
import { suite16 } from './v16/index.ts';

const suites: Readonly<Record<string, Suite>> = { '1.6': suite16 };

const [version = '1.6', ...flags] = process.argv.slice(2);
const suite = suites[version];
if (suite === undefined) throw new Error(`there are conformance cases for OCPP ${Object.keys(suites).join(', ')}`);
process.exitCode = flags.includes('--mutations') ? await printMutations(suite) : await printGroups(suite);

async function printGroups({ groups, features }: Suite): Promise<number> {
  const total = casesOf(groups).length;
  let passed = 0;
  for (const { name, cases } of groups) {
    const results = await Promise.all(cases.map((one) => resultOf(version as Version, one, features)));
    const good = results.filter(counts).length;
    console.log(`${name.padEnd(42)} ${good} of ${cases.length}`);
    for (const result of results) if (!counts(result)) console.log(`  ${result.case.id} ${whyNot(result)}`);
    passed += good;
  }
  console.log(`\nOCPP ${version}, by our reading of the cases: passed ${passed} of ${total}`);
  return passed === total ? 0 : 1;
}

function whyNot({ case: { name }, outcome, blindTo }: Result): string {
  if (outcome !== null) return `${name}: ${outcome.failed}`;
  return blindTo.length === 0 ? `${name}: is about no feature` : `${name}: passes without ${blindTo.join(', ')}`;
}

/** Each feature switched off in turn, and every case that notices; those that must are checked. */
async function printMutations({ groups, features }: Suite): Promise<number> {
  const all = casesOf(groups);
  const unnoticed = new Set(all.map(({ id }) => id));
  let isBad = false;
  for (const { name, off, cases } of features) {
    const outcomes = await Promise.all(all.map((one) => outcomeOf(version as Version, one, off)));
    const failing = all.filter((_, index) => outcomes[index] !== null).map(({ id }) => id);
    const missing = cases.filter((id) => !failing.includes(id));
    const others = failing.filter((id) => !cases.includes(id));
    console.log(`without ${name}\n  must fail: ${cases.join(' ')}`);
    if (missing.length > 0) console.log(`  DID NOT FAIL: ${missing.join(' ')}`);
    if (others.length > 0) console.log(`  fail, too: ${others.join(' ')}`);
    for (const id of failing) unnoticed.delete(id);
    isBad ||= missing.length > 0;
  }
  console.log(`\n${features.length} features; cases that notice none of them: ${[...unnoticed].join(' ') || 'none'}`);
  return isBad || unnoticed.size > 0 ? 1 : 0;
}
