// Checks how long public keys are good, when they are looked at again, and what happens when they cannot be had.
import { exportJWK, generateKeyPair, type JSONWebKeySet, type JWK, SignJWT } from 'jose';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '../adapters/clock/virtual.ts';
import { type KeySet, keySet } from './key-set.ts';
import { type TokenVerifier, tokenVerifier } from './token-verifier.ts';

interface Pair {
  readonly key: JWK;
  sign(): Promise<string>;
}

async function pair(kid: string | null): Promise<Pair> {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const named = kid === null ? {} : { kid };
  return {
    key: { ...(await exportJWK(publicKey)), ...named },
    sign: () => new SignJWT({ sub: kid ?? 'x' }).setProtectedHeader({ alg: 'ES256', ...named }).sign(privateKey),
  };
}

const withoutKeys = {
  status: 503,
  message: 'tokens cannot be checked at the moment, because the keys for that cannot be read',
  headers: { 'retry-after': '5' },
};
const genuine = { claims: expect.anything() };
const invalid = { rejected: 'the bearer token is not valid' };

let first: Pair;
let second: Pair;
let clock: VirtualClock;
let published: JSONWebKeySet | null;
let looks: number;
let warnings: string[];
let keys: KeySet;
let verify: TokenVerifier;
beforeAll(async () => {
  first = await pair('first');
  second = await pair('second');
});
beforeEach(() => {
  clock = new VirtualClock(1_700_000_000_000);
  published = { keys: [first.key] };
  looks = 0;
  warnings = [];
  keys = keySet({
    clock,
    freshMs: 20_000,
    log: { info: (sentence) => warnings.push(sentence), warn: (_, sentence) => warnings.push(sentence) },
    async load() {
      looks++;
      if (published === null) throw new Error('nobody answers', { cause: new Error('connection refused') });
      return published;
    },
  });
  verify = tokenVerifier({
    key: { key: keys.keyFor, algorithms: ['ES256'] },
    issuer: null,
    audience: null,
    clock,
  });
});

describe('keys', () => {
  it('are looked at once for many tokens', async () => {
    const tokens = await Promise.all(Array.from({ length: 10 }, () => first.sign()));
    for (const verdict of await Promise.all(tokens.map(verify))) expect(verdict).toEqual(genuine);
    clock.advance(19_999);
    expect(await verify(await first.sign())).toEqual(genuine);
    expect(looks).toBe(1);
  });

  it('that have come since are found at the first token that names them', async () => {
    await verify(await first.sign());
    published = { keys: [first.key, second.key] };
    clock.advance(5_000);
    expect(await verify(await second.sign())).toEqual(genuine);
    expect(looks).toBe(2);
  });

  it('that nobody knows are looked for every five seconds at most', async () => {
    await verify(await first.sign());
    clock.advance(5_000);
    for (let step = 0; step < 5; step++) {
      expect(await verify(await second.sign())).toEqual(invalid);
      clock.advance(1_000);
    }
    expect(looks).toBe(2);
  });

  it('that are withdrawn end their tokens within a minute, known ones too', async () => {
    const known = await first.sign();
    await verify(known);
    clock.advance(19_000);
    published = { keys: [second.key] };
    // Verified anew by a key that is still fresh, and remembered from then on.
    clock.advance(500);
    const late = await first.sign();
    expect(await verify(late)).toEqual(genuine);
    clock.advance(59_500);
    expect(await verify(known)).toEqual(invalid);
    expect(await verify(late)).toEqual(invalid);
  });

  it('that fit a token without a name are tried in turn', async () => {
    const [one, other, strange] = await Promise.all([pair(null), pair(null), pair(null)]);
    published = { keys: [one.key, other.key] };
    expect(await verify(await one.sign())).toEqual(genuine);
    expect(await verify(await other.sign())).toEqual(genuine);
    expect(await verify(await strange.sign())).toEqual(invalid);
  });
});

describe('while the keys cannot be had', () => {
  it('nobody is blamed: the answer is 503', async () => {
    published = null;
    await expect(verify(await first.sign())).rejects.toMatchObject(withoutKeys);
    expect(warnings).toEqual([
      'the keys that tokens are checked with cannot be read: nobody answers (connection refused)',
    ]);
  });

  it('looks are five seconds apart, and the first that succeeds ends it', async () => {
    published = null;
    const token = await first.sign();
    for (let step = 0; step < 5; step++) {
      await expect(verify(token)).rejects.toMatchObject(withoutKeys);
      clock.advance(1_000);
    }
    expect(looks).toBe(1);
    published = { keys: [first.key] };
    await keys.look();
    expect(await verify(token)).toEqual(genuine);
    expect(warnings.at(-1)).toBe('the keys that tokens are checked with can be read again');
    expect(warnings).toHaveLength(2);
  });

  it('the last ones do for ten minutes, and nobody waits', async () => {
    await verify(await first.sign());
    published = null;
    for (let minute = 0; minute < 9; minute++) {
      clock.advance(60_000);
      expect(await verify(await first.sign())).toEqual(genuine);
    }
    expect(looks).toBe(10);
    clock.advance(61_000);
    await expect(verify(await first.sign())).rejects.toMatchObject(withoutKeys);
  });

  it('a key that is not among the last ones is not called wrong', async () => {
    await verify(await first.sign());
    published = null;
    clock.advance(20_000);
    await expect(verify(await second.sign())).rejects.toMatchObject(withoutKeys);
    expect(await verify(await first.sign())).toEqual(genuine);
  });
});
