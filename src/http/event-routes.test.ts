// Checks event streams: what comes, from where on, for whom, and how a stream ends.

import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { EventClient } from '../../test/event-client.ts';
import { type Front, makeLocation, startFront, tokenOf } from '../../test/http-front.ts';
import { VirtualClock } from '../adapters/clock/virtual.ts';
import { MemoryFeed } from '../adapters/feed/memory.ts';
import type { NewFleetEvent } from '../ports/feed.ts';

/** The machine may be busy. */
const patiently = { timeout: 9_000 };

const event = (number: number, changes: Partial<NewFleetEvent> = {}): NewFleetEvent => ({
  org: 'demo',
  type: 'connector.status_changed',
  atMs: Date.UTC(2026, 10, 14, 10, 0, 0, number),
  chargerId: 'c-1',
  identity: 'CP-1',
  locationId: null,
  data: { number },
  ...changes,
});
const events = (from: number, count: number, changes: Partial<NewFleetEvent> = {}) =>
  Array.from({ length: count }, (_, index) => event(from + index, changes));

describe('an event stream', () => {
  let clock: VirtualClock;
  let feed: MemoryFeed;
  let front: Front;
  let url: string;
  let token: string;
  const clients: EventClient[] = [];

  beforeEach(async () => {
    clock = new VirtualClock(Date.now());
    feed = new MemoryFeed({ epoch: 2, keep: 1_000 });
    front = await startFront({ clock, feed });
    url = `${await front.app.listen({ port: 0, host: '127.0.0.1' })}/ocpp/events`;
    token = await tokenOf('demo');
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.leave();
    await front.close();
  });

  async function open(query = '', lastEventId = '', bearer = token): Promise<EventClient> {
    const client = await EventClient.open(url + query, { token: bearer, lastEventId });
    clients.push(client);
    return client;
  }
  const numbersOf = ({ messages }: EventClient) => messages.map(({ data }) => data.data?.number ?? data.detail);

  it('has the events as they happen, with id, type and the event itself', async () => {
    const client = await open();
    expect(client.response.status).toBe(200);
    expect(Object.fromEntries(client.response.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    });
    await client.until(() => client.text !== '');
    feed.publish([event(1), event(2, { locationId: 'l-1', type: 'transaction.ended' })]);
    await client.until(() => client.messages.length === 2);
    expect(client.messages[1]).toEqual({
      id: '000002-0000000002',
      event: 'transaction.ended',
      data: {
        id: '000002-0000000002',
        type: 'transaction.ended',
        at: '2026-11-14T10:00:00.002Z',
        charger_id: 'c-1',
        identity: 'CP-1',
        location_id: 'l-1',
        data: { number: 2 },
      },
    });
    expect(client.text).toMatch(/^retry: 2000\nid: 000002-0000000000\n\nid: 000002-0000000001\nevent: connector/);
  });

  it('begins with what is new, or behind the event that the client names', async () => {
    feed.publish(events(1, 5));
    const fresh = await open();
    const back = await open('', '000002-0000000003');
    await back.until(() => back.messages.length === 2);
    feed.publish(events(6, 1));
    await back.until(() => back.messages.length === 3);
    await fresh.until(() => fresh.messages.length === 1);
    expect(numbersOf(back)).toEqual([4, 5, 6]);
    expect(numbersOf(fresh)).toEqual([6]);
  });

  it('says first that something is missed when the history does not reach back, and goes on with the oldest', async () => {
    feed.publish(events(1, 1_500));
    feed.publish(events(1_501, 500));
    const client = await open('', '000002-0000000001');
    await client.until(() => client.messages.at(-1)?.data.data?.number === 2_000);
    expect(client.messages[0]).toMatchObject({
      event: 'stream.missed',
      data: { detail: expect.stringMatching(/oldest/) },
    });
    const [first = 0] = numbersOf(client).slice(1);
    expect(numbersOf(client).slice(1)).toEqual(events(first, 2_001 - first).map(({ data }) => data['number']));
    expect(client.messages.length).toBeGreaterThan(1_000);
    expect(client.messages.filter(({ event: type }) => type === 'stream.missed')).toHaveLength(1);
  });

  it('says so too of an event that this gateway has never told of', async () => {
    feed.publish(events(1, 2));
    const client = await open('', '000009-0000000001');
    await client.until(() => client.messages.length === 3);
    expect(client.messages.map(({ event: type }) => type)).toEqual([
      'stream.missed',
      'connector.status_changed',
      'connector.status_changed',
    ]);
  });

  it('has what is asked for by charger, location and types, and nothing of other tenants', async () => {
    const { location, ids } = await makeLocation(front);
    const [chargerId = ''] = ids;
    const locationId: string = location.id;
    const byCharger = await open(`?charger_id=${chargerId}`);
    const byLocation = await open(`?location_id=${locationId}`);
    const byTypes = await open('?type=transaction.ended,fault.injected&type=fault.cleared');
    const byAll = await open(`?charger_id=${chargerId}&location_id=${locationId}&type=fault.injected`);
    const everything = await open('?type=&charger_id=');
    const others = await open('', '', await tokenOf('other'));
    feed.publish([
      event(1),
      event(2, { chargerId }),
      event(3, { locationId }),
      event(4, { type: 'fault.injected' }),
      event(5, { type: 'fault.cleared' }),
      event(6, { chargerId, locationId, type: 'fault.injected' }),
      event(7, { org: 'other', chargerId, locationId, type: 'fault.injected' }),
      event(8, { chargerId, locationId, type: 'transaction.ended' }),
    ]);
    await everything.until(() => everything.messages.length === 7);
    await others.until(() => others.messages.length === 1);
    await byTypes.until(() => byTypes.messages.length === 4);
    await byAll.until(() => byAll.messages.length === 1);
    expect(numbersOf(everything)).toEqual([1, 2, 3, 4, 5, 6, 8]);
    expect(numbersOf(others)).toEqual([7]);
    expect(numbersOf(byCharger)).toEqual([2, 6, 8]);
    expect(numbersOf(byLocation)).toEqual([3, 6, 8]);
    expect(numbersOf(byTypes)).toEqual([4, 5, 6, 8]);
    expect(numbersOf(byAll)).toEqual([6]);
  });

  it('has a heartbeat every 15 s, which also tells how far it is', async () => {
    const client = await open('?type=transaction.ended');
    await client.until(() => client.text !== '');
    const begun = client.text;
    feed.publish(events(1, 7));
    await vi.waitUntil(async () => {
      clock.advance(1_000);
      await new Promise((resolve) => setTimeout(resolve, 2));
      return client.text !== begun;
    }, patiently);
    expect(client.text.slice(begun.length)).toBe(':\nid: 000002-0000000007\n\n');
    expect(client.lastEventId).toBe('000002-0000000007');
    clock.advance(15_000);
    await client.until(() => client.text.endsWith(':\n\n'));
    expect(client.messages).toEqual([]);
  });

  it('ends with its token, and says so', async () => {
    const client = await open();
    await client.until(() => client.text !== '');
    clock.advance(3_600_000);
    feed.publish(events(1, 1));
    await client.until(() => client.messages.length === 1);
    clock.advance(31_000);
    await client.ended;
    expect(client.messages.at(-1)).toMatchObject({ event: 'stream.ended', data: { detail: 'the token has expired' } });
  });

  it('ends when the gateway shuts down, and says so', async () => {
    const client = await open();
    await client.until(() => client.text !== '');
    await front.app.close();
    await client.ended;
    expect(client.messages).toMatchObject([
      { event: 'stream.ended', data: { detail: 'the gateway is shutting down' } },
    ]);
  });

  it('is not given to a tenant that has a hundred open; one that ends makes room', async () => {
    for (let count = 0; count < 100; count += 1) await open();
    const { status, body, headers } = await front.call('GET', '/ocpp/events');
    expect(status).toBe(429);
    expect(body.detail).toBe('this tenant has 100 event streams open, as many as it may');
    expect(headers['retry-after']).toMatch(/^\d+$/);
    const other = await open('', '', await tokenOf('other'));
    expect(other.response.status).toBe(200);
    await clients[0]?.leave();
    await vi.waitUntil(async () => (await open()).response.status === 200, patiently);
  });

  it('is only begun for a client that asks for its head', async () => {
    const { status, headers, body } = await front.call('HEAD', '/ocpp/events');
    expect([status, headers['content-type'], body]).toEqual([200, 'text/event-stream', '']);
  });

  describe('that is not read', () => {
    const large = (from: number, count: number) => events(from, count, { data: { text: 'x'.repeat(50_000) } });
    let socket: Socket;
    let received = 0;
    let last = '';

    beforeEach(async () => {
      socket = connect(Number(new URL(url).port), '127.0.0.1');
      socket.write(`GET /ocpp/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
      received = 0;
      last = '';
      await new Promise((resolve) => socket.once('readable', resolve));
      socket.on('data', (chunk: Buffer) => {
        received += chunk.length;
        last = (last + chunk.toString('latin1')).slice(-1_000);
      });
      socket.pause();
      // More than any buffer on the way takes.
      feed.publish(large(1, 400));
      await new Promise((resolve) => setTimeout(resolve, 200));
    });
    afterEach(() => void socket.destroy());

    const readOn = async () => {
      socket.resume();
      await new Promise((resolve) => socket.once('close', resolve));
    };

    it('is ended after 30 s, with the reason as its last message, and nothing piles up for it', async () => {
      clock.advance(29_000);
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(socket.destroyed).toBe(false);
      clock.advance(1_000);
      await new Promise((resolve) => setTimeout(resolve, 50));
      await readOn();
      expect(last).toContain('event: stream.ended\ndata: {"detail":"the client took nothing for 30 s"}');
      expect(received).toBeLessThan(400 * 50_000);
    });

    it('is cut off 5 s later when not even that is read', async () => {
      clock.advance(30_000);
      await new Promise((resolve) => setTimeout(resolve, 50));
      clock.advance(5_000);
      await new Promise((resolve) => setTimeout(resolve, 50));
      await readOn();
      expect(last).not.toContain('stream.ended');
    });

    it('while events are forgotten is ended when it is read on, with the reason', async () => {
      feed.publish(events(401, 2_000));
      await readOn();
      expect(last).toContain('event: stream.ended\ndata: {"detail":"the client was too slow: events were forgotten');
    });

    it('goes on when it is read in time', async () => {
      clock.advance(29_000);
      socket.resume();
      await vi.waitUntil(() => received > 400 * 50_000, patiently);
      feed.publish(events(401, 1));
      await vi.waitUntil(() => last.includes('"number":401'), patiently);
      expect(last).not.toContain('stream.');
    });
  });
});

describe('an event stream is not begun', () => {
  let front: Front;
  beforeAll(async () => {
    front = await startFront();
  });
  afterAll(() => front.close());

  it.each([
    ['?type=nonsense', 422],
    ['?type=fault.injected,nonsense', 422],
    ['?charger_id=nobody&type=nonsense', 422],
    ['?charger_id=nobody', 404],
    ['?location_id=nowhere', 404],
    ['?charger_id=a&charger_id=b', 422],
    ['?nonsense=1', 422],
  ])('for %s: it is %i', async (query, status) => {
    const answer = await front.call('GET', `/ocpp/events${query}`);
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.body.detail).toMatch(/\w/);
  });

  it('behind a Last-Event-ID that is none', async () => {
    const { status, body } = await front.call('GET', '/ocpp/events', { headers: { 'last-event-id': 'no id!' } });
    expect(status).toBe(422);
    expect(body.errors).toEqual([{ field: 'Last-Event-ID', message: 'must be the id of an event' }]);
  });

  it('for another tenant’s charger, as for none', async () => {
    const { body: charger } = await front.call('POST', '/ocpp/chargers', { body: {} });
    const theirs = await front.call('GET', `/ocpp/events?charger_id=${charger.id}`, { token: await tokenOf('other') });
    expect([theirs.status, theirs.body.detail]).toEqual([404, `charger ${charger.id} does not exist`]);
  });
});
