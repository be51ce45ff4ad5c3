// Checks that ids are UUIDs of version 7 in the order of their making.
import { describe, expect, it } from 'vitest';
import { idSource } from './ids.ts';

const version7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('ids', () => {
  it('are UUIDs of version 7 that tell their moment', () => {
    const id = idSource(() => 0x0123_4567_89ab)();
    expect(id).toMatch(version7);
    expect(id.slice(0, 13)).toBe('01234567-89ab');
  });

  it('sort by creation within one millisecond, however many there are', () => {
    const newId = idSource(() => 1_700_000_000_000);
    const ids = Array.from({ length: 6_000 }, newId);
    expect(ids.every((id) => version7.test(id))).toBe(true);
    expect(ids.toSorted().join()).toBe(ids.join());
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('sort by creation while time goes on, and when it is set back', () => {
    const moments = [5, 6, 6, 9, 3, 3, 10];
    const newId = idSource(() => moments.shift() ?? 11);
    const ids = Array.from({ length: 8 }, newId);
    expect(ids.toSorted()).toEqual(ids);
  });
});
