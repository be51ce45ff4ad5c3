// Webhooks over HTTP, signed as Standard Webhooks says.

import { createHmac } from 'node:crypto';
import { lookup as systemLookup } from 'node:dns';
import * as https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Clock } from '../../ports/clock.ts';
import type { Courier, Delivered, WebhookMessage } from '../../ports/webhooks.ts';
import { isPrivateAddress } from './private-addresses.ts';

export interface HttpCourierOptions {
  readonly clock: Clock;
  /** Whether messages may go to this machine and into private networks. */
  readonly allowPrivate: boolean;
  /** What receivers read as `User-Agent`. */
  readonly userAgent: string;
  /** What names lead to; the system's way when left out. */
  readonly lookup?: typeof systemLookup;
}

// Taken as it is: an import would run everything in it that is loaded lazily, 60 ms of CPU time at every start.
const http = process.getBuiltinModule('node:http');

/** The receiver has so long to answer, from the first attempt to connect. */
export const answerTimeoutMs = 15_000;
/** Connections are kept open for the next message, so long. */
const idleTimeoutMs = 30_000;
/** What a receiver answers is not read; more than this of it ends the connection. */
const mostAnswerBytes = 64 * 1024;

const privateSentence = 'must not lead to this machine or into a private network';

export class HttpCourier implements Courier {
  readonly #options: HttpCourierOptions;
  readonly #agents = {
    'http:': new http.Agent({ keepAlive: true, timeout: idleTimeoutMs }),
    'https:': new https.Agent({ keepAlive: true, timeout: idleTimeoutMs }),
  };

  constructor(options: HttpCourierOptions) {
    this.#options = options;
  }

  refusal(text: string): string | null {
    const url = URL.parse(text);
    if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
      return 'must be an http:// or https:// address, such as https://example.com/hook';
    }
    if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
    if (url.hash !== '') return 'must not contain a fragment (#)';
    return !this.#options.allowPrivate && isPrivateHost(url.hostname) ? privateSentence : null;
  }

  async deliver(message: WebhookMessage): Promise<Delivered> {
    // What was allowed when it was stored may not be allowed any more.
    const refusal = this.refusal(message.url);
    if (refusal !== null) return { kind: 'failed', error: `the address ${refusal}` };
    const deadlineMs = this.#options.clock.nowMs() + answerTimeoutMs;
    try {
      return { kind: 'answered', status: await this.#post(message, deadlineMs, true) };
    } catch (error) {
      return { kind: 'failed', error: sentenceOf(error) };
    }
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  /** Of the addresses that a name leads to, those that may be used: looked at when it is dialled, whatever the name led to before. */
  readonly #lookup: LookupFunction = (hostname, options, found) => {
    const { allowPrivate, lookup = systemLookup } = this.#options;
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return found(error, '');
      const open = addresses.filter(({ address }) => allowPrivate || !isPrivateAddress(address));
      const [first] = open;
      if (first === undefined) return found(new Refused(), '');
      return options.all ? found(null, open) : found(null, first.address, first.family);
    });
  };

  /** `mayRepeat`: a receiver may close a kept connection in the moment that it is used again, which says nothing about the message. */
  #post(message: WebhookMessage, deadlineMs: number, mayRepeat: boolean): Promise<number> {
    const url = new URL(message.url);
    const isSecure = url.protocol === 'https:';
    return new Promise((answered, failed) => {
      const request = (isSecure ? https : http).request(url, {
        method: 'POST',
        agent: this.#agents[isSecure ? 'https:' : 'http:'],
        lookup: this.#lookup,
        headers: { 'user-agent': this.#options.userAgent, ...headersOf(message) },
      });
      const cancel = this.#options.clock.at(deadlineMs, () => request.destroy(new Unanswered()));
      request.on('close', cancel);
      request.on('response', (response) => {
        answered(response.statusCode ?? 0);
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > mostAnswerBytes) request.destroy();
        });
        response.on('error', () => {});
      });
      request.on('error', (error) => {
        const isStale = request.reusedSocket && codeOf(error) === 'ECONNRESET';
        if (isStale && mayRepeat) this.#post(message, deadlineMs, false).then(answered, failed);
        else failed(error);
      });
      request.end(message.body);
    });
  }
}

class Unanswered extends Error {}
class Refused extends Error {}

function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$|\.$/g, '');
  return isIP(host) === 0 ? /(?:^|\.)localhost$/i.test(host) : isPrivateAddress(host);
}

/** https://www.standardwebhooks.com: HMAC-SHA256 of id, timestamp and body. */
function headersOf({ id, atMs, body, secret }: WebhookMessage): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(atMs / 1000));
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException).code ?? '');

const sentences: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the receiver refused the connection',
  ECONNRESET: 'the receiver closed the connection without an answer',
  ENOTFOUND: 'the host name of the receiver is not known',
  EAI_AGAIN: 'the host name of the receiver could not be looked up',
};

function sentenceOf(error: unknown): string {
  if (error instanceof Unanswered) return `the receiver did not answer within ${answerTimeoutMs / 1000} s`;
  if (error instanceof Refused) return `the address ${privateSentence}`;
  const code = codeOf(error);
  return sentences[code] ?? `the receiver could not be reached${code === '' ? '' : ` (${code})`}`;
}
