// Whatever comes and goes, everybody following the same rule ends with an even share, and nothing moves that need not.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claimed, emptyTable, freed, partsOf, shareOf, type Table, withMember, without } from './shares.ts';

const parts = 256;
const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

/** Lets every member do what it should, in some order, until nobody has anything to do. */
function settle(table: Table, order: readonly number[]): Table {
  let settled = table;
  for (let turn = 0; turn < 1_000; turn += 1) {
    const before = JSON.stringify(settled);
    for (const number of order) {
      const member = settled.members[number % settled.members.length];
      if (member === undefined) continue;
      const own = partsOf(settled, member);
      const surplus = own.length - shareOf(settled, member);
      // Some at a time, as members do.
      settled = surplus > 0 ? freed(settled, new Set(own.slice(-Math.min(surplus, 16)))) : claimed(settled, member);
    }
    if (JSON.stringify(settled) === before) return settled;
  }
  throw new Error('they never come to rest');
}

const countsOf = (table: Table) => table.members.map((member) => partsOf(table, member).length);

describe('shares', () => {
  it('are even, differ by one at most, and leave nothing over, whoever comes and goes in whatever order', () => {
    const change = fc.record({ name: fc.constantFrom(...names), comes: fc.boolean() });
    const order = fc.uniqueArray(fc.nat(6), { minLength: 7, maxLength: 7 });
    fc.assert(
      fc.property(fc.array(fc.tuple(change, order), { maxLength: 12 }), (changes) => {
        let table = withMember(emptyTable(parts), 'first');
        table = settle(table, [0]);
        for (const [{ name, comes }, turns] of changes) {
          const before = table;
          table = comes ? withMember(table, name) : without(table, new Set([name]));
          table = settle(table, turns);
          const counts = countsOf(table);
          expect(counts.reduce((sum, count) => sum + count)).toBe(parts);
          expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
          // Only what somebody new has, or somebody who is gone had, is in other hands than before.
          const moved = table.owners.filter((owner, part) => owner !== before.owners[part]).length;
          const isNew = comes && !before.members.includes(name);
          const isGone = !comes && before.members.includes(name);
          const share = isNew ? partsOf(table, name).length : isGone ? partsOf(before, name).length : 0;
          expect(moved).toBe(share);
        }
      }),
    );
  });

  it('of a single thing go to one, who keeps it', () => {
    const table = claimed(withMember(emptyTable(1), 'z'), 'z');
    const later = withMember(withMember(table, 'a'), 'b');
    expect(['a', 'b', 'z'].map((member) => shareOf(later, member))).toEqual([0, 0, 1]);
  });
});
