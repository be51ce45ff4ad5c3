// The OpenAPI description, made from the operations that the routes are made from.

import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';
import Type from 'typebox';
import { webhookMessages } from './event-schema.ts';
import { keyHeader, keyPattern } from './idempotency.ts';
import { type Headers, type Operation, problemsOf } from './operation.ts';
import { httpErrorResponse, meanings } from './problem.ts';

export interface DescriptionOptions {
  /** Where clients reach the gateway. */
  readonly publicUrl: () => string;
}

/** Of the interface, not of the program behind it. */
export const interfaceVersion = '1.0.0';

const introduction = `Creates, runs and controls fleets of simulated EV chargers that speak OCPP 1.6, 2.0.1 and 2.1.

- Every operation under \`/ocpp\` and \`/ocpi\` needs a bearer token (a JWT) with the claims \`sub\`, \`exp\`, \`org\` (the tenant) and \`scope\`; each names the scope it needs.
- Every error has the same shape. Unknown fields and query parameters are refused with 422; an empty query value is as good as none.
- Ids are opaque and sort by creation; timestamps are ISO 8601 in UTC with milliseconds.
- Every POST takes an \`Idempotency-Key\`: sent again with the same body within 24 hours it is answered as the first time, and nothing is done twice; with another body it is 422.`;

const tags = [
  { name: 'chargers', description: 'Deployments of simulated chargers.' },
  { name: 'simulators', description: 'Chargers as they run: their state and their log.' },
  { name: 'commands', description: 'What can be done to chargers, and what became of it.' },
  {
    name: 'locations',
    description: 'Charge point operators (CPOs) and their locations, as OCPI 2.2.1 describes them.',
  },
  { name: 'events', description: 'What happens to chargers, as it happens: streams and webhooks.' },
  { name: 'catalog', description: 'Charger brands and their models, and how they are drawn.' },
  { name: 'templates', description: 'Presets of locations, and of networks of them.' },
  { name: 'service', description: 'The gateway itself.' },
];

/** To be called before the routes are added. */
export async function describeInterface(app: FastifyInstance, { publicUrl }: DescriptionOptions): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Charger Simulation Gateway',
        version: interfaceVersion,
        description: introduction,
        license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
      },
      tags,
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
    },
    transform: ({ schema, url, route }) => {
      const { operation, described } = route.config ?? {};
      return { schema: operation === undefined ? (described ?? { hide: true }) : documented(operation, schema), url };
    },
    transformObject: (document) => {
      if (!('openapiObject' in document)) throw new Error('bug: the description is not OpenAPI 3');
      const { openapiObject } = document;
      const schemas: Record<string, unknown> = {};
      const paths = withNamedSchemas(openapiObject.paths, schemas);
      const webhooks = withNamedSchemas(webhookMessages, schemas);
      const components = { ...openapiObject.components, schemas: sorted(schemas) };
      return {
        ...openapiObject,
        servers: serversOf(publicUrl()),
        paths,
        webhooks,
        components,
      } as unknown as typeof openapiObject;
    },
  });
}

/**
 * First the place that the description was read from: a page may only call where it comes from, whatever name that goes by. Behind
 * a path nothing but the whole address will do.
 */
function serversOf(publicUrl: string): readonly object[] {
  const whole = { url: publicUrl };
  return URL.parse(publicUrl)?.pathname === '/' ? [{ url: '/', description: 'where this was read' }, whole] : [whole];
}

function documented(operation: Operation, schema: FastifySchema): FastifySchema {
  const { id, tag, summary, description, scope, params = {}, query, body, answer } = operation;
  const right = scope === null ? 'Needs no token.' : `Needs the scope \`${scope}\`.`;
  const pathParameters = Object.entries<string>(params).map(([name, told]) => [
    name,
    Type.String({ description: told }),
  ]);
  return {
    ...schema,
    operationId: id,
    tags: [tag],
    summary,
    description: `${description}\n\n${right}`,
    security: scope === null ? [] : [{ bearer: [scope] }],
    params: Type.Object(Object.fromEntries(pathParameters)),
    ...(query === undefined ? {} : { querystring: asSent(query) }),
    ...(operation.idempotent ? { headers: idempotencyHeaders } : {}),
    ...(operation.headers === undefined ? {} : { headers: Type.Object(optionalTexts(operation.headers)) }),
    ...(body === undefined ? {} : { body: { ...asSent(body.schema), examples: [body.example] } }),
    response: {
      [answer.status]: successAnswer(answer),
      ...Object.fromEntries(problemsOf(operation).map((status) => [status, problemAnswer(status)])),
    },
  };
}

/** The schema as senders need it: what has a default may be left out. */
function asSent<Node>(node: Node): Node {
  if (Array.isArray(node)) return node.map(asSent) as Node;
  if (typeof node !== 'object' || node === null) return node;
  const copy: Record<string, unknown> = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, dataKeywords.has(key) ? value : asSent(value)]),
  );
  const { properties, required } = copy;
  if (typeof properties !== 'object' || properties === null || !Array.isArray(required)) return copy as Node;
  const fields = properties as Readonly<Record<string, object>>;
  const needed = required.filter((name) => !('default' in (fields[name] ?? {})));
  const { required: _, ...rest } = copy;
  return (needed.length === 0 ? rest : { ...rest, required: needed }) as Node;
}

const idempotencyHeaders = Type.Object({
  [keyHeader]: Type.Optional(
    Type.String({
      pattern: keyPattern,
      description: 'Names this request: sent again with the same key and body it is answered again and not done again.',
    }),
  ),
});

const optionalTexts = (headers: Headers) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, Type.Optional(Type.String({ description }))]),
  );

function successAnswer(answer: Operation['answer']): object {
  if ('mediaType' in answer) {
    const { description, mediaType, example } = answer;
    return { description, content: { [mediaType]: { schema: Type.String(), example } } };
  }
  const told = { 'x-response-description': answer.description };
  if (!('schema' in answer)) return { type: 'null', ...told };
  const headers = answer.headers === undefined ? {} : { headers: headersOf(answer.headers) };
  return { ...answer.schema, examples: [answer.example], ...told, ...headers };
}

const headersOf = (headers: Headers) =>
  Object.fromEntries(Object.entries(headers).map(([name, description]) => [name, { type: 'string', description }]));

export function problemAnswer(status: number): object {
  const meaning = meanings[status];
  if (meaning === undefined) throw new Error(`bug: the status ${status} has no meaning`);
  return { ...httpErrorResponse, examples: [meaning.example], 'x-response-description': meaning.description };
}

/** What is data, not a schema, and must be left alone. */
const dataKeywords = new Set(['example', 'examples', 'default', 'enum', 'const', 'required']);

/** Moves every schema that has a title under its name, and leaves a reference in its place. */
function withNamedSchemas<Node>(node: Node, schemas: Record<string, unknown>, isMap = false): Node {
  if (Array.isArray(node)) return node.map((each) => withNamedSchemas(each, schemas)) as Node;
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [
      key,
      // The keys of `properties` are names of fields, whatever they read like.
      !isMap && dataKeywords.has(key) ? value : withNamedSchemas(value, schemas, !isMap && key === 'properties'),
    ]),
  );
  const { title } = copy;
  if (isMap || typeof title !== 'string') return copy as Node;
  const known = schemas[title];
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(copy)) {
    throw new Error(`bug: two different schemas are called ${title}`);
  }
  schemas[title] = copy;
  return { $ref: `#/components/schemas/${title}` } as Node;
}

const sorted = (schemas: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(schemas).sort(([one], [other]) => (one < other ? -1 : 1)));
