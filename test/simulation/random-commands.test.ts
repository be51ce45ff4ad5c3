// Any commands to any fleet, some of it stopped, started and deleted on the way, agree with a small model of what chargers do.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { type House, openHouse } from './house.ts';
import { rules } from './model.ts';
import { type ChargerPlan, places, type Step, tryOut } from './trial.ts';

const seed = Number(process.env['COMMANDS_SEED'] ?? 20_261_115);
const runs = Number(process.env['COMMANDS_RUNS'] ?? 100);

const index = fc.nat({ max: 5 });
const place = fc.constantFrom(...places);

const fleets: fc.Arbitrary<ChargerPlan[]> = fc.array(
  fc.record({
    version: fc.constantFrom('1.6', '2.0.1', '2.1'),
    outlets: fc.integer({ min: 1, max: 3 }),
    place: fc.oneof(place, fc.constant(null)),
  }),
  { minLength: 2, maxLength: 6 },
);

const target = fc.oneof(
  fc.record({ kind: fc.constant('one' as const), index }),
  fc.record({ kind: fc.constant('all' as const), place }),
  fc.record({ kind: fc.constant('some' as const), place, indices: fc.array(index, { minLength: 1, maxLength: 6 }) }),
);
const command = fc.record({
  kind: fc.constant('command' as const),
  name: fc.constantFrom(...Object.keys(rules), 'proxy-message'),
  outlet: fc.integer({ min: 1, max: 3 }),
  target,
});
const runtime = fc.record({
  kind: fc.constant('runtime' as const),
  control: fc.constantFrom('start' as const, 'stop' as const, 'restart' as const),
  index,
});
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: command },
    { weight: 3, arbitrary: runtime },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), index }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('time' as const), seconds: fc.integer({ min: 1, max: 10 }) }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('settle' as const) }) },
  ),
  { minLength: 5, maxLength: 40 },
);

describe(`random commands to random fleets (COMMANDS_SEED=${seed})`, () => {
  let house: House;
  beforeAll(async () => {
    house = await openHouse();
  });
  afterAll(() => house.close());

  it(`end once each, in order and as a model of chargers says, ${runs} times`, async () => {
    const story = fc.asyncProperty(fc.nat({ max: 20 }), fleets, steps, (lag, fleet, plan) =>
      tryOut(house, lag, fleet, plan),
    );
    await fc.assert(story, { seed, numRuns: runs });
  }, 300_000);
});
