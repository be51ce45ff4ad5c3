// Makes tokens for people who try the gateway out.

import { createSecretKey } from 'node:crypto';
import { SignJWT } from 'jose';
import { scopes } from '../auth/scopes.ts';
import { Failure } from '../errors.ts';
import { duration } from '../setting-readers.ts';

export interface TokenWish {
  readonly org: string;
  readonly subject: string;
  /** Space separated. */
  readonly scope: string;
  readonly ttlS: number;
  readonly issuer: string | null;
  readonly audience: string | null;
}

export const everyScope = scopes.join(' ');
export const developmentTtl = '8h';

export async function makeToken(secret: string, wish: TokenWish, nowMs: number): Promise<string> {
  const nowS = Math.floor(nowMs / 1000);
  const token = new SignJWT({ org: wish.org, scope: wish.scope })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setSubject(wish.subject)
    .setIssuedAt(nowS)
    .setExpirationTime(nowS + wish.ttlS);
  if (wish.issuer !== null) token.setIssuer(wish.issuer);
  if (wish.audience !== null) token.setAudience(wish.audience);
  return token.sign(createSecretKey(secret, 'utf8'));
}

const ttlMs = duration(1_000, 3_650 * 86_400_000);

/** In seconds, of `90s`, `15m`, `8h`, `30d`. */
export function readTtl(text: string): number {
  const ms = ttlMs(text);
  if (ms !== undefined) return ms / 1_000;
  throw new Failure(
    'bad_setting',
    `--ttl must be a time from 1s to 3650d, such as 90s, 15m, 8h or 30d, not ${JSON.stringify(text)}`,
  );
}

/** Scopes that exist, each once; a typing error would make a token that is good for nothing. */
export function readScope(text: string): string {
  const words = [...new Set(text.split(/\s+/).filter((word) => word !== ''))];
  const unknown = words.find((word) => !(scopes as readonly string[]).includes(word));
  if (unknown === undefined && words.length > 0) return words.join(' ');
  throw new Failure('bad_setting', `--scope must be some of ${everyScope}, not ${JSON.stringify(unknown ?? text)}`);
}
