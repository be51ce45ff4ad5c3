// kill -9 in the midst of creating a location of 2 000 chargers, at ten moments: everything is there afterwards, or nothing.

import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, GatewayProcess, type Json, startCsms, temporaryFolder, token } from '../flows/gateway.ts';
import { type Answer, send } from '../flows/interface.ts';

const chargers = 2_000;
const rounds = 10;
const seed = Number(process.env['CRASH_SEED'] ?? 20_261_115);
/** The moments are spread over this many times what an undisturbed creation takes. */
const span = 1.6;

/** Numbers from 0 to 1 that the seed decides. */
function chance(from: number): () => number {
  let state = from >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe(`kill -9 while a location of ${chargers} chargers is created (CRASH_SEED=${seed})`, () => {
  let csms: Awaited<ReturnType<typeof startCsms>>;
  let bearer: string;
  let usualMs = 0;
  const next = chance(seed);
  const outcomes: string[] = [];

  beforeAll(async () => {
    // Nothing is written down: the frames of so many chargers would be all there is in memory.
    csms = await startCsms({ maxConnections: 2 * chargers, onFrame: undefined });
    bearer = await token();
    const folder = temporaryFolder();
    const gateway = await new GatewayProcess(folder.path).start();
    const path = await newCpo(await gateway.client());
    const startedMs = Date.now();
    expect((await create(gateway, path)).status).toBe(202);
    usualMs = Date.now() - startedMs;
    await gateway.end('SIGKILL');
    await allLeft();
    folder.remove();
  });
  afterAll(async () => {
    console.log(`${outcomes.join('\n')}\n`);
    await csms.close();
  });

  const newCpo = async (client: Client): Promise<string> => {
    const { body } = await client.fetch('POST', '/ocpi/cpos', { name: 'Sun', country_code: 'NL', party_id: 'SUN' });
    return `/ocpi/cpos/${body.id}/locations`;
  };

  const create = (gateway: GatewayProcess, path: string): Promise<Answer> =>
    send(gateway.url, {
      method: 'POST',
      path,
      headers: {
        authorization: `Bearer ${bearer}`,
        'content-type': 'application/json',
        'idempotency-key': 'only-once',
      },
      text: JSON.stringify({ template: 'home-duo', count_multiplier: chargers / 2, ws_url: csms.url }),
    });

  const allLeft = async (): Promise<void> => {
    while (csms.csms.connected().length > 0) await pause(100);
  };

  /** All that exists: the ids and identities of chargers, and the ids of locations. */
  async function everything(client: Client, path: string) {
    const found: Json[] = [];
    for (let page = 1; ; page++) {
      const { data, total } = await client.get(`/ocpp/chargers?limit=100&page=${page}`);
      found.push(...data);
      if (data.length === 0 || found.length >= total) break;
    }
    return {
      ids: found.map(({ id }) => id as string).sort(),
      identities: new Set(found.map(({ identity }) => identity as string)),
      placeIds: new Set(found.map(({ location_id }) => location_id as string)),
      locations: (await client.get(`${path}?limit=100`)).data.map(({ id }: Json) => id as string),
    };
  }

  it.each(Array.from({ length: rounds }, (_, round) => [round + 1]))(
    `round %i of ${rounds}: all or nothing, none twice, and all become ready`,
    async (round) => {
      const folder = temporaryFolder();
      const gateway = await new GatewayProcess(folder.path).start();
      try {
        const path = await newCpo(await gateway.client());
        const delayMs = ((round - 1 + next()) / rounds) * span * usualMs;
        const asked = create(gateway, path).catch(() => null);
        await pause(delayMs);
        await gateway.end('SIGKILL');
        const first = await asked;
        const client = await (await gateway.start()).client();

        const before = await everything(client, path);
        expect([0, chargers]).toContain(before.ids.length);
        expect(before.locations).toHaveLength(before.ids.length === 0 ? 0 : 1);
        if (first !== null) {
          expect(first.status).toBe(202);
          expect(before.ids).toEqual([...first.body.charger_ids].sort());
        }
        const told = first === null ? 'not answered' : 'answered';
        outcomes.push(`killed after ${Math.round(delayMs)} ms: ${told}, ${before.ids.length} chargers`);

        const again = await create(gateway, path);
        expect(again.status).toBe(202);
        if (first !== null) expect(again.text).toBe(first.text);
        const after = await everything(client, path);
        expect(after.ids).toEqual([...again.body.charger_ids].sort());
        if (before.ids.length > 0) expect(after.ids).toEqual(before.ids);
        expect(new Set(after.ids).size).toBe(chargers);
        expect(after.identities.size).toBe(chargers);
        expect(after.locations).toEqual([again.body.location.id]);
        expect([...after.placeIds]).toEqual(after.locations);

        const progressPath = `${path}/${again.body.location.id}/provisioning`;
        await client.until('all are ready', async () => (await client.get(progressPath)).ready === chargers, 120_000);
        expect(await client.get(progressPath)).toEqual({ total: chargers, ready: chargers, failed: 0 });
        expect(new Set(csms.csms.connected().map(({ identity }) => identity))).toEqual(after.identities);
      } finally {
        await gateway.end('SIGKILL');
        await allLeft();
        folder.remove();
      }
    },
  );
});
