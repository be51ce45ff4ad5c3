// Every conformance case of OCPP 1.6: it passes, and it fails as soon as a feature that it is about is switched off.

import { describe, expect, it } from 'vitest';
import { casesOf, resultOf } from './running.ts';
import { suite16 } from './v16/index.ts';

const { groups, features } = suite16;

describe('the conformance cases of OCPP 1.6', () => {
  const ids = casesOf(groups).map(({ id }) => id);

  it('are 107, each once', () => {
    expect(new Set(ids).size).toBe(107);
    expect(ids).toHaveLength(107);
  });

  it('are what the features name, and each is about one', () => {
    expect(new Set(features.flatMap(({ cases }) => cases))).toEqual(new Set(ids));
  });
});

for (const { name, cases } of groups) {
  describe(name, () => {
    it.concurrent.each(cases)('$id $name', async (one) => {
      const { outcome, blindTo } = await resultOf('1.6', one, features);
      expect(outcome?.failed).toBeUndefined();
      expect(blindTo).toEqual([]);
    });
  });
}
