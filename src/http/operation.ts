// One operation of the interface: where it is, who may call it, what goes in and out. Routes and their description are made from it.

import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import Type from 'typebox';
import type { Caller } from '../auth/decide.ts';
import type { Scope } from '../auth/scopes.ts';
import type { Receipt } from '../ports/store.ts';
import { requireScope } from './access.ts';
import { type Answered, type Idempotency, keyHeader, keyOf } from './idempotency.ts';
import { invalid } from './problem.ts';
import { closed } from './schema.ts';
import type { TokenVerifier } from './token-verifier.ts';

/** The names between braces: `charger_id` of `/ocpp/chargers/{charger_id}`. */
type ParameterOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterOf<Rest>
  : never;

export type Headers = Readonly<Record<string, string>>;

export interface Call<Path extends string, Query, Body, Output> {
  readonly caller: Caller;
  readonly params: Readonly<Record<ParameterOf<Path>, string>>;
  readonly query: Query;
  readonly body: Body;
  /**
   * Announces the answer, and the headers that go with it. In an idempotent operation the result belongs into the same commit as
   * the change; it is undefined when the client has sent no key. Announced again, the last one counts.
   */
  receipt(output: Output, headers?: Headers): Receipt | undefined;
  /** Aborts when the client has gone or the server closes: whoever waits stops waiting. */
  readonly signal: AbortSignal;
  readonly reply: FastifyReply;
  readonly log: FastifyBaseLogger;
}

export interface Answer<Schema extends Type.TSchema = Type.TSchema> {
  readonly status: 200 | 201 | 202;
  readonly description: string;
  readonly schema: Schema;
  readonly example: NoInfer<Type.Static<Schema>>;
  readonly headers?: Headers;
}

/** Goes on and on, written by the operation itself. */
export interface StreamAnswer {
  readonly status: 200;
  readonly description: string;
  readonly mediaType: string;
  readonly example: string;
}

/** Done, and there is nothing to be said about it. */
export interface EmptyAnswer {
  readonly status: 204;
  readonly description: string;
}

export interface Operation<
  Path extends string = string,
  Query extends Type.TObject = Type.TObject,
  Body extends Type.TSchema = Type.TSchema,
  Output extends Type.TSchema = Type.TSchema,
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: Path;
  /** For generated clients: unique. */
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** Null: open without a token. */
  readonly scope: Scope | null;
  /** What the parameters in the path are. */
  readonly params?: Readonly<Record<ParameterOf<Path>, string>>;
  readonly query?: Query;
  readonly body?: { readonly schema: Body; readonly example: NoInfer<Type.Static<Body>> };
  /** What it looks at of the headers, beside those that every operation of its kind has. */
  readonly headers?: Headers;
  readonly answer: Answer<Output> | StreamAnswer | EmptyAnswer;
  /** Error statuses beyond those that every operation of its kind has. */
  readonly problems: readonly number[];
  /** Takes an Idempotency-Key. */
  readonly idempotent?: boolean;
  handle(
    call: Call<Path, Type.Static<Query>, Type.Static<Body>, Type.Static<Output>>,
  ): Promise<Type.Static<Output>> | Type.Static<Output>;
}

/** What an operation is mounted with. */
export interface Mount {
  readonly app: FastifyInstance;
  readonly verifyToken: TokenVerifier;
  readonly idempotency: Idempotency;
  /** Aborts when the server closes. */
  readonly closing: AbortSignal;
}

const noQuery = closed({});

/** All error statuses that the operation can answer. */
export function problemsOf({ method, scope, idempotent, problems }: Operation): readonly number[] {
  const common = [
    ...(scope === null ? [] : [401, 403, 429, 503]),
    422,
    500,
    // A body is looked at, and refused if need be, also where none is asked for.
    ...(method === 'GET' ? [] : [413, 415]),
    ...(idempotent ? [409] : []),
  ];
  return [...new Set([...common, ...problems])].sort();
}

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation;
  }
}

export function mount<
  Path extends string,
  Query extends Type.TObject,
  Body extends Type.TSchema,
  Output extends Type.TSchema,
>({ app, verifyToken, idempotency, closing }: Mount, operation: Operation<Path, Query, Body, Output>): void {
  const { method, path, scope, params = {}, query = noQuery, body, answer, idempotent = false, handle } = operation;
  const schema: FastifySchema = {
    params: Type.Object(Object.fromEntries(Object.keys(params).map((name) => [name, Type.String()]))),
    querystring: query,
    ...(body === undefined ? {} : { body: body.schema }),
    ...('schema' in answer ? { response: { [answer.status]: answer.schema } } : {}),
  };

  const answeredWith = (reply: FastifyReply, value: Type.Static<Output>, headers: Headers): Answered => ({
    status: answer.status,
    headers,
    body: String(reply.serializeInput(value, String(answer.status))),
  });

  /** What it returns, the headers it has announced, and its answer as text when a receipt was made of it. */
  const run = async (
    request: FastifyRequest,
    reply: FastifyReply,
    receiptOf: ((answered: Answered) => Receipt) | null,
  ): Promise<Ran<Type.Static<Output>>> => {
    let headers: Headers = {};
    let answered: Answered | null = null;
    const value = await handle({
      caller: request.caller ?? nobody,
      params: request.params as Readonly<Record<ParameterOf<Path>, string>>,
      query: request.query as Type.Static<Query>,
      body: request.body as Type.Static<Body>,
      receipt: (output, given = {}) => {
        headers = given;
        if (receiptOf === null) return undefined;
        const announced = answeredWith(reply, output, headers);
        answered = announced;
        return receiptOf(announced);
      },
      // Made only for those who look: it listens to the connection.
      get signal() {
        return AbortSignal.any([goneSignal(reply), closing]);
      },
      reply,
      log: request.log,
    });
    return { value, headers, answered };
  };

  const runOnce = (request: FastifyRequest, reply: FastifyReply, key: string): Promise<Answered> => {
    const { org } = request.caller ?? nobody;
    const parts = [method, path, request.params, request.body];
    return idempotency.once({ org, key, parts }, async (receiptOf) => {
      const { value, headers, answered } = await run(request, reply, receiptOf);
      return answered ?? answeredWith(reply, value, headers);
    });
  };

  app.route({
    method,
    url: path.replace(/\{(\w+)\}/g, ':$1'),
    ...(scope === null ? {} : { onRequest: requireScope(verifyToken, scope) }),
    schema,
    config: { operation: operation as unknown as Operation },
    handler: async (request, reply) => {
      if (body === undefined) refuseBody(request.body);
      const key = idempotent ? keyOf(request.headers[keyHeader.toLowerCase()]) : null;
      if (key !== null) {
        const { status, headers, body: text } = await runOnce(request, reply, key);
        return reply.code(status).headers(headers).type('application/json').send(text);
      }
      const { value, headers } = await run(request, reply, null);
      if ('mediaType' in answer) return reply;
      reply.code(answer.status).headers(headers);
      return answer.status === 204 ? reply.send() : reply.send(value);
    },
  });
}

interface Ran<Value> {
  readonly value: Value;
  readonly headers: Headers;
  readonly answered: Answered | null;
}

/** What an operation does not look at must not be sent to it. */
function refuseBody(body: unknown): void {
  if (typeof body !== 'object' || body === null) {
    if (body != null) throw invalid([{ field: 'body', message: 'must be left out or empty' }]);
    return;
  }
  const violations = Object.keys(body).map((field) => ({ field, message: 'is not known here; known: nothing' }));
  if (violations.length > 0) throw invalid(violations);
}

/** Aborts when the answer is out or nobody waits for it any more. The request's own signal aborts once its body has been read. */
function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  return gone.signal;
}

/** Whoever calls an operation that needs no token. */
const nobody: Caller = Object.freeze({ sub: '', org: '', scopes: [], expiresAtS: 0 });
