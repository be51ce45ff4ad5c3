// Checks how charge point operators are created, listed, read and deleted.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Front, makeLocation, startFront, tokenOf } from '../../test/http-front.ts';
import { cpoTemplate } from '../templates/cpo-templates.ts';

let front: Front;
beforeAll(async () => {
  front = await startFront();
});
beforeEach(() => front.newTenant());
afterAll(() => front.close());

const cpo = { name: 'Sunny Charging', country_code: 'NL', party_id: 'SUN' };
const create = (body: unknown = cpo) => front.call('POST', '/ocpi/cpos', { body });
const locations = async (id: string) => (await front.call('GET', `/ocpi/cpos/${id}/locations?limit=100`)).body;
const chargerTotal = async () => (await front.call('GET', '/ocpp/chargers')).body.total;

describe('a new CPO', () => {
  it('is answered with every field, and where it is', async () => {
    const { status, body, headers } = await create();
    expect(status).toBe(201);
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(body).toEqual({ id: expect.any(String), ...cpo, created_at: at, updated_at: at });
    expect(headers['location']).toBe(`/ocpi/cpos/${body.id}`);
    expect((await front.call('GET', String(headers['location']))).body).toEqual(body);
    expect(await locations(body.id)).toEqual({ data: [], total: 0, page: 1, limit: 100 });
  });

  it('is kept in capitals', async () => {
    expect((await create({ ...cpo, country_code: 'nl', party_id: 's4n' })).body).toMatchObject({
      country_code: 'NL',
      party_id: 'S4N',
    });
  });

  it.each([
    [{}, 'name', 'is required'],
    [{ ...cpo, name: '' }, 'name', 'must not be empty'],
    [{ ...cpo, country_code: 'NLD' }, 'country_code', 'must be two letters, such as NL'],
    [{ ...cpo, country_code: '' }, 'country_code', 'must be two letters, such as NL'],
    [{ ...cpo, country_code: 'N1' }, 'country_code', 'must be two letters, such as NL'],
    [{ ...cpo, party_id: 'SU' }, 'party_id', 'must be three letters or digits, such as SUN'],
    [{ ...cpo, party_id: 'S*N' }, 'party_id', 'must be three letters or digits, such as SUN'],
    [{ ...cpo, party_id: null }, 'party_id', 'must be string'],
    [{ ...cpo, colour: 'red' }, 'colour', 'is not known here; known: name, country_code, party_id, template'],
  ])('of %j is 422', async (body, field, message) => {
    const reply = await create(body);
    expect(reply.status).toBe(422);
    expect(reply.body.errors[0]).toEqual({ field, message });
  });

  it('from a template that does not exist is 400, and nothing is made', async () => {
    const reply = await create({ ...cpo, template: 'nothing' });
    expect(reply).toMatchObject({ status: 400, body: { detail: 'template nothing does not exist' } });
    expect((await front.call('GET', '/ocpi/cpos')).body.total).toBe(0);
  });

  it('from a template has its locations and their chargers, as often as one likes', async () => {
    const template = cpoTemplate('dutch-city-network');
    const made = [];
    for (let times = 0; times < 2; times++) {
      const { status, body } = await create({ ...cpo, template: 'dutch-city-network' });
      expect(status).toBe(201);
      const { data, total } = await locations(body.id);
      expect(total).toBe(template?.totalLocations);
      const names = data.map(({ name }: { name: string }) => name);
      expect(new Set(names).size).toBe(names.length);
      made.push(body.id);
    }
    expect(await chargerTotal()).toBe((template?.totalChargers ?? 0) * 2);
    expect(front.items).toHaveLength((template?.totalChargers ?? 0) * 2);
    expect((await front.call('GET', '/ocpi/cpos')).body.data.map(({ id }: { id: string }) => id)).toEqual(
      made.toReversed(),
    );
  });
});

describe('CPOs', () => {
  it('are listed newest first, in pages, each tenant its own', async () => {
    for (const name of ['one', 'two', 'three']) await create({ ...cpo, name });
    const names = async (query: string) => {
      const { body } = await front.call('GET', `/ocpi/cpos?${query}`);
      expect(body.total).toBe(3);
      return body.data.map(({ name }: { name: string }) => name);
    };
    expect(await names('limit=2')).toEqual(['three', 'two']);
    expect(await names('limit=2&page=2')).toEqual(['one']);
    expect(await names('page=9')).toEqual([]);
    const { body } = await front.call('GET', '/ocpi/cpos', { token: await tokenOf('other') });
    expect(body).toEqual({ data: [], total: 0, page: 1, limit: 20 });
  });

  it('are 404 when they do not exist, and just so when they are another tenant’s', async () => {
    const { id } = (await create()).body;
    const token = await tokenOf('other');
    const detail = (name: string) => ({ status: 404, body: { detail: `CPO ${name} does not exist` } });
    for (const path of ['', '/locations', '/locations/x', '/locations/x/provisioning']) {
      expect(await front.call('GET', `/ocpi/cpos/nobody${path}`)).toMatchObject(detail('nobody'));
      expect(await front.call('GET', `/ocpi/cpos/${id}${path}`, { token })).toMatchObject(detail(id));
    }
    for (const path of ['', '/locations/x']) {
      expect(await front.call('DELETE', `/ocpi/cpos/${id}${path}`, { token })).toMatchObject(detail(id));
    }
    const body = { template: 'nothing either' };
    expect(await front.call('POST', `/ocpi/cpos/${id}/locations`, { body, token })).toMatchObject(detail(id));
  });
});

describe('the deletion of a CPO', () => {
  it('is 204 while it has no locations', async () => {
    const { id } = (await create()).body;
    expect(await front.call('DELETE', `/ocpi/cpos/${id}`)).toMatchObject({ status: 204, body: '' });
    expect((await front.call('DELETE', `/ocpi/cpos/${id}`)).status).toBe(404);
  });

  it.each(['', '?cascade=false', '?cascade='])('is 400 with%s while it has', async (query) => {
    const { cpoId, path } = await makeLocation(front);
    expect(await front.call('DELETE', `/ocpi/cpos/${cpoId}${query}`)).toMatchObject({
      status: 400,
      body: { detail: `CPO ${cpoId} still has locations: delete them first, or use cascade=true` },
    });
    expect((await front.call('GET', path)).status).toBe(200);
  });

  it('with cascade takes everything with it, and nothing else', async () => {
    const { body } = await create({ ...cpo, template: 'test-bench' });
    const { ids: kept } = await makeLocation(front);
    front.items.length = 0;
    front.answer = () => true;
    expect((await front.call('DELETE', `/ocpi/cpos/${body.id}?cascade=true`)).status).toBe(204);
    expect((await front.call('GET', `/ocpi/cpos/${body.id}`)).status).toBe(404);
    expect(await chargerTotal()).toBe(kept.length);
    const gone = cpoTemplate('test-bench')?.totalChargers ?? 0;
    expect(front.questions).toHaveLength(gone);
    expect(front.items).toHaveLength(gone * 2);
  });

  it('is 422 with a cascade that is neither true nor false', async () => {
    const { status, body } = await front.call('DELETE', '/ocpi/cpos/x?cascade=yes');
    expect(status).toBe(422);
    expect(body.errors).toEqual([{ field: 'cascade', message: 'must be boolean' }]);
  });
});
