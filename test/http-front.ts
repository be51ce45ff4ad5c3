// The HTTP front on a store and a queue in memory, called in process, with chargers that answer what a test wants them to.
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import pino from 'pino';
import { SystemClock } from '../src/adapters/clock/system.ts';
import { SqliteQueue } from '../src/adapters/queue/sqlite.ts';
import { openSqliteStore, type SqliteStore } from '../src/adapters/store/sqlite.ts';
import { everyScope, makeToken } from '../src/cli/token.ts';
import { Failure } from '../src/errors.ts';
import type { HttpDependencies } from '../src/http/dependencies.ts';
import { idSource } from '../src/http/ids.ts';
import { buildServer } from '../src/http/server.ts';
import { secretTokenKey, tokenVerifier } from '../src/http/token-verifier.ts';
import type { Ask, Question } from '../src/ports/ask.ts';
import type { QueueItem } from '../src/ports/queue.ts';

export const secret = 'a secret for tests alone, long enough';

export interface Front {
  readonly app: FastifyInstance;
  readonly store: SqliteStore;
  /** What the fleet would have got, in order. */
  readonly items: QueueItem[];
  /** What was asked of chargers. */
  readonly questions: { readonly chargerId: string; readonly question: Question }[];
  /** How chargers answer; nobody runs any until a test says otherwise. */
  answer: (chargerId: string, question: Question) => unknown;
  ready: string | null;
  readonly log: string[];
  /** Whose token calls carry. */
  org: string;
  /** From now on calls are those of a tenant that has nothing yet: a front is costly to start, a tenant is not. */
  newTenant(): Promise<void>;
  call(method: string, url: string, options?: CallOptions): Promise<Reply>;
  close(): Promise<void>;
}

export interface CallOptions {
  readonly body?: unknown;
  /** Null: no token. */
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely.
  readonly body: any;
  readonly headers: LightMyRequestResponse['headers'];
}

export const tokenOf = (org: string, scope: string = everyScope): Promise<string> =>
  makeToken(secret, { org, subject: 'tester', scope, ttlS: 3_600, issuer: null, audience: null }, Date.now());

export async function startFront(changes: Partial<HttpDependencies> = {}): Promise<Front> {
  const clock = new SystemClock();
  const store = await openSqliteStore({ path: ':memory:' });
  const queue = new SqliteQueue(store);
  const items: QueueItem[] = [];
  queue.subscribe((some) => items.push(...some));
  const log: string[] = [];
  const ask = {
    ask: async (chargerId: string, question: Question) => {
      front.questions.push({ chargerId, question });
      return front.answer(chargerId, question);
    },
  } as Ask;
  const app = await buildServer({
    store,
    queue,
    ask,
    clock,
    verifyToken: tokenVerifier({ key: secretTokenKey(secret), issuer: null, audience: null, clock }),
    defaults: {
      csmsUrl: (org) => `ws://127.0.0.1:8080/csms/${encodeURIComponent(org)}`,
      publicUrl: () => 'http://127.0.0.1:8080',
    },
    newId: idSource(() => clock.nowMs()),
    newSeed: () => 7,
    ready: async () => front.ready,
    logger: pino({ level: 'debug' }, { write: (line: string) => void log.push(line) }),
    version: '1.2.3',
    ...changes,
  });
  let everything = await tokenOf('demo');
  let tenants = 0;
  const nobodyRuns = () => {
    throw new Failure('not_running');
  };
  const front: Front = {
    app,
    store,
    items,
    questions: [],
    answer: nobodyRuns,
    ready: null,
    log,
    org: 'demo',
    async newTenant() {
      front.org = `tenant-${++tenants}`;
      everything = await tokenOf(front.org);
      items.length = 0;
      front.questions.length = 0;
      front.answer = nobodyRuns;
    },
    async call(method, url, { body, token = everything, headers = {} } = {}) {
      const response = await app.inject({
        method: method as NonNullable<InjectOptions['method']>,
        url,
        headers: {
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      return { status: response.statusCode, body: readBody(response), headers: response.headers };
    },
    async close() {
      await app.close();
      await store.close();
    },
  };
  return front;
}

function readBody(response: LightMyRequestResponse): unknown {
  const isJson = String(response.headers['content-type'] ?? '').startsWith('application/json');
  return isJson && response.body !== '' ? response.json() : response.body;
}
