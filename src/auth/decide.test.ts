// Checks what a token must say before an operation is allowed.
import { describe, expect, it } from 'vitest';
import { decide } from './decide.ts';

const claims = { sub: 'anna', exp: 2_000_000_000, org: 'demo', scope: 'chargers:read commands:write' };

describe('a decision', () => {
  it('allows what the scope names, on behalf of the tenant', () => {
    expect(decide(claims, 'commands:write')).toEqual({
      allowed: {
        sub: 'anna',
        org: 'demo',
        scopes: ['chargers:read', 'commands:write'],
        expiresAtS: 2_000_000_000,
      },
    });
  });

  it('names the scope that is missing', () => {
    expect(decide(claims, 'chargers:write')).toEqual({
      missing: 'scope',
      sentence: 'the token lacks the scope chargers:write',
    });
  });

  it('does not take part of a scope for the whole', () => {
    expect(decide({ ...claims, scope: 'chargers:reader xchargers:read' }, 'chargers:read')).toHaveProperty('missing');
  });

  it.each(['sub', 'exp', 'org', 'scope'])('names the claim %s when it is missing', (name) => {
    const { [name]: _, ...rest } = claims as Record<string, unknown>;
    expect(decide(rest, 'chargers:read')).toEqual({ missing: 'claim', sentence: `the token lacks the claim ${name}` });
  });

  it.each([
    ['sub', ''],
    ['org', ''],
    ['org', 7],
    ['exp', '2033'],
    ['scope', ['chargers:read']],
  ])('takes a claim %s of %j for missing', (name, value) => {
    expect(decide({ ...claims, [name]: value }, 'chargers:read')).toMatchObject({ missing: 'claim' });
  });

  it('finds a scope without words to grant nothing', () => {
    expect(decide({ ...claims, scope: '' }, 'chargers:read')).toMatchObject({ missing: 'scope' });
  });
});
