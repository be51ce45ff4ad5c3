// Checks how chargers are created, listed and read.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Front, makeLocation, startFront, tokenOf } from '../../test/http-front.ts';

let front: Front;
beforeAll(async () => {
  front = await startFront();
});
beforeEach(() => front.newTenant());
afterAll(() => front.close());

const create = (body: unknown) => front.call('POST', '/ocpp/chargers', { body });

const fields = [
  ...['id', 'identity', 'name', 'vendor_name', 'model', 'image_url', 'ocpp_version', 'number_of_connectors'],
  ...['max_charging_power', 'connector_type', 'location_id', 'created_at', 'updated_at', 'ws_url', 'model_id'],
  'provisioning_status',
];

describe('a charger created with nothing but defaults', () => {
  it('is answered with every field, and where it is', async () => {
    const { status, body, headers } = await create({});
    expect(status).toBe(202);
    expect(Object.keys(body)).toEqual(fields);
    expect(body).toMatchObject({
      name: null,
      vendor_name: null,
      model: null,
      image_url: null,
      ocpp_version: '1.6',
      number_of_connectors: 1,
      max_charging_power: 22_000,
      connector_type: 'Type2',
      location_id: null,
      ws_url: `ws://127.0.0.1:8080/csms/${front.org}`,
      model_id: null,
      provisioning_status: 'pending',
    });
    expect(body.identity).toMatch(/^CS-[2-9A-Z]{8}$/);
    expect(body.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(headers['location']).toBe(`/ocpp/chargers/${body.id}`);
    expect((await front.call('GET', String(headers['location']))).body).toEqual(body);
  });

  it('is stored to run, and its owner hears of it', async () => {
    const { body } = await create({});
    expect(await front.store.charger(front.org, body.id)).toMatchObject({
      desired: 'running',
      seed: 7,
      wsUrl: null,
      generation: 1,
      security: null,
      features: [],
      provisioning: { status: 'pending', step: 'register', attempts: 0, error: null },
    });
    expect(front.items).toEqual([{ kind: 'refresh', chargerId: body.id }]);
  });
});

describe('a charger as described', () => {
  it('keeps what was said of it', async () => {
    const sent = {
      identity: 'CP.1_a-b*c=d+e|f@g',
      name: 'Straße 7 ⚡',
      vendor_name: 'Vendor',
      model: 'Model',
      ocpp_version: '2.0.1',
      number_of_connectors: 16,
      connector_type: 'CCS2',
      max_charging_power: 300_000,
      ws_url: 'wss://csms.example.com/ocpp/{identity}',
      seed: 42,
      autostart: false,
      features: ['iso15118', 'v2x', 'der', 'battery_swap'],
    };
    const { status, body } = await create(sent);
    expect(status).toBe(202);
    const { seed, autostart: _, features, ...shown } = sent;
    expect(body).toMatchObject(shown);
    const record = await front.store.charger(front.org, body.id);
    expect(record).toMatchObject({ seed, features, desired: 'stopped', wsUrl: sent.ws_url });
    expect(body).not.toHaveProperty('features');
  });

  it('takes null for not given, everywhere', async () => {
    const names = ['identity', 'name', 'vendor_name', 'model', 'model_id', 'ocpp_version', 'number_of_connectors'];
    const more = ['connector_type', 'max_charging_power', 'location_id', 'ws_url', 'security', 'features', 'seed'];
    const body = Object.fromEntries([...names, ...more, 'autostart'].map((name) => [name, null]));
    expect((await create(body)).status).toBe(202);
  });

  it.each<[{ number_of_connectors?: number; connector_type?: string; max_charging_power?: number }, string, number]>([
    [{ number_of_connectors: 2 }, 'SOCKET', 22_000],
    [{ max_charging_power: 43_000 }, 'CABLE', 43_000],
    [{ connector_type: 'Type1', max_charging_power: 7_400 }, 'CABLE', 7_400],
    [{ connector_type: 'CCS2', max_charging_power: 20_000 }, 'CABLE', 20_000],
  ])('%j has connectors of the format %s', async (described, format, maxPowerW) => {
    const { body } = await create(described);
    const record = await front.store.charger(front.org, body.id);
    const type = described.connector_type ?? 'Type2';
    expect(record?.layout).toEqual(
      Array.from({ length: described.number_of_connectors ?? 1 }, (_, index) => ({
        evseId: index + 1,
        connectorId: 1,
        type,
        format,
        maxPowerW,
      })),
    );
  });

  it.each([
    [{ identity: '' }, 'identity', 'must not be empty'],
    [{ identity: 'a:b' }, 'identity', 'may contain only A-Z a-z 0-9 . _ - * = + | @'],
    [{ identity: 'a b' }, 'identity', 'may contain only A-Z a-z 0-9 . _ - * = + | @'],
    [{ identity: 'CP-1\n' }, 'identity', 'may contain only A-Z a-z 0-9 . _ - * = + | @'],
    [{ identity: 'x'.repeat(49) }, 'identity', 'must have at most 48 characters'],
    [{ identity: 7 }, 'identity', 'must be string or null'],
    [{ name: 'a\u0007b' }, 'name', 'must not contain control characters'],
    [{ name: 'x'.repeat(256) }, 'name', 'must have at most 255 characters'],
    [{ ocpp_version: '1.5' }, 'ocpp_version', 'must be one of 1.6, 2.0.1, 2.1'],
    [{ number_of_connectors: 0 }, 'number_of_connectors', 'must be >= 1'],
    [{ number_of_connectors: 17 }, 'number_of_connectors', 'must be <= 16'],
    [{ number_of_connectors: '2' }, 'number_of_connectors', 'must be integer or null'],
    [{ connector_type: 'Schuko' }, 'connector_type', 'must be one of Type1, Type2, CCS1, CCS2, CHAdeMO, NACS'],
    [{ max_charging_power: 0 }, 'max_charging_power', 'must be >= 1'],
    [{ max_charging_power: 7.5 }, 'max_charging_power', 'must be integer or null'],
    [{ ws_url: 'http://x' }, 'ws_url', 'must be a ws:// or wss:// address, such as wss://csms.example.com/ocpp'],
    [{ ws_url: 'csms' }, 'ws_url', 'must be a ws:// or wss:// address, such as wss://csms.example.com/ocpp'],
    [{ ws_url: 'ws://a:b@c' }, 'ws_url', 'must not contain a user name or password'],
    [{ ws_url: 'ws://c/#x' }, 'ws_url', 'must not contain a fragment (#)'],
    [{ security: {} }, 'security.profile', 'is required'],
    [{ security: { profile: 4 } }, 'security.profile', 'must be <= 3'],
    [{ features: ['v2x', 'v2x'] }, 'features', 'must not name anything twice'],
    [
      { model_id: 'x', number_of_connectors: 2 },
      'number_of_connectors',
      'must not be given with model_id: a model has its own layout',
    ],
    [{ features: ['tea'] }, 'features[0]', 'must be one of iso15118, v2x, der, battery_swap'],
    [{ seed: -1 }, 'seed', 'must be >= 0'],
    [{ autostart: 'yes' }, 'autostart', 'must be boolean or null'],
  ])('%j is 422', async (body, field, message) => {
    const reply = await create(body);
    expect(reply.status).toBe(422);
    expect(reply.body).toEqual({ detail: `${field} ${message}`, errors: [{ field, message }] });
    expect(front.items).toEqual([]);
  });

  it('is 422 with an unknown field, which is named, and what is known', async () => {
    const { status, body } = await create({ idendity: 'CP-1' });
    expect(status).toBe(422);
    expect(body.errors).toEqual([
      { field: 'idendity', message: expect.stringMatching(/^is not known here; known: identity, name, vendor_name, /) },
    ]);
  });

  it('is told of several mistakes at once', async () => {
    const { body } = await create({ identity: '', seed: -1 });
    expect(body.detail).toBe('identity must not be empty (and 1 more: see errors)');
    expect(body.errors).toHaveLength(2);
  });

  it('is 422 although what it names does not exist either', async () => {
    expect((await create({ location_id: 'nowhere', ws_url: 'http://x' })).status).toBe(422);
  });

  it.each([
    [{ location_id: 'nowhere' }, 'location nowhere does not exist'],
    [{ model_id: 'none' }, 'model none does not exist'],
  ])('%j is 400', async (body, detail) => {
    expect(await create(body)).toMatchObject({ status: 400, body: { detail } });
  });

  it('is 400 when its identity is taken, within the tenant only', async () => {
    expect((await create({ identity: 'CP-1' })).status).toBe(202);
    expect(await create({ identity: 'CP-1' })).toMatchObject({
      status: 400,
      body: { detail: 'the identity CP-1 is already in use' },
    });
    const other = { body: { identity: 'CP-1' }, token: await tokenOf('another tenant') };
    expect((await front.call('POST', '/ocpp/chargers', other)).status).toBe(202);
  });
});

describe('a charger in a location', () => {
  it('is listed there, newest first, and is 400 where there is none', async () => {
    const { location } = await makeLocation(front, { template: 'home-duo', identity_prefix: 'HOME' });
    const { body: made } = await create({ identity: 'EXTRA', location_id: location.id });
    expect(made.location_id).toBe(location.id);
    const path = `/ocpp/locations/${location.id}/chargers`;
    const { status, body } = await front.call('GET', `${path}?limit=2`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ total: 3, page: 1, limit: 2 });
    expect(body.data[0]).toEqual(made);
    expect(body.data[1].identity).toBe('HOME-0002');
    expect((await front.call('GET', `${path}?page=2&limit=2`)).body.data).toHaveLength(1);
    const token = await tokenOf('other');
    for (const reply of [
      await front.call('GET', path, { token }),
      await front.call('POST', '/ocpp/chargers', { body: { location_id: location.id }, token }),
    ]) {
      expect(reply.body.detail).toBe(`location ${location.id} does not exist`);
    }
    expect((await front.call('GET', path, { token })).status).toBe(404);
  });
});

describe('how far a charger has come', () => {
  const read = (id: string) => front.call('GET', `/ocpp/chargers/${id}/provisioning`);

  it('is pending for one that shall run, and ready for one that shall not', async () => {
    const { body: one } = await create({ identity: 'CP-1' });
    expect(await read(one.id)).toMatchObject({
      status: 200,
      body: {
        charger_id: one.id,
        identity: 'CP-1',
        status: 'pending',
        step: 'register',
        attempts: 0,
        error: null,
        started_at: one.created_at,
        finished_at: null,
      },
    });
    const { body: other } = await create({ autostart: false });
    expect(other.provisioning_status).toBe('ready');
    const { body } = await read(other.id);
    expect(body).toMatchObject({ status: 'ready', step: 'done', finished_at: other.created_at });
  });

  it('is what its runtime has told', async () => {
    const { body: made } = await create({});
    const provisioning = {
      status: 'provisioning' as const,
      step: 'connect' as const,
      attempts: 3,
      error: 'connection refused',
      startedAtMs: 1_000,
      finishedAtMs: null,
    };
    await front.store.commit([{ chargerId: made.id, provisioning }]);
    expect((await read(made.id)).body).toMatchObject({
      status: 'provisioning',
      step: 'connect',
      attempts: 3,
      error: 'connection refused',
      started_at: '1970-01-01T00:00:01.000Z',
    });
    expect((await front.call('GET', `/ocpp/chargers/${made.id}`)).body.provisioning_status).toBe('provisioning');
  });

  it('is 404 when there is no such charger', async () => {
    expect(await read('nobody')).toMatchObject({ status: 404, body: { detail: 'charger nobody does not exist' } });
  });
});

describe('the list of chargers', () => {
  beforeEach(async () => {
    for (const [index, ocpp_version] of ['1.6', '2.0.1', '2.1', null].entries()) {
      await create({ identity: `CP-${index + 1}`, name: `Bay ${index + 1}`, ocpp_version, autostart: index < 3 });
    }
  });

  const identities = async (query: string) => {
    const { body } = await front.call('GET', `/ocpp/chargers?${query}`);
    return body.data.map(({ identity }: { identity: string }) => identity);
  };

  it('is newest first, in pages', async () => {
    const { status, body } = await front.call('GET', '/ocpp/chargers?limit=3');
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['data', 'total', 'page', 'limit']);
    expect(body).toMatchObject({ total: 4, page: 1, limit: 3 });
    expect(Object.keys(body.data[0])).toEqual(fields);
    expect(await identities('limit=3')).toEqual(['CP-4', 'CP-3', 'CP-2']);
    expect(await identities('limit=3&page=2')).toEqual(['CP-1']);
    expect(await identities('limit=3&page=3')).toEqual([]);
    expect(await identities('page=1000000000&limit=100')).toEqual([]);
  });

  it.each([
    ['ocpp_version=1.6', ['CP-4', 'CP-1']],
    ['ocpp_version=2.1', ['CP-3']],
    ['status=stopped', ['CP-4']],
    ['status=running&limit=1', ['CP-3']],
    ['q=cp-2', ['CP-2']],
    ['q=bay%203', ['CP-3']],
    ['location_id=nowhere', []],
    ['provisioning_status=ready', ['CP-4']],
    ['provisioning_status=pending&ocpp_version=2.1', ['CP-3']],
    ['provisioning_status=failed', []],
  ])('can be asked for %s', async (query, expected) => {
    expect(await identities(query)).toEqual(expected);
  });

  it('shows nothing of another tenant', async () => {
    const { body } = await front.call('GET', '/ocpp/chargers', { token: await tokenOf('other') });
    expect(body).toEqual({ data: [], total: 0, page: 1, limit: 20 });
  });
});

describe('one charger', () => {
  it('is 404 when it does not exist, and just so when it is another tenant’s', async () => {
    const { body } = await create({});
    const token = await tokenOf('other');
    for (const [id, reply] of [
      ['nobody', await front.call('GET', '/ocpp/chargers/nobody')],
      [body.id, await front.call('GET', `/ocpp/chargers/${body.id}`, { token })],
    ]) {
      expect(reply).toMatchObject({ status: 404, body: { detail: `charger ${id} does not exist` } });
    }
  });
});
