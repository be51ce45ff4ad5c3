// Whether the claims of a genuine token allow an operation, and on whose behalf.

import type { Scope } from './scopes.ts';

export type Claims = Readonly<Record<string, unknown>>;

export interface Caller {
  readonly sub: string;
  /** The tenant: the caller sees what belongs to it and nothing else. */
  readonly org: string;
  readonly scopes: readonly string[];
  /** When the token ends: seconds since 1970. */
  readonly expiresAtS: number;
}

export type Decision =
  | { readonly allowed: Caller }
  | { readonly missing: 'claim' | 'scope'; readonly sentence: string };

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** The order is the order in which a missing claim is named. */
const requiredClaims: readonly { readonly name: string; readonly isGiven: (value: unknown) => boolean }[] = [
  { name: 'sub', isGiven: isText },
  { name: 'exp', isGiven: (value) => typeof value === 'number' },
  { name: 'org', isGiven: isText },
  // A scope without words is a claim that grants nothing.
  { name: 'scope', isGiven: (value) => typeof value === 'string' },
];

export function decide(claims: Claims, scope: Scope): Decision {
  const lacking = requiredClaims.find(({ name, isGiven }) => !isGiven(claims[name]));
  if (lacking !== undefined) return { missing: 'claim', sentence: `the token lacks the claim ${lacking.name}` };
  const granted = String(claims['scope']).split(/\s+/);
  if (!granted.includes(scope)) return { missing: 'scope', sentence: `the token lacks the scope ${scope}` };
  const { sub, org, exp } = claims;
  return { allowed: { sub: String(sub), org: String(org), scopes: granted, expiresAtS: Number(exp) } };
}
