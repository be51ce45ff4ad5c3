// A receiver of webhooks that is away for a minute, in real time: every event comes, signed, each charger's in order.

import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayHere } from '../flows/gateway.ts';
import { Receiver } from '../webhook-receiver.ts';

const chargers = 20;
const outageMs = 60_000;

describe('a receiver that is away for a minute', () => {
  let world: Awaited<ReturnType<typeof gatewayHere>>;
  const receiver = new Receiver();
  const ids: string[] = [];

  beforeAll(async () => {
    world = await gatewayHere();
    await receiver.start();
    for (let number = 1; number <= chargers; number += 1) {
      ids.push((await world.client.create({ identity: `CP-${number}` })).id);
    }
    for (let number = 1; number <= chargers; number += 1) await world.client.untilConnected(`CP-${number}`);
  });
  afterAll(async () => {
    await receiver.stop();
    await world.close();
  });

  it('gets everything that chargers did meanwhile', async () => {
    const { client, gateway } = world;
    const types = ['connector.status_changed'];
    const { body } = await client.fetch('POST', '/ocpp/webhooks', { url: receiver.url, types });
    receiver.secret = body.secret;
    const begin = await gateway.feed.newest();
    const drive = async () => {
      for (const id of ids) {
        await client.command(id, 'plug-connector');
        await client.command(id, 'unplug-connector');
      }
    };
    await drive();
    await receiver.stop();
    const startMs = Date.now();
    while (Date.now() < startMs + outageMs) {
      await drive();
      await pause(1_000);
    }
    await receiver.start();
    await drive();

    const expected: { readonly id: string; readonly chargerId: string }[] = [];
    for (let after = begin; ; ) {
      const { events } = await gateway.feed.read(after, 1_000);
      if (events.length === 0) break;
      expected.push(...events.filter(({ type }) => types.includes(type)));
      after = events.at(-1)?.id ?? after;
    }
    const isComplete = async () => new Set(receiver.ids).size >= expected.length;
    await client.until('everything has come', isComplete, 120_000);
    expect(receiver.received.every(({ isGenuine }) => isGenuine)).toBe(true);
    for (const chargerId of ids) {
      const wanted = expected.filter((event) => event.chargerId === chargerId).map(({ id }) => id);
      const came = receiver.received.filter(({ event }) => event.charger_id === chargerId).map(({ id }) => id);
      expect([...new Set(came)], chargerId).toEqual(wanted);
    }
  });
});
