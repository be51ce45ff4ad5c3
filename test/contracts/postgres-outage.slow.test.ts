// Kills the PostgreSQL server under a store at any moment and looks whether the store keeps its promises and comes back.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { openPostgresStore, type PostgresStore } from '../../src/adapters/store/postgres.ts';
import { isFailure } from '../../src/errors.ts';
import { openServices, type Server } from '../../tools/services.mjs';
import { administer } from './store-postgres.ts';
import {
  chargerRecord,
  chargerRecords,
  failureOf,
  idOf,
  queuedCommand,
  queuedCommands,
  receipt,
} from './store-samples.ts';

const services = openServices();

describe.skipIf(!inject('canStartPostgres'))('a PostgreSQL store whose server is killed', () => {
  let server: Server;
  let store: PostgresStore;
  beforeAll(async () => {
    server = await services.startPostgres();
  });
  beforeEach(async () => {
    await administer(server.url, 'DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    store = await openPostgresStore({ url: server.url, limits: { patienceMs: 20_000 } });
  });
  afterEach(async () => {
    await store.close();
  });
  afterAll(async () => {
    await services.close();
  });

  it('keeps everything it promised, and every call whole or not at all, while writing goes on', async () => {
    await store.createChargers([chargerRecord(1)]);
    const promised = { commands: [] as number[], chargers: [] as number[], memory: 0, number: 0 };
    const failed: unknown[] = [];
    let isOver = false;
    const endlessly = async (first: number, step: (at: number) => Promise<void>) => {
      for (let at = first; !isOver; at += 1_000) await step(at).catch((error: unknown) => failed.push(error));
    };
    const work = [
      endlessly(1_000, async (at) => {
        await store.enqueueCommands(queuedCommands(at, 3), receipt(`commands ${at}`));
        promised.commands.push(at);
      }),
      endlessly(10_000_000, async (at) => {
        await store.createChargers(chargerRecords(at, 20), receipt(`chargers ${at}`));
        promised.chargers.push(at);
      }),
      endlessly(0, async (at) => {
        await store.commit([{ chargerId: idOf(1), memory: `${at}` }]);
        promised.memory = at;
      }),
      endlessly(0, async () => {
        const number = await store.reserveNumbers('n', 2);
        expect(number).toBeGreaterThan(promised.number);
        promised.number = number + 1;
      }),
      endlessly(0, async () => {
        await store.charger('acme', idOf(1));
      }),
    ];
    for (let round = 0; round < 4; round += 1) {
      const before = promised.commands.length + promised.chargers.length;
      while (promised.commands.length + promised.chargers.length < before + 10) await store.ping();
      await server.kill();
      await server.restart();
    }
    isOver = true;
    await Promise.all(work);
    // What was created can be told from what was not, whatever was under way: no caller is left in doubt.
    expect(failed).toEqual([]);
    for (const at of promised.commands) {
      const ids = queuedCommands(at, 3).map(({ id }) => id);
      const found = await Promise.all(ids.map((id) => store.command('acme', id)));
      expect(found.every((one) => one !== null)).toBe(true);
      expect(await store.receipt('acme', `commands ${at}`)).not.toBeNull();
    }
    for (const at of promised.chargers) {
      expect(
        await store.chargers(
          'acme',
          chargerRecords(at, 20).map(({ id }) => id),
        ),
      ).toHaveLength(20);
    }
    expect(Number((await store.fleetMember(idOf(1)))?.memory)).toBe(promised.memory);
    expect(await store.reserveNumbers('n', 1)).toBeGreaterThan(promised.number);
    const { total } = await store.listChargers('acme', {}, 1, 1);
    expect(total % 20).toBe(1);
  });

  it('keeps the order of commits that were asked for while it was away', async () => {
    await store.createChargers([chargerRecord(1)]);
    await server.kill();
    const commits = Array.from({ length: 50 }, (_, index) =>
      store.commit([{ chargerId: idOf(1), memory: `${index}` }]),
    );
    const reading = store.fleetMember(idOf(1));
    await server.restart();
    await Promise.all(commits);
    expect((await reading)?.memory).toBe('49');
  });

  it('says that it cannot be reached when it stays away, and closes all the same', async () => {
    const impatient = await openPostgresStore({ url: server.url, limits: { patienceMs: 300 } });
    await server.kill();
    const failures = await Promise.all([
      failureOf(impatient.ping()),
      failureOf(impatient.commit([{ chargerId: idOf(1), memory: 'lost' }])),
      failureOf(impatient.charger('acme', idOf(1))),
      failureOf(impatient.fleetAfter(null, 1)),
    ]);
    expect(failures.map((failure) => isFailure(failure, 'store_unreachable'))).toEqual([true, true, true, true]);
    const under_way = failureOf(impatient.enqueueCommands([queuedCommand(1)]));
    await impatient.close();
    expect(isFailure(await under_way, 'store_unreachable')).toBe(true);
    const opening = await failureOf(openPostgresStore({ url: server.url, limits: { patienceMs: 300 } }));
    expect(isFailure(opening, 'store_unreachable')).toBe(true);
    await server.restart();
  });

  it('opens when the server comes a moment later', async () => {
    await server.kill();
    const opening = openPostgresStore({ url: server.url });
    await server.restart();
    await (await opening).close();
  });
});
