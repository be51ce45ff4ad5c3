// Events through the whole product: what real chargers cause, streams that break off, and a history that outlives the gateway.

import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NewFleetEvent } from '../../src/ports/feed.ts';
import { EventClient } from '../event-client.ts';
import { GatewayProcess, gatewayHere, temporaryFolder, token } from './gateway.ts';

const path = '/ocpp/events';

const event = (number: number, org = 'demo'): NewFleetEvent => ({
  org,
  type: 'transaction.updated',
  atMs: Date.now(),
  chargerId: `c-${number % 7}`,
  identity: `CP-${number % 7}`,
  locationId: null,
  data: { number },
});

/** Numbers from 0 to 1, the same in every run. */
function chance(from: number): () => number {
  let state = from;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

describe('the events of a gateway', () => {
  let world: Awaited<ReturnType<typeof gatewayHere>>;
  let bearer: string;
  beforeAll(async () => {
    world = await gatewayHere();
    bearer = await token();
  });
  afterAll(() => world.close());

  const open = (query = '', lastEventId = '', by = bearer) =>
    EventClient.open(world.gateway.url + path + query, { token: by, lastEventId });

  it('tell what chargers do, to their tenant alone', async () => {
    const all = await open();
    const others = await open('', '', await token('others'));
    const { id } = await world.client.create({ identity: 'CP-EVENTS' });
    await world.client.untilConnected('CP-EVENTS');
    const one = await open(`?charger_id=${id}&type=transaction.started,transaction.ended,command.succeeded`);
    await world.client.command(id, 'start-session', { id_tag: 'DEADBEEF' });
    await world.client.command(id, 'stop-session');
    await one.until(() => one.messages.some(({ event: type }) => type === 'transaction.ended'));
    expect(one.messages.map(({ event: type }) => type)).toEqual(
      expect.arrayContaining(['transaction.started', 'transaction.ended']),
    );
    for (const { id: eventId, event: type, data } of one.messages) {
      expect(data).toMatchObject({ id: eventId, type, charger_id: id, identity: 'CP-EVENTS', location_id: null });
      expect(data.at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    }
    await all.until(() => all.messages.some(({ event: type }) => type === 'transaction.ended'));
    const types = all.messages.map(({ event: type }) => type);
    expect(types.indexOf('charger.connected')).toBeLessThan(types.indexOf('charger.boot_accepted'));
    expect(types.indexOf('charger.boot_accepted')).toBeLessThan(types.indexOf('transaction.started'));
    expect(others.messages).toEqual([]);
    for (const client of [all, one, others]) await client.leave();
  });

  it('come each exactly once to a client that loses its connection fifty times in ten thousand of them', async () => {
    const total = 10_000;
    const breaks = 50;
    const draw = chance(20_261_115);
    const { feed } = world.gateway;
    let lastEventId = await feed.newest();
    let published = 0;
    const publishing = (async () => {
      while (published < total) {
        const count = Math.min(total - published, 1 + Math.floor(draw() * 60));
        // Another tenant's in between: they must not disturb the count.
        feed.publish(
          Array.from({ length: count }, (_, index) => [event(published + index + 1), event(0, 'others')]).flat(),
        );
        published += count;
        await pause(1 + draw() * 10);
      }
    })();

    const seen: number[] = [];
    for (let connection = 0; connection <= breaks; connection += 1) {
      const client = await open('?type=transaction.updated', lastEventId);
      const isLast = connection === breaks;
      const enough = isLast ? total : Math.round((total * (connection + draw())) / (breaks + 1));
      await client.until(() => seen.length + client.messages.length >= enough);
      // In the midst of whatever is on its way.
      await client.leave();
      expect(client.messages.map(({ event: type }) => type)).not.toContain('stream.missed');
      seen.push(...client.messages.map(({ data }) => data.data.number));
      lastEventId = client.lastEventId;
    }
    await publishing;
    expect(seen).toEqual(Array.from({ length: total }, (_, index) => index + 1));
  });

  it('reach many clients at the same time', async () => {
    const clients = await Promise.all(Array.from({ length: 60 }, () => open('?type=transaction.updated')));
    for (let number = 1; number <= 500; number += 1) world.gateway.feed.publish([event(number)]);
    for (const client of clients) {
      await client.until(() => client.messages.length >= 500);
      expect(client.messages.map(({ data }) => data.data.number)).toEqual(
        Array.from({ length: 500 }, (_, index) => index + 1),
      );
    }
    await Promise.all(clients.map((client) => client.leave()));
  });
});

describe('the history of events', () => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());

  it('is there after a restart, and a client goes on where it was', async () => {
    const first = await gatewayHere({ DATA_DIR: folder.path });
    const seen = await EventClient.open(first.gateway.url + path, { token: await token() });
    await seen.until(() => seen.text !== '');
    first.gateway.feed.publish([event(1), event(2)]);
    await seen.until(() => seen.messages.length === 2);
    await seen.leave();
    first.gateway.feed.publish([event(3), event(4)]);
    await first.close();

    const second = await gatewayHere({ DATA_DIR: folder.path });
    second.gateway.feed.publish([event(5)]);
    const back = await EventClient.open(second.gateway.url + path, {
      token: await token(),
      lastEventId: seen.lastEventId,
    });
    await back.until(() => back.messages.length >= 3);
    expect(back.messages.map(({ data }) => data.data?.number)).toEqual([3, 4, 5]);
    await back.leave();
    await second.close();
  });

  it('survives kill -9, save its last moments, and ids go on behind the earlier ones', async () => {
    const data = temporaryFolder();
    const gateway = await new GatewayProcess(data.path, { WORKERS: '0' }).start();
    const client = await gateway.client();
    const stream = await EventClient.open(gateway.url + path, { token: await token() });
    await stream.until(() => stream.text !== '');
    await client.create({ identity: 'CP-KILLED' });
    await stream.until(() => stream.messages.some(({ event: type }) => type === 'charger.boot_accepted'));
    await client.untilConnected('CP-KILLED');
    await pause(200);
    await gateway.end('SIGKILL');
    await stream.ended;
    const before = stream.messages.map(({ id }) => id);

    const again = await new GatewayProcess(data.path, { WORKERS: '0' }).start();
    const [first = ''] = before;
    const back = await EventClient.open(again.url + path, { token: await token(), lastEventId: first });
    await back.until(() => back.messages.filter(({ event: type }) => type === 'charger.boot_accepted').length === 2);
    const ids = back.messages.map(({ id }) => id);
    expect(ids.slice(0, before.length - 1)).toEqual(before.slice(1));
    expect(ids.toSorted()).toEqual(ids);
    expect(back.messages.map(({ event: type }) => type)).not.toContain('stream.missed');
    const exit = again.end('SIGTERM');
    await back.ended;
    expect(back.messages.at(-1)).toMatchObject({
      event: 'stream.ended',
      data: { detail: 'the gateway is shutting down' },
    });
    expect(await exit).toBe(0);
    data.remove();
  });
});
