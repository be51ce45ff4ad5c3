// Checks that the description of the interface is whole: every operation told, every reference good, every example valid.
import type Type from 'typebox';
import { Compile } from 'typebox/compile';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Front, startFront } from '../../test/http-front.ts';
import { scopes } from '../auth/scopes.ts';
import { commands } from '../commands/index.ts';

interface Media {
  readonly schema: Type.TSchema;
  readonly example?: unknown;
}

interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly Record<string, readonly string[]>[];
  readonly parameters?: readonly { readonly name: string; readonly required: boolean; readonly description?: string }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Record<string, Media> };
  readonly responses: Record<string, { readonly description: string; readonly content?: Record<string, Media> }>;
}

interface Description {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Record<string, Record<string, Described>>;
  readonly webhooks: Record<string, { readonly post: Described }>;
  readonly components: { readonly schemas: Record<string, object>; readonly securitySchemes: object };
}

let front: Front;
let description: Description;
let operations: readonly (readonly [name: string, operation: Described])[];
beforeAll(async () => {
  front = await startFront();
  description = (await front.call('GET', '/openapi.json', { token: null })).body;
  operations = Object.entries(description.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
  );
});
afterAll(() => front.close());

/** The schema with every reference followed. */
function whole<Node>(node: Node): Node {
  if (Array.isArray(node)) return node.map(whole) as Node;
  if (typeof node !== 'object' || node === null) return node;
  if ('$ref' in node) {
    const name = String(node.$ref).replace('#/components/schemas/', '');
    const found = description.components.schemas[name];
    if (found === undefined) throw new Error(`${String(node.$ref)} leads nowhere`);
    return whole(found) as Node;
  }
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, whole(value)])) as Node;
}

function expectExample({ schema, example }: Media, where: string): void {
  expect(example, `${where} has an example`).toBeDefined();
  const validator = Compile(whole(schema));
  expect(validator.Errors(example), `the example of ${where} is valid`).toEqual([]);
}

describe('the description', () => {
  it('is OpenAPI 3.1 of version 1.0.0, and says where the gateway is', () => {
    expect(description.openapi).toBe('3.1.0');
    expect(description.info.version).toBe('1.0.0');
    expect(description.servers.map(({ url }) => url)).toEqual(['/', 'http://127.0.0.1:8080']);
  });

  it('names nothing but the whole address of a gateway behind a path', async () => {
    const publicUrl = () => 'https://example.com/chargers';
    const behind = await startFront({ defaults: { csmsUrl: () => 'ws://csms', publicUrl } });
    expect((await behind.call('GET', '/openapi.json')).body.servers).toEqual([{ url: publicUrl() }]);
    await behind.close();
  });

  it('has every operation, and nothing else', () => {
    expect(operations.map(([name]) => name).sort()).toEqual(
      [
        'GET /healthz',
        'GET /readyz',
        'GET /metrics',
        'GET /ocpp/catalog/brands',
        'GET /ocpp/catalog/brands/{brand}/models',
        'GET /ocpp/catalog/brands/{brand}/models/{model}',
        'GET /ocpp/templates/locations',
        'GET /ocpp/templates/cpos',
        'GET /images/brands/{brand}.svg',
        'GET /images/models/{brand}/{model}.svg',
        'GET /images/locations/{template}.svg',
        'GET /ocpp/chargers',
        'POST /ocpp/chargers',
        'GET /ocpp/chargers/{charger_id}',
        'PUT /ocpp/chargers/{charger_id}',
        'DELETE /ocpp/chargers/{charger_id}',
        'GET /ocpp/chargers/{charger_id}/provisioning',
        'GET /ocpp/locations/{location_id}/chargers',
        'GET /ocpp/simulators/{identity}',
        'GET /ocpp/simulators/{identity}/logs',
        'POST /ocpp/simulators/{identity}/start',
        'POST /ocpp/simulators/{identity}/stop',
        'POST /ocpp/simulators/{identity}/restart',
        'GET /ocpi/cpos',
        'POST /ocpi/cpos',
        'GET /ocpi/cpos/{cpo_id}',
        'DELETE /ocpi/cpos/{cpo_id}',
        'GET /ocpi/cpos/{cpo_id}/locations',
        'POST /ocpi/cpos/{cpo_id}/locations',
        'GET /ocpi/cpos/{cpo_id}/locations/{location_id}',
        'DELETE /ocpi/cpos/{cpo_id}/locations/{location_id}',
        'GET /ocpi/cpos/{cpo_id}/locations/{location_id}/provisioning',
        'GET /ocpp/commands',
        'GET /ocpp/commands/{command_id}',
        'GET /ocpp/events',
        'GET /ocpp/webhooks',
        'POST /ocpp/webhooks',
        'GET /ocpp/webhooks/{webhook_id}',
        'DELETE /ocpp/webhooks/{webhook_id}',
        'POST /ocpp/webhooks/{webhook_id}/redeliver',
        ...commands.map(({ name }) => `POST /ocpp/commands/${name}`),
      ].sort(),
    );
  });

  it('names the schemas as the specification does', () => {
    expect(Object.keys(description.components.schemas)).toEqual(
      expect.arrayContaining([
        'Charger',
        'CommandTarget',
        'ConnectorCommandEvent',
        'QueuedCommandResponse',
        'LocationQueuedCommandResult',
        'LocationCommandFailure',
        'LocationCommandResponse',
        'HttpErrorResponse',
      ]),
    );
  });

  it('has what webhooks are sent', () => {
    const { requestBody, parameters = [] } = description.webhooks['event']?.post ?? {};
    for (const media of Object.values(requestBody?.content ?? {})) expectExample(media, 'the message');
    expect(requestBody?.content['application/json']?.schema).toEqual({ $ref: '#/components/schemas/Event' });
    expect(parameters.map(({ name }) => name)).toEqual(['webhook-id', 'webhook-timestamp', 'webhook-signature']);
  });

  it('has no reference that leads nowhere', () => {
    expect(() => whole(description.paths)).not.toThrow();
    expect(() => whole(description.components.schemas)).not.toThrow();
  });

  it('gives every operation an id of its own', () => {
    const ids = operations.map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('describes every operation, with the scope it needs and all its statuses', () => {
    for (const [name, { summary, description: told, tags, security, responses, requestBody }] of operations) {
      expect(summary, name).toMatch(/\w/);
      expect(tags, name).toHaveLength(1);
      const isOpen = /^GET \/(?:healthz|readyz|metrics|images\/.*)$/.test(name);
      const scope = security[0]?.['bearer']?.[0];
      if (isOpen) expect(security, name).toEqual([]);
      else expect(scopes, name).toContain(scope);
      expect(told, name).toContain(isOpen ? 'Needs no token.' : `Needs the scope \`${scope}\`.`);
      const statuses = Object.keys(responses);
      const required = isOpen ? ['422', '500', '503'] : ['401', '403', '422', '429', '500', '503'];
      expect(statuses, name).toEqual(expect.arrayContaining(required));
      if (requestBody !== undefined) expect(statuses, name).toEqual(expect.arrayContaining(['413', '415']));
      if (name.startsWith('POST /ocpp/commands'))
        expect(statuses, name).toEqual(expect.arrayContaining([/local-auth-list$/.test(name) ? '200' : '202', '404']));
    }
  });

  it('lets every POST be sent again under a key, and nothing else', () => {
    for (const [name, { parameters = [], responses }] of operations) {
      const key = parameters.find((parameter) => parameter.name === 'Idempotency-Key');
      const isPost = name.startsWith('POST ');
      expect(key !== undefined, name).toBe(isPost);
      expect('409' in responses, name).toBe(isPost);
      if (key !== undefined) expect(key, name).toMatchObject({ in: 'header', required: false });
    }
  });

  it('answers every deletion without a body', () => {
    for (const [name, { responses }] of operations.filter(([each]) => each.startsWith('DELETE '))) {
      expect(responses['204']?.description, name).toMatch(/\w/);
      expect(responses['204'], name).not.toHaveProperty('content');
    }
  });

  it('has a valid example of every body and every answer', () => {
    for (const [name, { requestBody, responses }] of operations) {
      for (const media of Object.values(requestBody?.content ?? {})) expectExample(media, name);
      for (const [status, { description: told, content }] of Object.entries(responses)) {
        expect(told, `${name} ${status}`).not.toBe('Default Response');
        for (const media of Object.values(content ?? {})) expectExample(media, `${name} ${status}`);
      }
    }
  });

  it('does not ask senders for what has a default', () => {
    const required = (name: string) => (description.components.schemas[name] as { required?: string[] }).required;
    expect(required('ConnectorCommandEvent')).toBeUndefined();
    expect(required('PowerUpdateEvent')).toEqual(['power_w']);
    const [, { parameters } = { parameters: [] }] = operations.find(([name]) => name === 'GET /ocpp/chargers') ?? [];
    expect(parameters?.filter((parameter) => parameter.required)).toEqual([]);
  });

  it('answers every error with the one shape', () => {
    for (const [name, { responses }] of operations) {
      for (const [status, { content }] of Object.entries(responses).filter(([code]) => Number(code) >= 400)) {
        expect(content?.['application/json']?.schema, `${name} ${status}`).toEqual({
          $ref: '#/components/schemas/HttpErrorResponse',
        });
      }
    }
  });

  it('says what every parameter is', () => {
    for (const [name, { parameters = [] }] of operations) {
      for (const parameter of parameters) expect(parameter.description, `${name} ${parameter.name}`).toMatch(/\w/);
    }
  });
});

describe('the page to read it on', () => {
  it('is served from here alone', async () => {
    const { status, body, headers } = await front.call('GET', '/docs', { token: null });
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^text\/html/);
    const sources = [...String(body).matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '');
    expect(sources.length).toBeGreaterThan(3);
    for (const source of sources) {
      expect(source).toMatch(/^\/docs\/static\//);
      expect((await front.call('GET', source, { token: null })).status, source).toBe(200);
    }
    expect(String(body)).not.toMatch(/<script(?![^>]* src=)/);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; .*connect-src 'self'/);
    expect(headers['content-security-policy']).not.toMatch(/https?:/);
  });

  it('asks nobody else to check the description', async () => {
    const { body } = await front.call('GET', '/docs/static/swagger-initializer.js', { token: null });
    expect(String(body)).toContain('validatorUrl: null');
    expect((await front.call('GET', '/docs/json', { token: null })).body).toEqual(description);
  });
});
