// Webhooks through the whole product: signed, in order, through outages and restarts, and never to where they must not go.

import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewFleetEvent } from '../../src/ports/feed.ts';
import { Receiver } from '../webhook-receiver.ts';
import { Client, GatewayProcess, gatewayHere, temporaryFolder, token } from './gateway.ts';

const eventsOf = (chargers: number, from: number, count: number): NewFleetEvent[] =>
  Array.from({ length: count }, (_, index) =>
    Array.from({ length: chargers }, (_, charger) => ({
      org: 'demo',
      type: 'transaction.updated',
      atMs: Date.now(),
      chargerId: `c-${charger}`,
      identity: `CP-${charger}`,
      locationId: null,
      data: { number: from + index },
    })),
  ).flat();
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
const inOrder = (chargers: number, count: number) =>
  Object.fromEntries(Array.from({ length: chargers }, (_, charger) => [`c-${charger}`, numbers(count)]));

describe('webhooks', () => {
  let receiver: Receiver;
  const folder = temporaryFolder();
  beforeEach(async () => {
    receiver = await new Receiver().start();
  });
  afterEach(async () => {
    await receiver.stop();
    folder.remove();
  });

  async function create(client: Client, wish: object = {}): Promise<string> {
    const { status, body } = await client.fetch('POST', '/ocpp/webhooks', { url: receiver.url, ...wish });
    if (status !== 201) throw new Error(JSON.stringify(body));
    receiver.secret = body.secret;
    return body.id;
  }
  const until = async (count: number, client: Client) =>
    client.until(`${count} messages have come`, async () => receiver.received.length >= count, 30_000);

  it('tell what a charger does, signed', async () => {
    const { client, close } = await gatewayHere();
    const { id } = await client.create({ identity: 'CP-HOOK' });
    await client.create({ identity: 'CP-OTHER' });
    await client.untilConnected('CP-HOOK');
    await create(client, { charger_id: id, types: ['transaction.started', 'transaction.ended'] });
    await client.command(id, 'start-session', { id_tag: 'DEADBEEF' });
    await client.command(id, 'stop-session');
    await until(2, client);
    expect(receiver.received.map(({ event }) => event.type)).toEqual(['transaction.started', 'transaction.ended']);
    expect(receiver.received.every(({ isGenuine }) => isGenuine)).toBe(true);
    expect(receiver.received[0]?.event).toMatchObject({ charger_id: id, identity: 'CP-HOOK', location_id: null });
    await close();
  });

  it('bring everything to a receiver that was away, each charger’s events in order, and nobody waits for it', async () => {
    const { gateway, client, close } = await gatewayHere();
    const id = await create(client, { types: ['transaction.updated'] });
    gateway.feed.publish(eventsOf(20, 1, 5));
    await until(100, client);
    await receiver.stop();
    for (let from = 6; from <= 30; from += 5) {
      gateway.feed.publish(eventsOf(20, from, 5));
      await pause(400);
    }
    const charger = await client.create({ identity: 'CP-FREE' });
    await client.untilConnected('CP-FREE');
    expect((await client.command(charger.id, 'plug-connector')).status).toBe('succeeded');
    expect(await client.get(`/ocpp/webhooks/${id}`)).toMatchObject({
      state: 'active',
      last_error: 'the receiver refused the connection',
    });
    await receiver.start();
    await until(600, client);
    expect(receiver.numbersByCharger()).toEqual(inOrder(20, 30));
    expect(receiver.received.every(({ isGenuine }) => isGenuine)).toBe(true);
    await client.until('the webhook is well', async () => {
      const { failures, failing_since } = await client.get(`/ocpp/webhooks/${id}`);
      return failures === 0 && failing_since === null;
    });
    await close();
  });

  it('go on after a restart with what happened in the last moments before it, and repeat nothing', async () => {
    const first = await gatewayHere({ DATA_DIR: folder.path });
    const id = await create(first.client, { types: ['transaction.updated'] });
    first.gateway.feed.publish(eventsOf(3, 1, 5));
    await until(15, first.client);
    await receiver.stop();
    first.gateway.feed.publish(eventsOf(3, 6, 5));
    await first.close();

    await receiver.start();
    const second = await gatewayHere({ DATA_DIR: folder.path });
    second.gateway.feed.publish(eventsOf(3, 11, 5));
    await until(45, second.client);
    expect(receiver.numbersByCharger()).toEqual(inOrder(3, 15));
    expect((await second.client.get(`/ocpp/webhooks/${id}`)).state).toBe('active');
    await second.close();
  });

  it('lose nothing to kill -9: what was not kept as delivered comes again, in order', async () => {
    const data = temporaryFolder();
    const gateway = await new GatewayProcess(data.path).start();
    const client = await gateway.client();
    await create(client, { types: ['connector.status_changed'] });
    const { id } = await client.create({ identity: 'CP-KILLED' });
    await client.untilConnected('CP-KILLED');
    await client.command(id, 'plug-connector');
    await until(1, client);
    await receiver.stop();
    await client.command(id, 'unplug-connector');
    await client.command(id, 'plug-connector');
    await pause(200);
    await gateway.end('SIGKILL');

    await receiver.start();
    const again = await new GatewayProcess(data.path).start();
    const told = () => [...new Map(receiver.received.map((each) => [each.id, each.event.data['to']])).values()];
    await client.until('everything has come', async () => told().length >= 3, 30_000);
    expect(told().slice(0, 3)).toEqual(['Preparing', 'Available', 'Preparing']);
    expect(receiver.received.every(({ isGenuine }) => isGenuine)).toBe(true);
    await again.end('SIGTERM');
    data.remove();
  });

  it('lead outside alone while others than this machine can call, unless that is allowed', async () => {
    const open = await gatewayHere({ HOST: '0.0.0.0' });
    const client = new Client(open.gateway.url, await token());
    for (const url of [receiver.url, 'http://localhost:1/', 'http://10.0.0.1/', 'http://[::1]/']) {
      const { status, body } = await client.fetch('POST', '/ocpp/webhooks', { url });
      expect(status, url).toBe(422);
      expect(body.errors).toEqual([
        { field: 'url', message: 'must not lead to this machine or into a private network' },
      ]);
    }
    expect((await client.fetch('POST', '/ocpp/webhooks', { url: 'https://hooks.example/' })).status).toBe(201);
    await open.close();
    const allowed = await gatewayHere({ HOST: '0.0.0.0', WEBHOOK_ALLOW_PRIVATE: 'true' });
    expect((await allowed.client.fetch('POST', '/ocpp/webhooks', { url: receiver.url })).status).toBe(201);
    await allowed.close();
  });
});
