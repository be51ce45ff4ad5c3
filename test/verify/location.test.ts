// Weeks at a location: what `test/simulation/location.test.ts` tries for a day.

import { describe, expect, it } from 'vitest';
import { simulateLocation } from '../simulation/location.ts';

const { LOCATION_SEED } = process.env;
const seeds = LOCATION_SEED === undefined ? [101, 102, 103, 104, 105] : [Number(LOCATION_SEED)];

describe('a location of 50 chargers', () => {
  it.each(seeds)('goes through a week (LOCATION_SEED=%i)', async (seed) => {
    const versions = seed % 2 === 1 ? (['1.6'] as const) : (['1.6', '2.0.1', '2.1'] as const);
    const { transactions } = await simulateLocation({ seed, days: 7, chargers: 50, versions });
    expect(transactions).toBeGreaterThan(1_000);
  });
});
