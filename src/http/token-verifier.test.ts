// Checks which tokens are taken for genuine, and for how long.
import { createSecretKey } from 'node:crypto';
import { type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '../adapters/clock/virtual.ts';
import { secretTokenKey, type TokenVerifier, tokenVerifier } from './token-verifier.ts';

const nowS = 1_700_000_000;
const secret = 'the secret of these tests, which is long enough';

let clock: VirtualClock;
let verify: TokenVerifier;
beforeEach(() => {
  clock = new VirtualClock(nowS * 1000);
  verify = tokenVerifier({ key: secretTokenKey(secret), issuer: null, audience: null, clock });
});

const sign = (claims: JWTPayload, options: { alg?: string; secret?: string } = {}) =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: options.alg ?? 'HS256' })
    .sign(createSecretKey(options.secret ?? secret, 'utf8'));

const invalid = { rejected: 'the bearer token is not valid' };

describe('a token', () => {
  it('with the right signature is genuine, whatever it claims', async () => {
    expect(await verify(await sign({ anything: 1 }))).toEqual({ claims: { anything: 1 } });
  });

  it('signed with another secret, with another algorithm or not at all is not', async () => {
    const claims = { sub: 'x', exp: nowS + 60 };
    expect(await verify(await sign(claims, { secret: 'another secret of some length as well' }))).toEqual(invalid);
    expect(await verify(await sign(claims, { alg: 'HS512', secret: secret.repeat(2) }))).toEqual(invalid);
    expect(await verify(await sign(claims, { alg: 'HS384', secret: secret.repeat(2) }))).toEqual(invalid);
    expect(await verify(new UnsecuredJWT(claims).encode())).toEqual(invalid);
    expect(await verify('')).toEqual(invalid);
    expect(await verify('a.b.c')).toEqual(invalid);
    expect(await verify('x'.repeat(10_000))).toEqual(invalid);
  });

  it('that has expired or is not yet valid says so', async () => {
    expect(await verify(await sign({ exp: nowS - 30 }))).toEqual({ rejected: 'the bearer token has expired' });
    expect(await verify(await sign({ nbf: nowS + 31 }))).toEqual({ rejected: 'the bearer token is not valid yet' });
  });

  it('may come from a machine whose clock is off by half a minute', async () => {
    expect(await verify(await sign({ exp: nowS - 29 }))).toHaveProperty('claims');
    expect(await verify(await sign({ nbf: nowS + 30 }))).toHaveProperty('claims');
  });

  it('must name issuer and audience where these are configured', async () => {
    verify = tokenVerifier({ key: secretTokenKey(secret), issuer: 'me', audience: 'you', clock });
    const wrong = (claim: string) => ({
      rejected: `the bearer token is not meant for this gateway: its claim ${claim} is wrong`,
    });
    expect(await verify(await sign({ iss: 'me', aud: 'you' }))).toHaveProperty('claims');
    expect(await verify(await sign({ iss: 'me', aud: ['they', 'you'] }))).toHaveProperty('claims');
    expect(await verify(await sign({ iss: 'he', aud: 'you' }))).toEqual(wrong('iss'));
    expect(await verify(await sign({ iss: 'me', aud: 'they' }))).toEqual(wrong('aud'));
    expect(await verify(await sign({}))).toEqual(wrong('iss'));
  });

  it('that is known already ends all the same when it expires', async () => {
    const token = await sign({ exp: nowS - 20 });
    expect(await verify(token)).toHaveProperty('claims');
    clock.advance(9_999);
    expect(await verify(token)).toHaveProperty('claims');
    clock.advance(1);
    expect(await verify(token)).toEqual({ rejected: 'the bearer token has expired' });
  });

  it('that has been forgotten for others is looked at again', async () => {
    verify = tokenVerifier({ key: secretTokenKey(secret), issuer: null, audience: null, clock, mostKnown: 3 });
    const tokens = await Promise.all(Array.from({ length: 10 }, (_, index) => sign({ sub: `user ${index}` })));
    for (const token of [...tokens, ...tokens]) expect(await verify(token)).toHaveProperty('claims');
  });
});
