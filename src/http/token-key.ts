// What tokens are checked with, as configured: a secret, or public keys from a file or an address.

import { readFile } from 'node:fs/promises';
import { createLocalJWKSet, createRemoteJWKSet, type JSONWebKeySet } from 'jose';
import { Failure } from '../errors.ts';
import { type KeySet, type KeySetOptions, keySet } from './key-set.ts';
import { secretTokenKey, type TokenKey } from './token-verifier.ts';

export interface TokenKeySettings {
  readonly jwksUrl: string | null;
  readonly jwksFile: string | null;
}

export type TokenKeyParts = Pick<KeySetOptions, 'clock' | 'log'>;

/** With what is remembered of a token, a key that is withdrawn ends its tokens within a minute. */
const urlFreshMs = 20_000;
const fileFreshMs = 1_000;
const fetchTimeoutMs = 5_000;

/** `secret` is null where there are public keys instead. A file that cannot be used is a bad setting; an address may come later. */
export async function tokenKey(
  { jwksUrl, jwksFile }: TokenKeySettings,
  secret: string | null,
  parts: TokenKeyParts,
): Promise<TokenKey> {
  if (jwksFile !== null) {
    const load = () => keysOfFile(jwksFile);
    await load().catch((error: Error) => {
      throw new Failure('bad_setting', `JWKS_FILE ${jwksFile} cannot be used: ${error.message}`, { cause: error });
    });
    return publicTokenKey(keySet({ ...parts, load, freshMs: fileFreshMs }));
  }
  if (jwksUrl !== null) {
    const keys = keySet({ ...parts, load: keysAt(jwksUrl), freshMs: urlFreshMs });
    void keys.look();
    return publicTokenKey(keys);
  }
  if (secret === null) throw new Error('bug: there is nothing to check tokens with');
  return secretTokenKey(secret);
}

/** No algorithm with a secret: a public key is no secret, and must never be taken for one. */
const publicTokenKey = ({ keyFor }: KeySet): TokenKey => ({ key: keyFor, algorithms: ['RS256', 'ES256', 'EdDSA'] });

function keysAt(url: string): () => Promise<JSONWebKeySet> {
  // Ours is the keeping; its is the fetching.
  const remote = createRemoteJWKSet(new URL(url), { timeoutDuration: fetchTimeoutMs });
  return async () => {
    await remote.reload();
    return remote.jwks() ?? { keys: [] };
  };
}

async function keysOfFile(file: string): Promise<JSONWebKeySet> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`it cannot be read (${error.code})`);
  });
  let set: JSONWebKeySet;
  try {
    set = JSON.parse(text);
    createLocalJWKSet(set);
  } catch {
    throw new Error('it is not a JSON Web Key Set, such as {"keys": [ … ]}');
  }
  if (set.keys.some((key) => 'd' in key)) throw new Error('it holds a private key; only public ones belong here');
  return set;
}
