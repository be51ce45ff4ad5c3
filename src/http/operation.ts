// One operation of the interface: where it is, who may call it, what goes in and out. Routes and their description are made from it.

import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifySchema } from 'fastify';
import Type from 'typebox';
import type { Caller } from '../auth/decide.ts';
import type { Scope } from '../auth/scopes.ts';
import { requireScope } from './access.ts';
import { closed } from './schema.ts';
import type { TokenVerifier } from './token-verifier.ts';

/** The names between braces: `charger_id` of `/ocpp/chargers/{charger_id}`. */
type ParameterOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterOf<Rest>
  : never;

export interface Call<Path extends string, Query, Body> {
  readonly caller: Caller;
  readonly params: Readonly<Record<ParameterOf<Path>, string>>;
  readonly query: Query;
  readonly body: Body;
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
  readonly headers?: Readonly<Record<string, string>>;
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
  readonly answer: Answer<Output>;
  /** Error statuses beyond those that every operation of its kind has. */
  readonly problems: readonly number[];
  handle(call: Call<Path, Type.Static<Query>, Type.Static<Body>>): Promise<Type.Static<Output>> | Type.Static<Output>;
}

/** What an operation is mounted with. */
export interface Mount {
  readonly app: FastifyInstance;
  readonly verifyToken: TokenVerifier;
  /** Aborts when the server closes. */
  readonly closing: AbortSignal;
}

const noQuery = closed({});

/** All error statuses that the operation can answer. */
export function problemsOf({ scope, body, problems }: Operation): readonly number[] {
  const common = [...(scope === null ? [] : [401, 403]), 422, 500, ...(body === undefined ? [] : [413, 415])];
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
>({ app, verifyToken, closing }: Mount, operation: Operation<Path, Query, Body, Output>): void {
  const { method, path, scope, params = {}, query = noQuery, body, answer, handle } = operation;
  const schema: FastifySchema = {
    params: Type.Object(Object.fromEntries(Object.keys(params).map((name) => [name, Type.String()]))),
    querystring: query,
    ...(body === undefined ? {} : { body: body.schema }),
    response: { [answer.status]: answer.schema },
  };
  app.route({
    method,
    url: path.replace(/\{(\w+)\}/g, ':$1'),
    ...(scope === null ? {} : { onRequest: requireScope(verifyToken, scope) }),
    schema,
    config: { operation: operation as unknown as Operation },
    handler: async (request, reply) => {
      const value = await handle({
        caller: request.caller ?? nobody,
        params: request.params as Readonly<Record<ParameterOf<Path>, string>>,
        query: request.query as Type.Static<Query>,
        body: request.body as Type.Static<Body>,
        // Made only for those who look: it listens to the connection.
        get signal() {
          return AbortSignal.any([goneSignal(reply), closing]);
        },
        reply,
        log: request.log,
      });
      return reply.code(answer.status).send(value);
    },
  });
}

/** Aborts when the answer is out or nobody waits for it any more. The request's own signal aborts once its body has been read. */
function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  return gone.signal;
}

/** Whoever calls an operation that needs no token. */
const nobody: Caller = Object.freeze({ sub: '', org: '', scopes: [] });
