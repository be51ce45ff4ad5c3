// Whether a bearer token is genuine: its signature, its times, its issuer and audience.

import { createSecretKey, type KeyObject } from 'node:crypto';
import { errors, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyOptions, jwtVerify } from 'jose';
import type { Claims } from '../auth/decide.ts';
import type { Clock } from '../ports/clock.ts';
import { clockToleranceS } from './limits.ts';

/** The claims of a genuine token, or what is wrong with it. */
export type Verdict = { readonly claims: Claims } | { readonly rejected: string };
/** Tells at once of a token that was checked a moment ago. */
export type TokenVerifier = (token: string) => Verdict | Promise<Verdict>;

/** What tokens are checked with, and the algorithms that it is good for; anything else, `none` above all, is refused. */
export interface TokenKey {
  readonly key: KeyObject | JWTVerifyGetKey;
  readonly algorithms: readonly string[];
}

export interface TokenVerifierOptions {
  readonly key: TokenKey;
  /** Null: any. */
  readonly issuer: string | null;
  readonly audience: string | null;
  readonly clock: Clock;
  /** How many verified tokens are remembered. */
  readonly mostKnown?: number;
}

export const secretTokenKey = (secret: string): TokenKey => ({
  key: createSecretKey(secret, 'utf8'),
  algorithms: ['HS256'],
});

/** Tokens longer than this are not looked at. */
const longestToken = 8_192;
/** A token that has been checked is not checked again for this long, not even when its key has been withdrawn meanwhile. */
const knownForMs = 30_000;

interface Known {
  readonly claims: Claims;
  readonly untilMs: number;
}

export function tokenVerifier(options: TokenVerifierOptions): TokenVerifier {
  const { key, issuer, audience, clock, mostKnown = 1_000 } = options;
  // In the order of their coming, so that the first is the oldest.
  const known = new Map<string, Known>();

  const remember = (token: string, claims: Claims): void => {
    const { exp } = claims;
    const expiresMs = typeof exp === 'number' ? (exp + clockToleranceS) * 1000 : Number.POSITIVE_INFINITY;
    known.delete(token);
    const oldest = known.keys().next();
    if (known.size >= mostKnown && !oldest.done) known.delete(oldest.value);
    known.set(token, { claims, untilMs: Math.min(expiresMs, clock.nowMs() + knownForMs) });
  };

  return (token) => {
    const nowMs = clock.nowMs();
    const found = known.get(token);
    return found !== undefined && nowMs < found.untilMs ? { claims: found.claims } : check(token, nowMs);
  };

  async function check(token: string, nowMs: number): Promise<Verdict> {
    if (token.length > longestToken) return { rejected: 'the bearer token is not valid' };
    try {
      const payload = await genuinePayload(token, key.key, {
        algorithms: [...key.algorithms],
        currentDate: new Date(nowMs),
        clockTolerance: clockToleranceS,
        ...(issuer === null ? {} : { issuer }),
        ...(audience === null ? {} : { audience }),
      });
      remember(token, payload);
      return { claims: payload };
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
      return { rejected: rejection(error) };
    }
  }
}

async function genuinePayload(token: string, key: TokenKey['key'], options: JWTVerifyOptions): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, key, options)).payload;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    // A token that names no key may be of any that fits.
    for await (const candidate of error) {
      try {
        return (await jwtVerify(token, candidate, options)).payload;
      } catch (failed) {
        if (!(failed instanceof errors.JWSSignatureVerificationFailed)) throw failed;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

function rejection(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'the bearer token has expired';
  if (!(error instanceof errors.JWTClaimValidationFailed)) return 'the bearer token is not valid';
  if (error.claim === 'nbf') return 'the bearer token is not valid yet';
  return `the bearer token is not meant for this gateway: its claim ${error.claim} is wrong`;
}
