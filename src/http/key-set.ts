// The public keys that tokens are checked with: kept, looked at again as they get old, and for a while good without a look.

import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import type { Clock } from '../ports/clock.ts';
import { HttpProblem } from './problem.ts';

export interface KeySetOptions {
  /** Fails when the keys cannot be had. */
  load(): Promise<JSONWebKeySet>;
  readonly clock: Clock;
  /** Younger keys are taken without another look. */
  readonly freshMs: number;
  readonly log: {
    info(sentence: string): void;
    warn(detail: object, sentence: string): void;
  };
}

export interface KeySet {
  /** Looks at the keys now, or waits for the look that is under way; what goes wrong is logged. */
  look(): Promise<void>;
  /** For the one who checks a token: the key that it names. */
  readonly keyFor: JWTVerifyGetKey;
}

/** After a look in vain, and for a key that nobody knows, the next look has to wait this long. */
const pauseMs = 5_000;
/** While the keys cannot be had, the last ones do for this long. */
const staleMs = 600_000;

interface Keys {
  readonly text: string;
  readonly find: JWTVerifyGetKey;
  readonly atMs: number;
}

export function keySet({ load, clock, freshMs, log }: KeySetOptions): KeySet {
  let keys: Keys | null = null;
  let looking: Promise<void> | null = null;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let isFailing = false;

  const take = (set: JSONWebKeySet): void => {
    const text = JSON.stringify(set);
    // The same keys again: those that have been read need not be read once more.
    keys = { text, find: keys?.text === text ? keys.find : createLocalJWKSet(set), atMs: clock.nowMs() };
    if (isFailing) log.info('the keys that tokens are checked with can be read again');
    isFailing = false;
  };

  const note = (error: unknown): void => {
    const reason = reasonOf(error);
    if (!isFailing) log.warn({ reason }, `the keys that tokens are checked with cannot be read: ${reason}`);
    isFailing = true;
  };

  const look = (): Promise<void> => {
    looking ??= load()
      .then(take)
      .catch(note)
      .finally(() => {
        lookedAtMs = clock.nowMs();
        looking = null;
      });
    return looking;
  };

  const mayLook = (): boolean => looking !== null || clock.nowMs() >= lookedAtMs + pauseMs;
  const ageMs = (): number => (keys === null ? Number.POSITIVE_INFINITY : clock.nowMs() - keys.atMs);

  /** Looks where that is due. While looks are in vain nobody waits for the next one, as long as the last keys do. */
  const refresh = async (): Promise<void> => {
    if (ageMs() < freshMs || (isFailing && !mayLook())) return;
    const looked = look();
    if (!isFailing || ageMs() > staleMs) await looked;
  };

  const known = (): Keys => {
    if (keys === null || ageMs() > staleMs) throw withoutKeys();
    return keys;
  };

  return {
    look,
    async keyFor(header, token) {
      await refresh();
      try {
        return await known().find(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        // It may be a key that has come since.
        if (mayLook()) await look();
        // Who cannot look cannot say that the key is wrong.
        if (isFailing) throw withoutKeys();
        return known().find(header, token);
      }
    },
  };
}

/** What lies behind it too: that a connection failed says less than why. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}

const withoutKeys = (): HttpProblem =>
  new HttpProblem(503, 'tokens cannot be checked at the moment, because the keys for that cannot be read', {
    headers: { 'retry-after': String(pauseMs / 1000) },
  });
