// Checks how locations are made from templates, told live and deleted.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Front, makeLocation, startFront, tokenOf } from '../../test/http-front.ts';
import { Failure } from '../errors.ts';
import { newProvisioning, provisioned } from '../provisioning/provisioning.ts';
import { locationTemplates } from '../templates/location-templates.ts';

let front: Front;
beforeAll(async () => {
  front = await startFront();
});
beforeEach(() => front.newTenant());
afterAll(() => front.close());

const newCpo = async (): Promise<string> => {
  const body = { name: 'Sunny Charging', country_code: 'NL', party_id: 'SUN' };
  return (await front.call('POST', '/ocpi/cpos', { body })).body.id;
};
const create = (cpoId: string, body: unknown) => front.call('POST', `/ocpi/cpos/${cpoId}/locations`, { body });

describe('a location from a template', () => {
  it('is answered with its chargers, all of them yet to come', async () => {
    const cpoId = await newCpo();
    const { status, body, headers } = await create(cpoId, { template: 'home-duo', identity_prefix: 'HOME' });
    expect(status).toBe(202);
    expect(Object.keys(body)).toEqual(['location', 'charger_ids', 'provisioning']);
    expect(body.provisioning).toEqual({ total: 2, ready: 0, failed: 0 });
    expect(body.location).toMatchObject({
      country_code: 'NL',
      party_id: 'SUN',
      publish: true,
      operator: { name: 'Sunny Charging' },
      country: expect.stringMatching(/^[A-Z]{3}$/),
      coordinates: { latitude: expect.stringMatching(/^-?\d+\.\d{6}$/) },
    });
    expect(new Set(body.location.evses.map((evse: { status: string }) => evse.status))).toEqual(new Set(['PLANNED']));
    expect(headers['location']).toBe(`/ocpi/cpos/${cpoId}/locations/${body.location.id}`);
    expect((await front.call('GET', String(headers['location']))).body).toEqual(body.location);
    expect(front.items).toEqual(body.charger_ids.map((chargerId: string) => ({ kind: 'refresh', chargerId })));
  });

  it('has chargers as the template describes them', async () => {
    const [template] = locationTemplates().filter(({ slug }) => slug === 'home-duo');
    const { location, ids } = await makeLocation(front, { template: 'home-duo', identity_prefix: 'HOME' });
    const { body } = await front.call('GET', `/ocpp/chargers/${ids[1]}`);
    const [group] = template?.groups ?? [];
    expect(body).toMatchObject({
      identity: 'HOME-0002',
      location_id: location.id,
      ocpp_version: group?.ocppVersion,
      ws_url: `ws://127.0.0.1:8080/csms/${front.org}`,
      provisioning_status: 'pending',
      model_id: expect.any(String),
      image_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:8080\/images\/models\/.*\.svg$/),
    });
    expect(await front.store.charger(front.org, ids[0] ?? '')).toMatchObject({ desired: 'running', generation: 1 });
  });

  it('takes a name, an address, a version and a multiplier for all', async () => {
    const body = {
      template: 'interoperability-lab',
      name: 'Lab 2',
      ws_url: 'wss://csms.example.com/{identity}',
      ocpp_version: '2.1',
      count_multiplier: 2,
    };
    const { location, ids } = await makeLocation(front, body);
    expect(location.name).toBe('Lab 2');
    expect(ids).toHaveLength(24);
    const { body: list } = await front.call('GET', `/ocpp/locations/${location.id}/chargers?limit=100`);
    for (const charger of list.data) expect(charger).toMatchObject({ ocpp_version: '2.1', ws_url: body.ws_url });
  });

  it.each(locationTemplates().map(({ slug, totalChargers }) => [slug, totalChargers]))(
    '%s can be made, and made again',
    async (template, totalChargers) => {
      for (let times = 0; times < 2; times++) {
        const { ids } = await makeLocation(front, { template });
        expect(ids).toHaveLength(Number(totalChargers));
      }
    },
  );

  it('may have 2000 chargers, and no more', async () => {
    const { ids } = await makeLocation(front, { template: 'delivery-depot', count_multiplier: 10 });
    expect(ids).toHaveLength(2_000);
    const { status, body } = await create('no matter', { template: 'delivery-depot', count_multiplier: 11 });
    expect(status).toBe(422);
    const message = 'is too large: that would be 2200 chargers; a location has at most 2000';
    expect(body.errors).toEqual([{ field: 'count_multiplier', message }]);
  });

  it.each([
    [{}, 'template', 'is required'],
    [{ template: 'home-duo', count_multiplier: 0 }, 'count_multiplier', 'must be >= 1'],
    [{ template: 'home-duo', count_multiplier: '2' }, 'count_multiplier', 'must be number or null'],
    [
      { template: 'home-duo', identity_prefix: 'a:b' },
      'identity_prefix',
      'may contain only A-Z a-z 0-9 . _ - * = + | @',
    ],
    [{ template: 'home-duo', identity_prefix: 'x'.repeat(44) }, 'identity_prefix', 'must have at most 43 characters'],
    [{ template: 'home-duo', identity_prefix: '' }, 'identity_prefix', 'must not be empty'],
    [{ template: 'home-duo', ocpp_version: '1.5' }, 'ocpp_version', 'must be one of 1.6, 2.0.1, 2.1'],
    [
      { template: 'home-duo', ws_url: 'http://x' },
      'ws_url',
      'must be a ws:// or wss:// address, such as wss://csms.example.com/ocpp',
    ],
    [
      { template: 'home-duo', count: 2 },
      'count',
      'is not known here; known: template, name, ws_url, identity_prefix, ocpp_version, count_multiplier',
    ],
  ])('of %j is 422, before anything is looked for', async (body, field, message) => {
    const reply = await create('nobody', body);
    expect(reply.status).toBe(422);
    expect(reply.body.errors).toEqual([{ field, message }]);
  });

  it('is 404 without its CPO, and 400 without its template', async () => {
    expect((await create('nobody', { template: 'nothing' })).status).toBe(404);
    expect(await create(await newCpo(), { template: 'nothing' })).toMatchObject({
      status: 400,
      body: { detail: 'template nothing does not exist' },
    });
  });

  it('is 400 when an identity is taken, and then nothing is made', async () => {
    await front.call('POST', '/ocpp/chargers', { body: { identity: 'HOME-0002' } });
    front.items.length = 0;
    const cpoId = await newCpo();
    expect(await create(cpoId, { template: 'home-duo', identity_prefix: 'HOME' })).toMatchObject({
      status: 400,
      body: { detail: 'the identity HOME-0002 is already in use' },
    });
    expect((await front.call('GET', `/ocpi/cpos/${cpoId}/locations`)).body.total).toBe(0);
    expect((await front.call('GET', '/ocpp/chargers')).body.total).toBe(1);
    expect(front.items).toEqual([]);
  });
});

describe('a location that is read', () => {
  const accept = (ids: readonly string[]) =>
    front.store.commit(
      ids.map((chargerId) => ({ chargerId, provisioning: provisioned(newProvisioning(0), { kind: 'accepted' }, 1) })),
    );

  it('tells the live status of its EVSEs', async () => {
    const { path, ids } = await makeLocation(front);
    const [one = '', two = ''] = ids;
    const statuses = async () =>
      (await front.call('GET', path)).body.evses.map((evse: { status: string }) => evse.status);
    front.statuses.set(one, ['Charging']);
    front.statuses.set(two, ['Available']);
    expect(await statuses()).toEqual(['PLANNED', 'PLANNED']);
    await accept([one]);
    expect(await statuses()).toEqual(['CHARGING', 'PLANNED']);
    await accept([two]);
    expect(await statuses()).toEqual(['CHARGING', 'AVAILABLE']);
    front.statuses.delete(two);
    expect(await statuses()).toEqual(['CHARGING', 'UNKNOWN']);
  });

  it('tells how many of its chargers are ready', async () => {
    const { path, ids } = await makeLocation(front, { template: 'townhouse-street' });
    await accept(ids.slice(0, 3));
    const failed = { ...newProvisioning(0), status: 'failed' as const, error: 'refused', finishedAtMs: 1 };
    await front.store.commit([{ chargerId: ids[3] ?? '', provisioning: failed }]);
    expect(await front.call('GET', `${path}/provisioning`)).toMatchObject({
      status: 200,
      body: { total: 8, ready: 3, failed: 1 },
    });
  });

  it('is listed with the others of its CPO, newest first, in pages', async () => {
    const cpoId = await newCpo();
    for (const name of ['one', 'two', 'three']) await create(cpoId, { template: 'home-duo', name });
    await makeLocation(front);
    const names = async (query: string) => {
      const { body } = await front.call('GET', `/ocpi/cpos/${cpoId}/locations?${query}`);
      expect(body.total).toBe(3);
      return body.data.map(({ name, evses }: { name: string; evses: unknown[] }) => `${name} ${evses.length}`);
    };
    expect(await names('limit=2')).toEqual(['three 2', 'two 2']);
    expect(await names('limit=2&page=2')).toEqual(['one 2']);
    expect(await names('page=3')).toEqual([]);
  });

  it('is 404 when it does not exist, is another CPO’s or another tenant’s', async () => {
    const { cpoId, location } = await makeLocation(front);
    const other = await newCpo();
    for (const path of [`/ocpi/cpos/${cpoId}/locations/nowhere`, `/ocpi/cpos/${other}/locations/${location.id}`]) {
      for (const [method, url] of [
        ['GET', path],
        ['GET', `${path}/provisioning`],
        ['DELETE', path],
      ] as const) {
        const reply = await front.call(method, url);
        expect(reply.status).toBe(404);
        expect(reply.body.detail).toMatch(/^location .* does not exist$/);
      }
    }
    const token = await tokenOf('other');
    expect((await front.call('GET', `/ocpi/cpos/${cpoId}/locations/${location.id}`, { token })).status).toBe(404);
  });
});

describe('the deletion of a location', () => {
  it('takes its chargers with it, stopped first, and no others', async () => {
    const { path, ids } = await makeLocation(front);
    const { body: kept } = await front.call('POST', '/ocpp/chargers', { body: {} });
    front.items.length = 0;
    front.answer = (chargerId) => {
      if (chargerId === ids[0]) throw new Failure('no_answer');
      return true;
    };
    expect(await front.call('DELETE', path)).toMatchObject({ status: 204, body: '' });
    expect(front.questions.map(({ chargerId, question }) => [chargerId, question.kind])).toEqual(
      ids.map((id) => [id, 'stopped']),
    );
    expect(front.items.map((item) => item.kind === 'refresh' && item.chargerId)).toEqual([...ids, ...ids]);
    expect((await front.call('GET', path)).status).toBe(404);
    const { body } = await front.call('GET', '/ocpp/chargers');
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([kept.id]);
  });
});
