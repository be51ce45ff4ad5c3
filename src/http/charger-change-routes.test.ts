// Checks how deployments are changed and deleted, and what their owners hear of it.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Front, makeLocation, startFront, tokenOf } from '../../test/http-front.ts';
import { Failure } from '../errors.ts';

let front: Front;
beforeAll(async () => {
  front = await startFront();
});
beforeEach(() => front.newTenant());
afterAll(() => front.close());

const create = async (body: object = {}) => {
  const reply = await front.call('POST', '/ocpp/chargers', { body: { identity: 'CP-1', name: 'Bay 1', ...body } });
  expect(reply.status).toBe(202);
  front.items.length = 0;
  return reply.body;
};
const update = (id: string, body: unknown) => front.call('PUT', `/ocpp/chargers/${id}`, { body });
const generation = async (id: string) => (await front.store.charger(front.org, id))?.generation;

const terra = '224dd290-ea16-5140-9c96-90da4463ab9a';

describe('an update', () => {
  it.each([
    [{ name: 'North' }, { name: 'North' }],
    [{ name: null }, { name: null }],
    [{ charge_point_name: 'North' }, { name: 'North' }],
    [{ charge_point_name: null }, { name: null }],
    [{ name: 'North', charge_point_name: 'North' }, { name: 'North' }],
    [{ name: null, charge_point_name: 'North' }, { name: 'North' }],
    [{ name: 'North', charge_point_name: null }, { name: 'North' }],
  ])('by %j changes the name alone, and restarts nothing', async (body, changed) => {
    const before = await create();
    const reply = await update(before.id, body);
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ ...before, ...changed, updated_at: expect.any(String) });
    expect((await front.call('GET', `/ocpp/chargers/${before.id}`)).body).toEqual(reply.body);
    expect(front.items).toEqual([{ kind: 'refresh', chargerId: before.id }]);
    expect(await generation(before.id)).toBe(1);
  });

  it.each<[object, object]>([
    [{ ocpp_version: '2.1' }, { ocpp_version: '2.1' }],
    [{ ws_url: 'wss://other/{identity}' }, { ws_url: 'wss://other/{identity}' }],
    [{ connector_type: 'CCS2' }, { connector_type: 'CCS2' }],
  ])('by %j restarts the charger', async (body, changed) => {
    const before = await create({ ocpp_version: '2.0.1', ws_url: 'ws://one' });
    expect((await update(before.id, body)).body).toMatchObject(changed);
    expect(await generation(before.id)).toBe(2);
    expect(front.items).toEqual([{ kind: 'refresh', chargerId: before.id }]);
  });

  it('to null returns to the default', async () => {
    const before = await create({ ocpp_version: '2.1', ws_url: 'ws://one', connector_type: 'CCS2' });
    const { body } = await update(before.id, { ocpp_version: null, ws_url: null, connector_type: null });
    expect(body).toMatchObject({
      ocpp_version: '1.6',
      ws_url: `ws://127.0.0.1:8080/csms/${front.org}`,
      connector_type: 'CCS2',
    });
    expect(await front.store.charger(front.org, before.id)).toMatchObject({ wsUrl: null, generation: 2 });
    const { body: list } = await front.call('GET', '/ocpp/chargers?ocpp_version=1.6');
    expect(list.total).toBe(1);
  });

  it.each([
    [{}],
    [{ name: 'Bay 1' }],
    [{ ocpp_version: '1.6' }],
    [{ ocpp_version: null }],
    [{ ws_url: null }],
    [{ connector_type: 'Type2' }],
    [{ connector_type: null }],
    [{ location_id: null, location_name: null }],
  ])('by %j, which is so already, changes nothing', async (body) => {
    const before = await create();
    const reply = await update(before.id, body);
    expect(reply).toMatchObject({ status: 200, body: before });
    expect(front.items).toEqual([]);
    expect(await generation(before.id)).toBe(1);
  });

  it('that writes the same address in another way does not hang up', async () => {
    const before = await create();
    const ws_url = `ws://127.0.0.1:8080/csms/${front.org}/`;
    expect((await update(before.id, { ws_url })).body.ws_url).toBe(ws_url);
    expect(await generation(before.id)).toBe(1);
  });

  it('gives all connectors of a charger described by hand the new type', async () => {
    const { id } = await create({ number_of_connectors: 2, max_charging_power: 11_000 });
    await update(id, { connector_type: 'Type1' });
    const outlet = { connectorId: 1, type: 'Type1', format: 'CABLE', maxPowerW: 11_000 };
    expect((await front.store.charger(front.org, id))?.layout).toEqual([
      { evseId: 1, ...outlet },
      { evseId: 2, ...outlet },
    ]);
  });

  it('leaves the layout of a catalog model alone', async () => {
    const before = await create({ model_id: terra });
    expect((await update(before.id, { connector_type: 'CHAdeMO' })).body.connector_type).toBe('CHAdeMO');
    expect((await update(before.id, { connector_type: null })).body.connector_type).toBe('CCS2');
    expect(await generation(before.id)).toBe(1);
    expect(await update(before.id, { connector_type: 'Type2' })).toMatchObject({
      status: 400,
      body: { detail: 'the strongest connector of this model is CCS2 or CHAdeMO, not Type2' },
    });
  });

  it.each([
    [{ nmae: 'x' }, 'nmae', /^is not known here; known: name, charge_point_name, connector_type, /],
    [{ name: '' }, 'name', /^must not be empty$/],
    [{ name: 7 }, 'name', /^must be string or null$/],
    [{ name: 'a\u0000' }, 'name', /^must not contain control characters$/],
    [{ ocpp_version: '1.5' }, 'ocpp_version', /^must be one of 1.6, 2.0.1, 2.1$/],
    [{ connector_type: 'Schuko' }, 'connector_type', /^must be one of Type1, /],
    [{ ws_url: 'http://x' }, 'ws_url', /^must be a ws:\/\/ or wss:\/\/ address/],
    [{ id: 'x' }, 'id', /^is not known here/],
  ])('by %j is 422, whether or not there is such a charger', async (body, field, message) => {
    const { status, body: answer } = await update('nobody', body);
    expect(status).toBe(422);
    expect(answer.errors).toEqual([{ field, message: expect.stringMatching(message) }]);
  });

  it('is 404 when there is no such charger, also when it contradicts itself, and just so when it is another tenant’s', async () => {
    const { id } = await create();
    const token = await tokenOf('other');
    const body = { name: 'a', charge_point_name: 'b' };
    expect((await update('nobody', body)).status).toBe(404);
    expect(await front.call('PUT', `/ocpp/chargers/${id}`, { body, token })).toMatchObject({
      status: 404,
      body: { detail: `charger ${id} does not exist` },
    });
  });

  it('with two names that differ is 400', async () => {
    const { id } = await create();
    expect(await update(id, { name: 'a', charge_point_name: 'b' })).toMatchObject({
      status: 400,
      body: { detail: 'name and charge_point_name are one thing: they must not differ' },
    });
    expect(front.items).toEqual([]);
  });

  it('to an address that the security profile does not allow is 400', async () => {
    const security = { profile: 2, basic_password: 'secret' };
    const { id } = await create({ security, ws_url: 'wss://one' });
    for (const ws_url of ['ws://two', null]) {
      expect(await update(id, { ws_url })).toMatchObject({
        status: 400,
        body: { detail: 'ws_url must be a wss:// address with security profile 2, which this charger has' },
      });
    }
    expect((await update(id, { ws_url: 'wss://two' })).status).toBe(200);
  });
});

describe('an update of the location', () => {
  const places = async () => {
    const harbour = await makeLocation(front, { template: 'home-duo', name: 'Harbour' });
    const twin = await makeLocation(front, { template: 'home-duo', name: 'Twin' });
    await makeLocation(front, { template: 'home-duo', name: 'Twin' });
    const { id } = await create();
    return { id, harbour: harbour.location.id, twin: twin.location.id };
  };

  it('takes an id, a name, or both, and null from either', async () => {
    const { id, harbour, twin } = await places();
    const move = async (body: object) => (await update(id, body)).body.location_id;
    expect(await move({ location_id: harbour })).toBe(harbour);
    expect(await move({ location_id: null })).toBe(null);
    expect(await move({ location_name: 'Harbour' })).toBe(harbour);
    expect(await move({ location_name: null })).toBe(null);
    expect(await move({ location_id: twin, location_name: 'Twin' })).toBe(twin);
    expect(await move({ location_id: harbour, location_name: null })).toBe(harbour);
    expect(await move({ location_id: null, location_name: 'Harbour' })).toBe(harbour);
    expect(await move({ location_id: null, location_name: null })).toBe(null);
    expect(await generation(id)).toBe(1);
  });

  it('is 400 when it is unknown, ambiguous or contradicts itself', async () => {
    const { id, harbour } = await places();
    for (const [body, detail] of [
      [{ location_id: 'nowhere' }, 'location nowhere does not exist'],
      [{ location_name: 'Nowhere' }, 'there is no location called Nowhere'],
      [{ location_name: 'Twin' }, 'several locations are called Twin: use location_id'],
      [{ location_id: harbour, location_name: 'Twin' }, `location ${harbour} is called Harbour, not Twin`],
    ] as const) {
      expect(await update(id, body)).toMatchObject({ status: 400, body: { detail } });
    }
    expect(front.items).toEqual([]);
  });
});

describe('a deletion', () => {
  const remove = (id: string) => front.call('DELETE', `/ocpp/chargers/${id}`);

  it('stops the charger, waits for that, and answers without a body', async () => {
    const { id } = await create();
    let desiredWhenAsked: string | undefined;
    front.answer = async () => {
      desiredWhenAsked = (await front.store.charger(front.org, id))?.desired;
      return true;
    };
    const { status, body, headers } = await remove(id);
    expect(status).toBe(204);
    expect(body).toBe('');
    expect(headers).not.toHaveProperty('content-type');
    expect(desiredWhenAsked).toBe('stopped');
    expect(front.questions).toEqual([{ chargerId: id, question: { kind: 'stopped' } }]);
    const refresh = { kind: 'refresh', chargerId: id };
    expect(front.items).toEqual([refresh, refresh]);
    expect((await front.call('GET', `/ocpp/chargers/${id}`)).status).toBe(404);
    expect((await remove(id)).status).toBe(404);
  });

  it.each(['no_answer', 'not_running'] as const)('does not mind %s', async (code) => {
    const { id } = await create();
    front.answer = () => {
      throw new Failure(code);
    };
    expect((await remove(id)).status).toBe(204);
    expect(await front.store.charger(front.org, id)).toBe(null);
  });

  it('ends the commands that still wait', async () => {
    const { id: charger_id } = await create();
    const { body } = await front.call('POST', '/ocpp/commands/plug-connector', {
      body: { target: { charger_id }, event: {} },
    });
    await remove(charger_id);
    const command = await front.call('GET', `/ocpp/commands/${body.results[0].command.id}`);
    expect(command.body).toMatchObject({ status: 'failed', error_code: 'deleted' });
  });

  it('frees the identity', async () => {
    await remove((await create()).id);
    await create();
  });

  it('takes an empty body of any content type, and no other', async () => {
    const { id } = await create();
    const headers = { 'content-type': 'application/json' };
    const refused = await front.call('DELETE', `/ocpp/chargers/${id}`, { body: { force: true } });
    expect(refused.body.errors).toEqual([{ field: 'force', message: 'is not known here; known: nothing' }]);
    expect((await front.call('DELETE', `/ocpp/chargers/${id}`, { headers })).status).toBe(204);
  });

  it('is 404 for another tenant’s charger', async () => {
    const { id } = await create();
    const token = await tokenOf('other');
    expect((await front.call('DELETE', `/ocpp/chargers/${id}`, { token })).status).toBe(404);
    expect(await front.store.charger(front.org, id)).not.toBe(null);
  });
});
