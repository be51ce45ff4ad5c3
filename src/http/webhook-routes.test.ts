// Checks the operations on webhooks: what they take, what they show, and who may see it.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Front, makeLocation, startFront, tokenOf } from '../../test/http-front.ts';
import { Receiver } from '../../test/webhook-receiver.ts';
import { MemoryFeed } from '../adapters/feed/memory.ts';
import type { NewFleetEvent } from '../ports/feed.ts';

/** The machine may be busy. */
const patiently = { timeout: 9_000 };
const url = 'http://127.0.0.1:9/hook';

describe('webhooks', () => {
  let front: Front;
  beforeAll(async () => {
    front = await startFront();
  });
  afterAll(() => front.close());
  beforeEach(() => front.newTenant());

  const create = (body: object = { url }, options: object = {}) =>
    front.call('POST', '/ocpp/webhooks', { body, ...options });

  it('are created with a secret, which is shown this once', async () => {
    const { status, body, headers } = await create();
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      url,
      types: null,
      charger_id: null,
      location_id: null,
      state: 'active',
      failures: 0,
      failing_since: null,
      last_error: null,
      last_delivered_at: null,
      last_event_id: '000001-0000000000',
      created_at: expect.stringMatching(/Z$/),
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    expect(headers.location).toBe(`/ocpp/webhooks/${body.id}`);
    const { secret, ...shown } = body;
    expect((await front.call('GET', `/ocpp/webhooks/${body.id}`)).body).toEqual(shown);
    const list = await front.call('GET', '/ocpp/webhooks');
    expect(list.body).toEqual({ data: [shown], total: 1, page: 1, limit: 20 });
    expect((await create()).body.secret).not.toBe(secret);
  });

  it('are created once under one key', async () => {
    const headers = { 'idempotency-key': 'k' };
    const first = await create({ url }, { headers });
    const second = await create({ url }, { headers });
    expect(second.body).toEqual(first.body);
    expect((await front.call('GET', '/ocpp/webhooks')).body.total).toBe(1);
    expect((await create({ url: `${url}/other` }, { headers })).status).toBe(422);
  });

  it('may be of some types, a charger, a location', async () => {
    const { location, ids } = await makeLocation(front);
    const wish = { url, types: ['transaction.ended'], charger_id: ids[0], location_id: location.id };
    expect((await create(wish)).body).toMatchObject(wish);
    const nulls = { url, types: null, charger_id: null, location_id: null };
    expect((await create(nulls)).body).toMatchObject(nulls);
  });

  it.each([
    [{}, 'url'],
    [{ url: '' }, 'url'],
    [{ url: 'nonsense' }, 'url'],
    [{ url: 'ftp://example.com' }, 'url'],
    [{ url: 'https://user:word@example.com' }, 'url'],
    [{ url: `https://example.com/${'x'.repeat(2_048)}` }, 'url'],
    [{ url, types: [] }, 'types'],
    [{ url, types: ['nonsense'] }, 'types[0]'],
    [{ url, types: ['fault.injected', 'fault.injected'] }, 'types'],
    [{ url, type: 'fault.injected' }, 'type'],
    [{ url, charger_id: 7 }, 'charger_id'],
  ])('are refused as %j with 422 on %s', async (body, field) => {
    const answer = await create(body);
    expect(answer.status).toBe(422);
    expect(answer.body.errors.map((error: { field: string }) => error.field)).toEqual([field]);
  });

  it('of a charger or location that does not exist are 400, also when they are another tenant’s', async () => {
    const { location, ids } = await makeLocation(front);
    const token = await tokenOf('stranger');
    for (const id of ['nobody', ids[0]]) {
      const { status, body } = await create({ url, charger_id: id }, { token });
      expect([status, body.detail]).toEqual([400, `charger ${id} does not exist`]);
    }
    for (const id of ['nowhere', location.id]) {
      const { status, body } = await create({ url, location_id: id }, { token });
      expect([status, body.detail]).toEqual([400, `location ${id} does not exist`]);
    }
  });

  it('are a hundred at most, for each tenant', async () => {
    for (let count = 0; count < 100; count += 1) expect((await create()).status).toBe(201);
    const { status, body } = await create();
    expect([status, body.detail]).toEqual([400, 'this tenant has 100 webhooks, as many as it may']);
    const { body: page } = await front.call('GET', '/ocpp/webhooks?limit=3&page=2');
    expect([page.data.length, page.total]).toEqual([3, 100]);
    await front.call('DELETE', `/ocpp/webhooks/${page.data[0].id}`);
    expect((await create()).status).toBe(201);
  });

  it('are nobody else’s', async () => {
    const { id } = (await create()).body;
    const token = await tokenOf('stranger');
    for (const [method, path, body] of [
      ['GET', `/ocpp/webhooks/${id}`],
      ['DELETE', `/ocpp/webhooks/${id}`],
      ['POST', `/ocpp/webhooks/${id}/redeliver`, {}],
    ] as const) {
      const answer = await front.call(method, path, { token, body });
      expect([answer.status, answer.body.detail], method).toEqual([404, `webhook ${id} does not exist`]);
    }
    expect((await front.call('GET', '/ocpp/webhooks', { token })).body.data).toEqual([]);
    expect((await front.call('GET', `/ocpp/webhooks/${id}`)).status).toBe(200);
  });

  it('are deleted', async () => {
    const { id } = (await create()).body;
    expect((await front.call('DELETE', `/ocpp/webhooks/${id}`)).status).toBe(204);
    expect((await front.call('DELETE', `/ocpp/webhooks/${id}`)).status).toBe(404);
    expect((await front.call('GET', `/ocpp/webhooks/${id}`)).status).toBe(404);
    expect((await front.call('POST', `/ocpp/webhooks/${id}/redeliver`, { body: {} })).status).toBe(404);
  });

  it('do not get events again that there cannot have been', async () => {
    const { id } = (await create()).body;
    const again = (after: unknown) => front.call('POST', `/ocpp/webhooks/${id}/redeliver`, { body: { after } });
    expect((await again('000001-000000zzzz')).body).toEqual({ detail: 'event 000001-000000zzzz does not exist' });
    expect((await again('000001-000000zzzz')).status).toBe(400);
    expect((await again(7)).status).toBe(422);
    expect((await again(null)).status).toBe(202);
  });
});

describe('a webhook with a receiver', () => {
  let feed: MemoryFeed;
  let front: Front;
  let receiver: Receiver;
  beforeEach(async () => {
    feed = new MemoryFeed({ epoch: 1 });
    front = await startFront({ feed });
    receiver = await new Receiver().start();
  });
  afterEach(async () => {
    await receiver.stop();
    await front.close();
  });

  const event = (number: number): NewFleetEvent => ({
    org: front.org,
    type: 'fault.injected',
    atMs: number,
    chargerId: 'c-1',
    identity: 'CP-1',
    locationId: null,
    data: { number },
  });

  it('gets events from its creation on, and again when it asks, and none once it is deleted', async () => {
    feed.publish([event(1)]);
    const { body } = await front.call('POST', '/ocpp/webhooks', { body: { url: receiver.url } });
    receiver.secret = body.secret;
    feed.publish([event(2), event(3)]);
    await vi.waitUntil(() => receiver.received.length === 2, patiently);
    expect(receiver.numbersByCharger()).toEqual({ 'c-1': [2, 3] });
    expect(receiver.received.every(({ isGenuine }) => isGenuine)).toBe(true);
    const answer = await front.call('POST', `/ocpp/webhooks/${body.id}/redeliver`, {
      body: { after: '000001-0000000002' },
    });
    expect(answer.status).toBe(202);
    expect(answer.body).toMatchObject({ id: body.id, state: 'active', last_event_id: '000001-0000000002' });
    expect(answer.body).not.toHaveProperty('secret');
    await vi.waitUntil(() => receiver.received.length === 3, patiently);
    expect(receiver.numbersByCharger()).toEqual({ 'c-1': [2, 3, 3] });
    await front.call('DELETE', `/ocpp/webhooks/${body.id}`);
    feed.publish([event(4)]);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(receiver.received).toHaveLength(3);
  });
});
