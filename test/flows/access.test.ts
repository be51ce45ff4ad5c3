// Who may call what: every operation of the description, with every token that is not good enough, and with other tenants' ids.

import { createSecretKey, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Scope, scopes } from '../../src/auth/scopes.ts';
import { Client, gatewayHere, type Json, secret } from './gateway.ts';
import { type Answer, type DescribedOperation, Description, errorComplaints, send } from './interface.ts';

/** What belongs to a tenant. */
interface Ids {
  readonly charger_id: string;
  readonly identity: string;
  readonly location_id: string;
  readonly cpo_id: string;
  readonly command_id: string;
  readonly webhook_id: string;
}

interface Row {
  readonly scope: Scope;
  /** What is sent, where something is: with these ids in it. */
  body?(ids: Ids, example: Json): unknown;
}

const command: Row = {
  scope: 'commands:write',
  body: ({ charger_id }, { event }) => ({ target: { charger_id }, event }),
};

/** Every operation that needs a token, and the scope that it needs. */
const table: Readonly<Record<string, Row>> = {
  'GET /ocpp/chargers': { scope: 'chargers:read' },
  'POST /ocpp/chargers': { scope: 'chargers:write', body: ({ location_id }) => ({ location_id }) },
  'GET /ocpp/chargers/{charger_id}': { scope: 'chargers:read' },
  'PUT /ocpp/chargers/{charger_id}': { scope: 'chargers:write', body: () => ({ name: 'Taken over' }) },
  'DELETE /ocpp/chargers/{charger_id}': { scope: 'chargers:write' },
  'GET /ocpp/chargers/{charger_id}/provisioning': { scope: 'chargers:read' },
  'GET /ocpp/locations/{location_id}/chargers': { scope: 'chargers:read' },
  'GET /ocpp/simulators/{identity}': { scope: 'chargers:read' },
  'GET /ocpp/simulators/{identity}/logs': { scope: 'chargers:read' },
  'POST /ocpp/simulators/{identity}/start': { scope: 'chargers:write' },
  'POST /ocpp/simulators/{identity}/stop': { scope: 'chargers:write' },
  'POST /ocpp/simulators/{identity}/restart': { scope: 'chargers:write' },
  'POST /ocpp/commands/plug-connector': command,
  'POST /ocpp/commands/unplug-connector': command,
  'POST /ocpp/commands/unlock-connector': command,
  'POST /ocpp/commands/ev-requests-energy': command,
  'POST /ocpp/commands/ev-stops-energy': command,
  'POST /ocpp/commands/power-update': command,
  'POST /ocpp/commands/start-transaction': command,
  'POST /ocpp/commands/stop-transaction': command,
  'POST /ocpp/commands/transaction-limit': command,
  'POST /ocpp/commands/start-session': command,
  'POST /ocpp/commands/stop-session': command,
  'POST /ocpp/commands/authorize': command,
  'POST /ocpp/commands/inject-fault': command,
  'POST /ocpp/commands/clear-fault': command,
  'POST /ocpp/commands/reset-auth-cache': command,
  'POST /ocpp/commands/seed-auth-cache': command,
  'POST /ocpp/commands/set-condition': command,
  'POST /ocpp/commands/set-connectivity': command,
  'POST /ocpp/commands/power-cycle': command,
  'POST /ocpp/commands/set-configuration': command,
  'POST /ocpp/commands/proxy-message': command,
  'POST /ocpp/commands/local-auth-list': command,
  'POST /ocpp/commands/clear-local-auth-list': command,
  'GET /ocpp/commands': { scope: 'commands:read' },
  'GET /ocpp/commands/{command_id}': { scope: 'commands:read' },
  'POST /ocpi/cpos': {
    scope: 'locations:write',
    body: () => ({ name: 'Moon', country_code: 'NL', party_id: 'MON' }),
  },
  'GET /ocpi/cpos': { scope: 'locations:read' },
  'GET /ocpi/cpos/{cpo_id}': { scope: 'locations:read' },
  'DELETE /ocpi/cpos/{cpo_id}': { scope: 'locations:write' },
  'POST /ocpi/cpos/{cpo_id}/locations': { scope: 'locations:write', body: () => ({ template: 'home-duo' }) },
  'GET /ocpi/cpos/{cpo_id}/locations': { scope: 'locations:read' },
  'GET /ocpi/cpos/{cpo_id}/locations/{location_id}': { scope: 'locations:read' },
  'DELETE /ocpi/cpos/{cpo_id}/locations/{location_id}': { scope: 'locations:write' },
  'GET /ocpi/cpos/{cpo_id}/locations/{location_id}/provisioning': { scope: 'locations:read' },
  'GET /ocpp/catalog/brands': { scope: 'catalog:read' },
  'GET /ocpp/catalog/brands/{brand}/models': { scope: 'catalog:read' },
  'GET /ocpp/catalog/brands/{brand}/models/{model}': { scope: 'catalog:read' },
  'GET /ocpp/templates/locations': { scope: 'catalog:read' },
  'GET /ocpp/templates/cpos': { scope: 'catalog:read' },
  'GET /ocpp/events': { scope: 'events:read' },
  'POST /ocpp/webhooks': { scope: 'webhooks:write', body: () => ({ url: 'http://127.0.0.1:9/hook' }) },
  'GET /ocpp/webhooks': { scope: 'webhooks:write' },
  'GET /ocpp/webhooks/{webhook_id}': { scope: 'webhooks:write' },
  'DELETE /ocpp/webhooks/{webhook_id}': { scope: 'webhooks:write' },
  'POST /ocpp/webhooks/{webhook_id}/redeliver': { scope: 'webhooks:write', body: () => ({ after: null }) },
};

/** Operations that need none, and what else is served to everybody. */
const open: Readonly<Record<string, string>> = {
  'GET /healthz': '/healthz',
  'GET /readyz': '/readyz',
  'GET /metrics': '/metrics',
  'GET /images/brands/{brand}.svg': '/images/brands/zaptec.svg',
  'GET /images/models/{brand}/{model}.svg': '/images/models/zaptec/go.svg',
  'GET /images/locations/{template}.svg': '/images/locations/home-duo.svg',
};
const openBeside = ['/openapi.json', '/docs', '/docs/static/swagger-ui.css'];

const issuer = 'https://issuer.example';
const audience = 'chargers';
const everything = scopes.join(' ');
const anHour = 3_600;
const key = createSecretKey(secret, 'utf8');
const nowS = () => Math.floor(Date.now() / 1_000);
const goodClaims = (org = 'ours') => ({
  sub: 'somebody',
  org,
  scope: everything,
  iss: issuer,
  aud: audience,
  exp: nowS() + anHour,
});

const signed = (claims: object, by: KeyObject = key, alg = 'HS256'): Promise<string> =>
  new SignJWT({ ...claims }).setProtectedHeader({ alg }).sign(by);

const changed = (change: object) => signed({ ...goodClaims(), ...change });

/** What may stand behind `Authorization:` and is no good; null: there is no such header. */
const notGenuine: readonly (readonly [what: string, header: () => Promise<string | null> | string | null])[] = [
  ['no token', () => null],
  ['an empty header', () => ''],
  ['the word Bearer alone', () => 'Bearer'],
  ['another scheme', async () => `Basic ${await changed({})}`],
  ['two tokens', async () => `Bearer ${await changed({})} ${await changed({})}`],
  ['a token that is none', () => 'Bearer nonsense'],
  ['a token of three empty parts', () => 'Bearer ..'],
  ['a token whose claims were changed', async () => `Bearer ${tampered(await changed({ org: 'theirs' }))}`],
  ['a token without its signature', async () => `Bearer ${(await changed({})).replace(/[^.]+$/, '')}`],
  ['an expired token', async () => `Bearer ${await changed({ exp: nowS() - anHour })}`],
  ['a token that is not valid yet', async () => `Bearer ${await changed({ nbf: nowS() + anHour })}`],
  ['alg: none', () => `Bearer ${new UnsecuredJWT(goodClaims()).encode()}`],
  ['a token signed with another secret', async () => `Bearer ${await signed(goodClaims(), otherKey)}`],
  ['a token signed with another algorithm', async () => `Bearer ${await signed(goodClaims(), key, 'HS512')}`],
  ['a token signed with a private key of its own', async () => `Bearer ${await signed(goodClaims(), ownKey, 'EdDSA')}`],
  ['another issuer', async () => `Bearer ${await changed({ iss: 'https://other.example' })}`],
  ['no issuer', async () => `Bearer ${await changed({ iss: undefined })}`],
  ['another audience', async () => `Bearer ${await changed({ aud: 'others' })}`],
  ['no audience', async () => `Bearer ${await changed({ aud: undefined })}`],
];
const otherKey = createSecretKey(`${secret}!`, 'utf8');
const ownKey = generateKeyPairSync('ed25519').privateKey;

function tampered(token: string): string {
  const [header, , signature] = token.split('.');
  return [header, Buffer.from(JSON.stringify(goodClaims())).toString('base64url'), signature].join('.');
}

const unknown: Ids = {
  charger_id: randomUUID(),
  identity: 'UNKNOWN-1',
  location_id: randomUUID(),
  cpo_id: randomUUID(),
  command_id: randomUUID(),
  webhook_id: randomUUID(),
};

describe('access', () => {
  let world: Awaited<ReturnType<typeof gatewayHere>>;
  let description: Description;
  let guarded: readonly DescribedOperation[];

  beforeAll(async () => {
    world = await gatewayHere({ JWT_ISSUER: issuer, JWT_AUDIENCE: audience });
    description = await Description.of(world.gateway.url);
    guarded = description.operations.filter(({ name }) => name in table);
  });
  afterAll(() => world.close());

  /** `body`: as it stands in the table, or this text. */
  function call(operation: DescribedOperation, authorization: string | null, ids: Ids, text?: string): Promise<Answer> {
    const values: Readonly<Record<string, string>> = { ...ids, brand: 'zaptec', model: 'go' };
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
    const media = description.document.paths[operation.path][operation.method.toLowerCase()].requestBody?.content;
    const body = table[operation.name]?.body?.(ids, media?.['application/json'].example);
    const sent = body === undefined ? undefined : (text ?? JSON.stringify(body));
    return send(world.gateway.url, {
      method: operation.method,
      path,
      headers: {
        ...(authorization === null ? {} : { authorization }),
        ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
      },
      text: sent,
    });
  }

  it('is settled for every operation of the description, and for no other', () => {
    expect(description.operations.map(({ name }) => name).sort()).toEqual(
      [...Object.keys(table), ...Object.keys(open)].sort(),
    );
    for (const { name, scope } of description.operations) expect(scope, name).toBe(table[name]?.scope ?? null);
  });

  it.each([...Object.values(open), ...openBeside])('needs no token for %s', async (path) => {
    for (const headers of [{}, { authorization: 'Bearer nonsense' }]) {
      expect((await send(world.gateway.url, { method: 'GET', path, headers })).status).toBe(200);
    }
  });

  it.each(notGenuine)('is 401 with %s, before anything else is looked at', async (_, header) => {
    const authorization = await header();
    for (const operation of guarded) {
      const answer = await call(operation, authorization, unknown, '{ not JSON');
      expect(answer.status, operation.name).toBe(401);
      expect(answer.headers['www-authenticate'], operation.name).toMatch(/^Bearer/);
      expect(description.complaints(operation, answer), operation.name).toEqual([]);
    }
  });

  it.each(['sub', 'exp', 'org', 'scope'])('is 403 without the claim %s, and says that it is missing', async (claim) => {
    const authorization = `Bearer ${await changed({ [claim]: undefined })}`;
    for (const operation of guarded) {
      const answer = await call(operation, authorization, unknown, '{ not JSON');
      expect(answer.status, operation.name).toBe(403);
      expect(answer.body.detail, operation.name).toContain(claim);
      expect(description.complaints(operation, answer), operation.name).toEqual([]);
    }
  });

  it('is 403 with every scope but the one that an operation needs, and names it', async () => {
    for (const operation of guarded) {
      const { scope } = operation;
      const others = scopes.filter((each) => each !== scope).join(' ');
      const answer = await call(operation, `Bearer ${await changed({ scope: others })}`, unknown, '{ not JSON');
      expect(answer.status, operation.name).toBe(403);
      expect(answer.body.detail, operation.name).toContain(scope);
      expect(description.complaints(operation, answer), operation.name).toEqual([]);
    }
  });

  it('needs no other scope than that one', async () => {
    for (const operation of guarded) {
      const authorization = `Bearer ${await changed({ scope: operation.scope, org: `lonely-${operation.id}` })}`;
      const answer = await call(operation, authorization, unknown);
      expect([401, 403], operation.name).not.toContain(answer.status);
      expect(description.complaints(operation, answer), operation.name).toEqual([]);
    }
  });

  it.each(['/ocpp', '/ocpp/nothing', '/ocpi/cpos/1/nothing', '/ocpp/chargers/1/2/3'])(
    'does not tell whether %s exists to those without a token',
    async (path) => {
      for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
        const answer = await send(world.gateway.url, { method, path });
        expect(answer.status, method).toBe(401);
        expect(errorComplaints(401, answer.body)).toEqual([]);
      }
    },
  );

  describe('of another tenant', () => {
    let ours: Client;
    let ids: Ids;
    let theirs: string;
    const everythingOfOurs = async () => ({
      charger: await ours.get(`/ocpp/chargers/${ids.charger_id}`),
      chargers: (await ours.get('/ocpp/chargers')).total,
      cpo: await ours.get(`/ocpi/cpos/${ids.cpo_id}`),
      locations: (await ours.get(`/ocpi/cpos/${ids.cpo_id}/locations`)).total,
      runtime: (await ours.live(ids.identity)).runtime.desired,
      webhook: (await ours.get(`/ocpp/webhooks/${ids.webhook_id}`)).url,
    });

    beforeAll(async () => {
      ours = new Client(world.gateway.url, await changed({}));
      theirs = `Bearer ${await signed(goodClaims('theirs'))}`;
      const cpo = await ours.fetch('POST', '/ocpi/cpos', { name: 'Sun', country_code: 'NL', party_id: 'SUN' });
      const made = await ours.fetch('POST', `/ocpi/cpos/${cpo.body.id}/locations`, { template: 'home-duo' });
      const charger_id: string = made.body.charger_ids[0];
      const { identity } = await ours.get(`/ocpp/chargers/${charger_id}`);
      await ours.untilConnected(identity);
      const { id } = await ours.command(charger_id, 'plug-connector');
      const webhook = await ours.fetch('POST', '/ocpp/webhooks', { url: 'http://127.0.0.1:9/hook' });
      const owned = { location_id: made.body.location.id, cpo_id: cpo.body.id, webhook_id: webhook.body.id };
      ids = { charger_id, identity, command_id: id, ...owned };
    });

    const named = ({ path, id }: DescribedOperation): boolean =>
      /\{(?:charger_id|identity|location_id|cpo_id|command_id|webhook_id)\}/.test(path) ||
      (path.startsWith('/ocpp/commands/') && id !== 'listCommands');

    /** The answer, with the ids in it blanked out. */
    const without = (of: Ids, text: string): string =>
      Object.values(of).reduce<string>((told, id) => told.replaceAll(id, '…'), text);

    it('answers every operation exactly as for what does not exist: 404, and nothing is touched', async () => {
      const before = await everythingOfOurs();
      for (const operation of guarded.filter(named)) {
        const foreign = await call(operation, theirs, ids);
        const none = await call(operation, theirs, unknown);
        expect(foreign.status, operation.name).toBe(404);
        expect(none.status, operation.name).toBe(404);
        expect(without(ids, foreign.text), operation.name).toBe(without(unknown, none.text));
        expect(description.complaints(operation, foreign), operation.name).toEqual([]);
      }
      expect(await everythingOfOurs()).toEqual(before);
    });

    it('tells a location in a target, and chargers named of one’s own location, as if they did not exist', async () => {
      const them = new Client(world.gateway.url, theirs.replace('Bearer ', ''));
      const cpo = await them.fetch('POST', '/ocpi/cpos', { name: 'Moon', country_code: 'DE', party_id: 'MON' });
      const own = await them.fetch('POST', `/ocpi/cpos/${cpo.body.id}/locations`, { template: 'home-duo' });
      for (const operation of guarded.filter(({ path }) => path === '/ocpp/commands/plug-connector')) {
        for (const { location_id } of [ids, unknown]) {
          const sent = await them.fetch(operation.method, operation.path, { target: { location_id }, event: {} });
          expect(sent.status).toBe(404);
        }
        const target = { location_id: own.body.location.id, charger_ids: [ids.charger_id, unknown.charger_id] };
        const { status, body } = await them.fetch(operation.method, operation.path, { target, event: {} });
        expect(status).toBe(202);
        expect(body).toMatchObject({ targeted_count: 2, queued_count: 0, failed_count: 2, results: [] });
        expect(body.failed).toEqual(
          target.charger_ids.map((id) => ({ identity: null, error: `charger ${id} does not exist` })),
        );
      }
      for (const location_id of [ids.location_id, unknown.location_id]) {
        const { status, body } = await them.fetch('POST', '/ocpp/chargers', { location_id });
        expect(status).toBe(400);
        expect(body.detail).toBe(`location ${location_id} does not exist`);
        const update = await them.fetch('PUT', `/ocpp/chargers/${own.body.charger_ids[0]}`, { location_id });
        expect(update.status).toBe(400);
      }
      const byName = await them.fetch('PUT', `/ocpp/chargers/${own.body.charger_ids[1]}`, { location_name: 'Nowhere' });
      expect(byName.status).toBe(400);
    });

    it('shows nothing in lists, takes its identities, and knows nothing of its Idempotency-Keys', async () => {
      const others = `Bearer ${await signed(goodClaims('others'))}`;
      const them = new Client(world.gateway.url, others.replace('Bearer ', ''));
      expect((await them.get('/ocpp/chargers')).total).toBe(0);
      expect((await them.get(`/ocpp/chargers?location_id=${ids.location_id}`)).total).toBe(0);
      expect((await them.get(`/ocpp/chargers?q=${ids.identity}`)).total).toBe(0);
      expect((await them.get('/ocpi/cpos')).total).toBe(0);

      const create = (authorization: string, identity: string) =>
        send(world.gateway.url, {
          method: 'POST',
          path: '/ocpp/chargers',
          headers: { authorization, 'content-type': 'application/json', 'idempotency-key': 'the-same-key' },
          text: JSON.stringify({ identity, autostart: false }),
        });
      const first = await create(`Bearer ${await changed({})}`, 'SHARED');
      const second = await create(others, 'SHARED');
      expect([first.status, second.status]).toEqual([202, 202]);
      expect(second.body.id).not.toBe(first.body.id);
      expect((await create(others, ids.identity)).status).toBe(422);
    });
  });
});
