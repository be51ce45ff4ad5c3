// Days at a location, from a seed: whatever happens, no rule is broken, the energy adds up, no limit is exceeded, nobody gets stuck.

import { describe, expect, it } from 'vitest';
import { simulateLocation } from './location.ts';

const { LOCATION_SEED, LOCATION_DAYS, LOCATION_CHARGERS } = process.env;
const seeds = LOCATION_SEED === undefined ? [1, 2, 3] : [Number(LOCATION_SEED)];
const days = Number(LOCATION_DAYS ?? 1);
/** A machine may be busy. */
const patienceMs = 600_000;
const chargers = Number(LOCATION_CHARGERS ?? 50);

describe('a location of 50 chargers', () => {
  it.each(seeds)(
    'OCPP 1.6: goes through a day (LOCATION_SEED=%i)',
    async (seed) => {
      const outcome = await simulateLocation({ seed, days, chargers, versions: ['1.6'] });
      expect(outcome.transactions).toBeGreaterThan(chargers);
    },
    patienceMs,
  );

  it.each(seeds.slice(0, 1))(
    'all versions: goes through a day (LOCATION_SEED=%i)',
    async (seed) => {
      const outcome = await simulateLocation({ seed, days, chargers, versions: ['1.6', '2.0.1', '2.1'] });
      expect(outcome.transactions).toBeGreaterThan(chargers);
    },
    patienceMs,
  );
});
