// Checks that a request with an Idempotency-Key is done once, however often it is sent.
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Front, makeLocation, type Reply, startFront, tokenOf } from '../../test/http-front.ts';
import { SqliteQueue } from '../adapters/queue/sqlite.ts';
import { Failure } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';

const dayMs = 24 * 60 * 60_000;
const clock = { offsetMs: 0 };
const testClock: Clock = {
  nowMs: () => Date.now() + clock.offsetMs,
  at: (atMs, run) => {
    const timer = setTimeout(run, atMs - testClock.nowMs());
    return () => clearTimeout(timer);
  },
};

let front: Front;
beforeAll(async () => {
  front = await startFront({ clock: testClock });
});
beforeEach(() => front.newTenant());
afterAll(() => front.close());

const keyed = (url: string, body: unknown, key = 'key-1', on = front) =>
  on.call('POST', url, { ...(body === undefined ? {} : { body }), headers: { 'idempotency-key': key } });

const total = async () => (await front.call('GET', '/ocpp/chargers')).body.total;

/** What a client sees of an answer, save what tells one request from another. */
const seen = ({ status, body, headers: { 'x-request-id': _, date: __, ...headers } }: Reply) => ({
  status,
  body,
  headers,
});

describe('the same request with the same key', () => {
  const cpo = { name: 'Sunny', country_code: 'NL', party_id: 'SUN' };

  it.each<[string, (front: Front) => Promise<readonly [url: string, body: unknown]>]>([
    ['a new charger', async () => ['/ocpp/chargers', {}]],
    ['a new CPO', async () => ['/ocpi/cpos', cpo]],
    ['a new CPO with locations', async () => ['/ocpi/cpos', { ...cpo, template: 'test-bench' }]],
    [
      'a new location',
      async () => [`/ocpi/cpos/${(await makeLocation(front)).cpoId}/locations`, { template: 'home-duo' }],
    ],
    [
      'a command',
      async () => {
        const { id: charger_id } = (await front.call('POST', '/ocpp/chargers', { body: {} })).body;
        return ['/ocpp/commands/plug-connector', { target: { charger_id }, event: {} }];
      },
    ],
    [
      'a command that nobody can take',
      async () => {
        const { id: charger_id } = (await front.call('POST', '/ocpp/chargers', { body: { autostart: false } })).body;
        return ['/ocpp/commands/plug-connector', { target: { charger_id }, event: {} }];
      },
    ],
    ...(['start', 'stop', 'restart'] as const).map(
      (name) =>
        [
          name,
          async () => {
            await front.call('POST', '/ocpp/chargers', { body: { identity: 'CP-1' } });
            return [`/ocpp/simulators/CP-1/${name}`, undefined] as const;
          },
        ] as [string, (front: Front) => Promise<readonly [string, unknown]>],
    ),
  ])('%s is done once and answered the same', async (_, prepare) => {
    const [url, body] = await prepare(front);
    const first = await keyed(url, body);
    expect([201, 202]).toContain(first.status);
    const chargers = await total();
    front.items.length = 0;
    expect(seen(await keyed(url, body))).toEqual(seen(first));
    expect(await total()).toBe(chargers);
    expect(front.items).toEqual([]);
    // Without the key it is another request.
    expect(seen(await front.call('POST', url, body === undefined ? {} : { body }))).toMatchObject({
      status: first.status,
    });
  });

  it('is known by another server on the same store: what was answered is kept with what was done', async () => {
    const first = await keyed('/ocpp/chargers', { identity: 'CP-1' });
    const other = await startFront({ store: front.store, queue: new SqliteQueue(front.store), clock: testClock });
    const token = await tokenOf(front.org);
    const again = await other.call('POST', '/ocpp/chargers', {
      body: { identity: 'CP-1' },
      token,
      headers: { 'idempotency-key': 'key-1' },
    });
    expect(seen(again)).toEqual(seen(first));
    expect(again.headers['location']).toBe(`/ocpp/chargers/${first.body.id}`);
    await other.app.close();
  });

  it('is done once by two servers that get it at the same time', async () => {
    await front.call('POST', '/ocpp/chargers', { body: { identity: 'CP-1' } });
    const other = await startFront({ store: front.store, queue: new SqliteQueue(front.store), clock: testClock });
    other.answer = () => ({ runtime: { actual: 'running' } });
    const token = await tokenOf(front.org);
    const url = '/ocpp/simulators/CP-1/restart';
    let faster: Reply | undefined;
    // The other server gets it, and is through with it, while this one still asks the charger.
    front.answer = async () => {
      faster = await other.call('POST', url, { token, headers: { 'idempotency-key': 'key-1' } });
      return { runtime: { actual: 'running' } };
    };
    const slower = await keyed(url, undefined);
    expect(slower.status).toBe(202);
    expect(faster).toBeDefined();
    if (faster !== undefined) expect(seen(slower)).toEqual(seen(faster));
    expect((await front.store.chargerByIdentity(front.org, 'CP-1'))?.generation).toBe(2);
    await other.app.close();
  });

  it('is the same in whatever order its fields were sent', async () => {
    const first = await keyed('/ocpp/chargers', '{"identity":"CP-1","name":"a"}');
    expect((await keyed('/ocpp/chargers', '{ "name": "a", "identity": "CP-1" }')).body).toEqual(first.body);
  });

  it('is another one for another tenant', async () => {
    const first = await keyed('/ocpp/chargers', {});
    await front.newTenant();
    expect((await keyed('/ocpp/chargers', {})).body.id).not.toBe(first.body.id);
  });

  it('is done anew after a day, and then not twice either', async () => {
    const first = await keyed('/ocpp/chargers', {});
    clock.offsetMs += dayMs - 60_000;
    expect((await keyed('/ocpp/chargers', {})).body).toEqual(first.body);
    clock.offsetMs += 120_000;
    const second = await keyed('/ocpp/chargers', {});
    expect(second.status).toBe(202);
    expect(second.body.id).not.toBe(first.body.id);
    expect((await keyed('/ocpp/chargers', {})).body).toEqual(second.body);
    expect(await total()).toBe(2);
  });

  it('leaves nothing behind for ever', async () => {
    await keyed('/ocpp/chargers', {}, 'old');
    expect(await front.store.receipt(front.org, 'old')).toMatchObject({ status: 202 });
    clock.offsetMs += dayMs + 60_000;
    await keyed('/ocpp/chargers', {}, 'new');
    await vi.waitFor(async () => expect(await front.store.receipt(front.org, 'old')).toBe(null));
    expect(await front.store.receipt(front.org, 'new')).not.toBe(null);
  });
});

describe('the same key with another request', () => {
  const used = {
    status: 422,
    body: {
      detail: 'Idempotency-Key was used for another request',
      errors: [{ field: 'Idempotency-Key', message: 'was used for another request' }],
    },
  };

  it('is 422, whatever is different', async () => {
    const { body: one } = await keyed('/ocpp/chargers', { identity: 'CP-1' });
    expect(await keyed('/ocpp/chargers', { identity: 'CP-2' })).toMatchObject(used);
    expect(await keyed('/ocpp/simulators/CP-1/start', undefined)).toMatchObject(used);
    const event = { target: { charger_id: one.id }, event: {} };
    expect(await keyed('/ocpp/commands/plug-connector', event, 'key-2')).toMatchObject({ status: 202 });
    expect(await keyed('/ocpp/commands/unplug-connector', event, 'key-2')).toMatchObject(used);
    expect(await keyed('/ocpp/simulators/CP-1/start', undefined, 'key-3')).toMatchObject({ status: 202 });
    expect(await keyed('/ocpp/simulators/CP-1/stop', undefined, 'key-3')).toMatchObject(used);
    expect(await total()).toBe(1);
  });
});

describe('a request that fails', () => {
  it('may be sent again with its key', async () => {
    const { body: inTheWay } = await front.call('POST', '/ocpp/chargers', { body: { identity: 'CP-1' } });
    expect((await keyed('/ocpp/chargers', { identity: 'CP-1' })).status).toBe(400);
    await front.call('DELETE', `/ocpp/chargers/${inTheWay.id}`);
    expect((await keyed('/ocpp/chargers', { identity: 'CP-1' })).status).toBe(202);
  });

  it('inside the gateway, too', async () => {
    await front.call('POST', '/ocpp/chargers', { body: { identity: 'CP-1' } });
    front.answer = () => {
      throw new Error('broken');
    };
    expect((await keyed('/ocpp/simulators/CP-1/restart', undefined)).status).toBe(500);
    front.answer = () => {
      throw new Failure('not_running');
    };
    expect((await keyed('/ocpp/simulators/CP-1/restart', undefined)).status).toBe(202);
  });
});

describe('a request whose first is still running', () => {
  it('is 409, and is answered like it afterwards', async () => {
    await front.call('POST', '/ocpp/chargers', { body: { identity: 'CP-1' } });
    let goOn = (): void => {};
    const waiting = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    front.answer = async () => {
      await waiting;
      throw new Failure('not_running');
    };
    const first = keyed('/ocpp/simulators/CP-1/restart', undefined);
    await vi.waitFor(() => expect(front.questions).toHaveLength(1));
    expect(await keyed('/ocpp/simulators/CP-1/restart', undefined)).toMatchObject({
      status: 409,
      body: { detail: 'the first request with this Idempotency-Key is still being worked on' },
      headers: { 'retry-after': '1' },
    });
    goOn();
    const answer = await first;
    expect(answer.status).toBe(202);
    expect(seen(await keyed('/ocpp/simulators/CP-1/restart', undefined))).toEqual(seen(answer));
    expect((await front.store.chargerByIdentity(front.org, 'CP-1'))?.generation).toBe(2);
  });
});

describe('the key', () => {
  it.each(['', 'a b', 'ä', 'x'.repeat(256), 'a,\tb'])('%j is 422', async (key) => {
    const { status, body } = await keyed('/ocpp/chargers', {}, key);
    expect(status).toBe(422);
    expect(body.errors).toEqual([{ field: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' }]);
    expect(await total()).toBe(0);
  });

  it('may have any visible character', async () => {
    const key = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join('');
    expect((await keyed('/ocpp/chargers', {}, key)).status).toBe(202);
    expect((await keyed('/ocpp/chargers', {}, 'x'.repeat(255))).status).toBe(202);
    expect(await total()).toBe(2);
  });

  it('means nothing where nothing is created or commanded', async () => {
    const { body } = await keyed('/ocpp/chargers', {});
    const headers = { 'idempotency-key': 'key-1' };
    expect((await front.call('GET', `/ocpp/chargers/${body.id}`, { headers })).status).toBe(200);
    const changed = await front.call('PUT', `/ocpp/chargers/${body.id}`, { headers, body: { name: 'a' } });
    expect(changed.status).toBe(200);
    expect((await front.call('DELETE', `/ocpp/chargers/${body.id}`, { headers })).status).toBe(204);
  });
});
