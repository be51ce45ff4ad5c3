// The HTTP front on a store and a queue in memory, called in process, with chargers that answer what a test wants them to.
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import pino from 'pino';
import { SystemClock } from '../src/adapters/clock/system.ts';
import { MemoryFeed } from '../src/adapters/feed/memory.ts';
import { SqliteQueue } from '../src/adapters/queue/sqlite.ts';
import { openSqliteStore, type SqliteStore } from '../src/adapters/store/sqlite.ts';
import { HttpCourier } from '../src/adapters/webhooks/http.ts';
import { everyScope, makeToken } from '../src/cli/token.ts';
import { Failure } from '../src/errors.ts';
import { logsOfFleet } from '../src/fleet/logs.ts';
import { csmsUrl } from '../src/fleet/member.ts';
import type { FrontSettings, HttpDependencies } from '../src/http/dependencies.ts';
import { idSource } from '../src/http/ids.ts';
import { buildServer } from '../src/http/server.ts';
import { secretTokenKey, tokenVerifier } from '../src/http/token-verifier.ts';
import type { Ask, Question, Statuses } from '../src/ports/ask.ts';
import type { QueueItem } from '../src/ports/queue.ts';
import { Deliveries } from '../src/webhooks/deliveries.ts';

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
  /** How the outlets of chargers are that run. */
  statuses: Map<string, Statuses>;
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

export const frontSettings: FrontSettings = {
  queueLimit: 1_000,
  rateLimit: null,
  corsOrigins: [],
  metrics: 'loopback',
};

export async function startFront(changes: Partial<HttpDependencies> = {}): Promise<Front> {
  const clock = new SystemClock();
  const store = await openSqliteStore({ path: ':memory:' });
  const queue = new SqliteQueue(store);
  const items: QueueItem[] = [];
  queue.subscribe((some) => items.push(...some));
  const log: string[] = [];
  const csmsBase = (org: string) => `ws://127.0.0.1:8080/csms/${encodeURIComponent(org)}`;
  const ask = {
    statuses: async (ids) =>
      new Map(
        ids.flatMap((id) => {
          const found = front.statuses.get(id);
          return found === undefined ? [] : [[id, found] as const];
        }),
      ),
    census: async () => ({
      processes: { alive: 1, expected: 1 },
      running: 0,
      connected: 0,
      framesIn: 0,
      framesOut: 0,
    }),
    ask: async (chargerId: string, question: Question) => {
      front.questions.push({ chargerId, question });
      return front.answer(chargerId, question);
    },
  } as Ask;
  const { feed = new MemoryFeed({ epoch: 1 }) } = changes;
  const courier = new HttpCourier({ clock, allowPrivate: true, userAgent: 'test' });
  const complain = (_: string, sentence: string) => void log.push(sentence);
  const parts = { store, feed, courier, clock, chance: () => 0, disableAfterMs: 86_400_000, complain };
  const webhooks = new Deliveries(parts);
  const app = await buildServer({
    store,
    queue,
    feed,
    webhooks,
    ask,
    logs: logsOfFleet(ask),
    clock,
    verifyToken: tokenVerifier({ key: secretTokenKey(secret), issuer: null, audience: null, clock }),
    settings: frontSettings,
    defaults: {
      csmsUrl: csmsBase,
      publicUrl: () => 'http://127.0.0.1:8080',
    },
    urlOf: (record) => csmsUrl(record.wsUrl ?? csmsBase(record.org), record.identity),
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
    statuses: new Map(),
    ready: null,
    log,
    org: 'demo',
    async newTenant() {
      front.org = `tenant-${++tenants}`;
      everything = await tokenOf(front.org);
      items.length = 0;
      front.questions.length = 0;
      front.answer = nobodyRuns;
      front.statuses = new Map();
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
      await webhooks.stop();
      await store.close();
    },
  };
  return front;
}

/** A new operator with a location, made through the front. */
export async function makeLocation(front: Front, body: object = { template: 'home-duo' }) {
  const cpo = { name: 'Sunny Charging', country_code: 'NL', party_id: 'SUN' };
  const { id: cpoId } = (await front.call('POST', '/ocpi/cpos', { body: cpo })).body;
  const { status, body: made } = await front.call('POST', `/ocpi/cpos/${cpoId}/locations`, { body });
  if (status !== 202) throw new Error(JSON.stringify(made));
  const path = `/ocpi/cpos/${cpoId}/locations/${made.location.id}`;
  return { cpoId: cpoId as string, path, location: made.location, ids: made.charger_ids as string[] };
}

function readBody(response: LightMyRequestResponse): unknown {
  const isJson = String(response.headers['content-type'] ?? '').startsWith('application/json');
  return isJson && response.body !== '' ? response.json() : response.body;
}
