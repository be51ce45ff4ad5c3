// Which partition a charger belongs to.

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { partitionCount, partitionOf } from './partition.ts';

describe('the partition of a charger', () => {
  it('never changes: it is kept beside every charger that is stored', () => {
    const ids = ['', 'a', '0199e2f0-0000-7000-8000-000000000001', '0199e2f0-0000-7000-8000-000000000002', 'ü☕'];
    expect(ids.map(partitionOf)).toEqual([197, 237, 111, 222, 229]);
  });

  it.each([
    ['one after the other', (number: number) => `0199e2f0-0000-7000-8000-${number.toString(16).padStart(12, '0')}`],
    ['by chance', () => randomUUID()],
  ])('is spread evenly over ids that are given %s', (_, idOf) => {
    const counts = new Array<number>(partitionCount).fill(0);
    const each = 400;
    for (let number = 0; number < each * partitionCount; number += 1) {
      const partition = partitionOf(idOf(number));
      counts[partition] = (counts[partition] ?? 0) + 1;
    }
    expect(counts).toHaveLength(partitionCount);
    expect(Math.min(...counts)).toBeGreaterThan(each * 0.7);
    expect(Math.max(...counts)).toBeLessThan(each * 1.3);
  });
});
