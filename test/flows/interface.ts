// The interface as /openapi.json describes it: its operations, requests sent as they are, and answers held to the description.

import { Agent, request } from 'node:http';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Json } from './gateway.ts';

/** A JSON Schema of the description, as far as it is looked into. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly multipleOf?: number;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: Schema;
}

export interface DescribedOperation {
  /** `POST /ocpp/chargers` */
  readonly name: string;
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** Null: open. */
  readonly scope: string | null;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | null;
  readonly statuses: readonly number[];
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
  /** Undefined where it is not JSON. */
  readonly body: Json;
}

export interface Sent {
  readonly method: string;
  /** With the query, percent-encoded. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text?: string | undefined;
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 });

/** Sends exactly this; `fetch` would put addresses right, and refuse what a bad client sends. */
export function send(url: string, { method, path, headers = {}, text }: Sent): Promise<Answer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const length = text === undefined ? {} : { 'content-length': String(Buffer.byteLength(text)) };
    const call = request({ agent, hostname, port, method, path, headers: { ...headers, ...length } }, (answer) => {
      const chunks: Buffer[] = [];
      const isStream = String(answer.headers['content-type'] ?? '').startsWith('text/event-stream');
      answer.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        // It would go on for ever: how it begins will do.
        if (isStream) answer.destroy();
      });
      answer.on('error', reject);
      answer.on(isStream ? 'close' : 'end', () => {
        const received = Buffer.concat(chunks).toString();
        const isJson = String(answer.headers['content-type'] ?? '').startsWith('application/json');
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          text: received,
          body: isJson ? JSON.parse(received) : undefined,
        });
      });
    });
    call.on('error', reject);
    call.end(text);
  });
}

/** The description of a running gateway. */
export class Description {
  readonly document: Json;
  readonly operations: readonly DescribedOperation[];
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: Json) {
    this.document = document;
    formats.default(this.#ajv);
    this.#ajv.addSchema(document, 'description');
    this.operations = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
      Object.entries<Json>(item).map(([method, operation]) => ({
        name: `${method.toUpperCase()} ${path}`,
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        scope: operation.security[0]?.bearer[0] ?? null,
        parameters: operation.parameters ?? [],
        body: operation.requestBody?.content['application/json'].schema ?? null,
        statuses: Object.keys(operation.responses).map(Number),
      })),
    );
  }

  static async of(url: string): Promise<Description> {
    return new Description((await send(url, { method: 'GET', path: '/openapi.json' })).body);
  }

  /** The schema behind a reference. */
  resolved(schema: Schema): Schema {
    if (schema.$ref === undefined) return schema;
    const found = this.document.components.schemas[schema.$ref.replace('#/components/schemas/', '')];
    if (found === undefined) throw new Error(`${schema.$ref} leads nowhere`);
    return this.resolved(found);
  }

  /** Whether the operation's own schema takes this body. */
  takesBody(operation: DescribedOperation, body: unknown): boolean {
    return this.#validator(['paths', operation.path, operation.method.toLowerCase(), 'requestBody'])(body);
  }

  /** Everything about an answer that is not as described; empty when it is. */
  complaints(operation: DescribedOperation, { status, headers, text, body }: Answer): string[] {
    if (!operation.statuses.includes(status)) return [`the status ${status} is not listed`];
    if (status >= 500) return [`the status is ${status}`];
    const place = ['paths', operation.path, operation.method.toLowerCase(), 'responses', String(status)];
    const response = place.reduce((node, key) => node[key], this.document);
    const found = Object.keys(response.headers ?? {})
      .filter((name) => headers[name.toLowerCase()] === undefined)
      .map((name) => `the header ${name} is missing`);
    if (response.content === undefined) return text === '' ? found : [...found, `a ${status} has a body`];
    const [mediaType = ''] = String(headers['content-type'] ?? '').split(';');
    if (response.content[mediaType] === undefined) return [...found, `the content type is ${mediaType}`];
    if (body === undefined) return found;
    const validate = this.#validator(place);
    if (!validate(body)) found.push(...(validate.errors ?? []).map((each) => `${each.instancePath} ${each.message}`));
    if (status >= 400) found.push(...errorComplaints(status, body));
    return found;
  }

  #validator(place: readonly string[]): ValidateFunction {
    const pointer = [...place, 'content', 'application/json', 'schema']
      .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
      .join('/');
    const known = this.#validators.get(pointer);
    if (known !== undefined) return known;
    const made = this.#ajv.compile({ $ref: `description#/${pointer}` });
    this.#validators.set(pointer, made);
    return made;
  }
}

/** What every error has, whatever its schema says. */
export function errorComplaints(status: number, body: Json): string[] {
  const found: string[] = [];
  if (typeof body?.detail !== 'string' || body.detail === '') found.push('detail is not a sentence');
  const errors = body?.errors;
  const areTold =
    Array.isArray(errors) &&
    errors.length > 0 &&
    errors.every(({ field, message }) => typeof field === 'string' && typeof message === 'string');
  if (status === 422 && !areTold) found.push('a 422 does not name the fields');
  if (status !== 422 && errors !== undefined) found.push('errors are named though it is no 422');
  if (/\bat .+:\d+:\d+|SQLITE|node_modules|\/src\//i.test(JSON.stringify(body))) found.push('it tells of its inside');
  return found;
}
