// The same request with the same Idempotency-Key is answered the same again, for a day, and is never done twice.

import { createHash } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import { isFailure } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Receipt, Store } from '../ports/store.ts';
import { HttpProblem, invalid } from './problem.ts';

export const keyHeader = 'Idempotency-Key';
export const keyPattern = '^[!-~]{1,255}$';
const validKey = new RegExp(keyPattern);

export const receiptLifeMs = 24 * 60 * 60_000;
/** How often, at most, old receipts are looked for. */
const sweepEveryMs = 10 * 60_000;

/** What goes out: the body as text, so that it can go out again to the letter. */
export type Answered = Pick<Receipt, 'status' | 'headers' | 'body'>;

export interface Request {
  readonly org: string;
  readonly key: string;
  /** Method, path and what else tells one request from another. */
  readonly parts: readonly unknown[];
}

/**
 * Does the work. `receiptOf` makes the receipt that is to become durable together with what the work changes; the last one made
 * counts. Work that makes none has changed nothing, and its receipt is kept for it afterwards.
 */
export type Work = (receiptOf: (answered: Answered) => Receipt) => Promise<Answered>;

/** Says what is wrong with the header by a throw. */
export function keyOf(header: string | readonly string[] | undefined): string | null {
  if (header === undefined) return null;
  if (typeof header === 'string' && validKey.test(header)) return header;
  throw invalid([{ field: keyHeader, message: 'must be 1 to 255 visible ASCII characters' }]);
}

export class Idempotency {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #logger: FastifyBaseLogger;
  /** Requests that are being worked on here. */
  readonly #running = new Set<string>();
  #sweptAtMs: number;

  constructor({ store, clock, logger }: { store: Store; clock: Clock; logger: FastifyBaseLogger }) {
    this.#store = store;
    this.#clock = clock;
    this.#logger = logger;
    this.#sweptAtMs = clock.nowMs() - sweepEveryMs;
  }

  /** A request that fails leaves no receipt: it may be sent again. */
  async once({ org, key, parts }: Request, work: Work): Promise<Answered> {
    const running = JSON.stringify([org, key]);
    if (this.#running.has(running)) throw stillRunning();
    this.#running.add(running);
    try {
      this.#sweep();
      const fingerprint = fingerprintOf(parts);
      const earlier = await this.#earlier(org, key, fingerprint);
      if (earlier !== null) return earlier;
      try {
        return await this.#done({ org, key, fingerprint }, work);
      } catch (error) {
        // Another process has been given the same request, and was faster: what it did stands.
        if (!isFailure(error, 'receipt_taken')) throw error;
        const faster = await this.#earlier(org, key, fingerprint);
        if (faster === null) throw error;
        return faster;
      }
    } finally {
      this.#running.delete(running);
    }
  }

  async #done(named: Pick<Receipt, 'org' | 'key' | 'fingerprint'>, work: Work): Promise<Answered> {
    let isMade = false;
    const receiptOf = (answered: Answered): Receipt => {
      isMade = true;
      return { ...named, ...answered, atMs: this.#clock.nowMs() };
    };
    const answered = await work(receiptOf);
    if (!isMade) await this.#store.keepReceipt(receiptOf(answered));
    return answered;
  }

  async #earlier(org: string, key: string, fingerprint: string): Promise<Receipt | null> {
    const found = await this.#store.receipt(org, key);
    if (found === null) return null;
    const oldestMs = this.#clock.nowMs() - receiptLifeMs;
    if (found.atMs <= oldestMs) {
      // Out of the way of the one to come.
      await this.#store.forgetReceipts(oldestMs + 1);
      return null;
    }
    if (found.fingerprint !== fingerprint) throw usedOtherwise();
    return found;
  }

  #sweep(): void {
    const nowMs = this.#clock.nowMs();
    if (nowMs - this.#sweptAtMs < sweepEveryMs) return;
    this.#sweptAtMs = nowMs;
    this.#store
      .forgetReceipts(nowMs - receiptLifeMs)
      .catch((error: unknown) => this.#logger.error({ err: error }, 'old receipts could not be forgotten'));
  }
}

const stillRunning = () =>
  new HttpProblem(409, `the first request with this ${keyHeader} is still being worked on`, {
    headers: { 'retry-after': '1' },
  });

const usedOtherwise = () => invalid([{ field: keyHeader, message: 'was used for another request' }]);

const fingerprintOf = (parts: readonly unknown[]): string =>
  createHash('sha256').update(canonical(parts)).digest('base64url');

/** JSON that does not depend on the order in which fields were sent. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`).join(',')}}`;
}
