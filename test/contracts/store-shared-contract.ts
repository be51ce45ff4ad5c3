// What a store promises when several processes write to it at once: run this suite on each adapter that they can share.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isFailure } from '../../src/errors.ts';
import type { Shared, SharedStore } from './store-partition-contract.ts';
import {
  chargerRecord,
  chargerRecords,
  cpoRecord,
  failureOf,
  idOf,
  locationRecord,
  queuedCommand,
  receipt,
  succeeded,
} from './store-samples.ts';

export function describeSharedStore(name: string, open: () => Promise<Shared>): void {
  describe(`a store that processes share (${name})`, () => {
    let shared: Shared;
    let stores: readonly SharedStore[];
    beforeEach(async () => {
      shared = await open();
      stores = [shared.store, await shared.another(), await shared.another()];
    });
    afterEach(async () => {
      await shared.close();
    });
    /** So many calls at once, by one store after the other. */
    const byAll = <Answer>(count: number, call: (store: SharedStore, index: number) => Promise<Answer>) =>
      Promise.all(Array.from({ length: count }, (_, index) => call(stores[index % 3] ?? shared.store, index)));
    const total = async () => (await shared.store.listChargers('acme', {}, 1, 1)).total;

    it('lets exactly one have an identity', async () => {
      for (let round = 0; round < 10; round += 1) {
        const identity = `A-${round}`;
        const answers = await byAll(6, (store, index) =>
          store.createChargers([chargerRecord(round * 10 + index, { identity })]),
        );
        expect(answers.filter(({ taken }) => taken === null)).toHaveLength(1);
        expect(answers.filter(({ taken }) => taken === identity)).toHaveLength(5);
      }
      expect(await total()).toBe(10);
    });

    it('creates many at once whole or not at all, whatever their order', async () => {
      const answers = await byAll(6, (store, index) => {
        const records = Array.from({ length: 1_200 }, (_, place) =>
          chargerRecord(10_000 * (index + 1) + place, { identity: `CP-${place}` }),
        );
        return store.createChargers(index % 2 === 0 ? records : records.toReversed());
      });
      expect(answers.filter(({ taken }) => taken === null)).toHaveLength(1);
      for (const [index, { taken }] of answers.entries()) {
        if (taken !== null) expect(taken).toBe(index % 2 === 0 ? 'CP-0' : 'CP-1199');
      }
      expect(await total()).toBe(1_200);
    });

    it('lets exactly one of equal requests be done, and tells the others why they are not', async () => {
      for (let round = 0; round < 10; round += 1) {
        const kept = receipt(`k ${round}`);
        const failures = await byAll(6, (store, index) =>
          failureOf(store.createChargers([chargerRecord(round * 10 + index)], kept)),
        );
        expect(failures.filter((failure) => failure === null)).toHaveLength(1);
        expect(failures.filter((failure) => isFailure(failure, 'receipt_taken'))).toHaveLength(5);
      }
      expect(await total()).toBe(10);
    });

    it('lets exactly one of equal requests enqueue its commands', async () => {
      const failures = await byAll(60, (store, index) =>
        failureOf(store.enqueueCommands([queuedCommand(index)], receipt(`k ${Math.floor(index / 6)}`))),
      );
      expect(failures.filter((failure) => failure === null)).toHaveLength(10);
      expect(failures.filter((failure) => isFailure(failure, 'receipt_taken'))).toHaveLength(50);
      expect(await shared.queue.pending([idOf(1)])).toHaveLength(10);
    });

    it('never gives a number twice', async () => {
      const given = await byAll(300, async (store, index) => {
        const count = 1 + (index % 3);
        const from = await store.reserveNumbers('a', count);
        return Array.from({ length: count }, (_, offset) => from + offset);
      });
      const numbers = given.flat();
      expect(new Set(numbers).size).toBe(numbers.length);
      expect([Math.min(...numbers), Math.max(...numbers)]).toEqual([1, numbers.length]);
    });

    it('counts right, whoever creates, changes, provisions and deletes', async () => {
      await byAll(6, (store, index) => store.createChargers(chargerRecords(index * 100, 100)));
      const ids = (index: number) => chargerRecords(index * 100, 100).map(({ id }) => id);
      await Promise.all([
        ...[0, 1, 2, 3, 4, 5].map((index) =>
          stores[index % 3]?.commit(
            ids(index).map((id) => ({
              chargerId: id,
              provisioning: { ...chargerRecord(1).provisioning, status: 'ready' as const },
            })),
          ),
        ),
        ...[0, 1, 2].map((index) => stores[2 - index]?.changeChargers('acme', ids(index), { desired: 'stopped' }, 5)),
        stores[1]?.deleteChargers('acme', ids(5), 5),
      ]);
      const count = async (filter: object) => (await shared.store.listChargers('acme', filter, 1, 1)).total;
      expect([
        await total(),
        await count({ desired: 'stopped' }),
        await count({ provisioningStatus: 'ready' }),
      ]).toEqual([500, 300, 500]);
    });

    it('never leaves a location without its CPO', async () => {
      for (let round = 1; round <= 15; round += 1) {
        const cpo = cpoRecord(round);
        await shared.store.createCpo(cpo);
        const location = locationRecord(round, { cpoId: cpo.id });
        const [created, isDeleted] = await Promise.all([
          failureOf(stores[1]?.createLocations({ locations: [location], chargers: [] }) ?? Promise.resolve()),
          stores[2]?.deleteCpo('acme', cpo.id),
        ]);
        expect(isDeleted).toBe(created !== null);
        expect((await shared.store.location('acme', location.id)) === null).toBe(isDeleted);
      }
    });

    it('never keeps a memory or an open command of a charger that is deleted meanwhile, but for the latest accepted', async () => {
      for (let round = 1; round <= 15; round += 1) {
        const { id } = chargerRecord(round);
        const command = queuedCommand(round, { chargerId: id });
        await shared.store.createChargers([chargerRecord(round)]);
        await Promise.all([
          stores[0]?.deleteChargers('acme', [id], 5),
          stores[1]?.commit([{ chargerId: id, memory: 'late' }]),
          stores[2]?.enqueueCommands([command]),
        ]);
        await shared.store.createChargers([chargerRecord(round)]);
        expect((await shared.store.fleetMember(id))?.memory).toBeNull();
        await shared.store.deleteChargers('acme', [id], 6);
        expect((await shared.store.command('acme', command.id))?.errorCode).toBe('deleted');
      }
    });

    it('ends a command once, whoever is faster', async () => {
      await shared.store.createChargers([chargerRecord(1, { desired: 'stopped' })]);
      for (let round = 1; round <= 15; round += 1) {
        const command = queuedCommand(round);
        await shared.queue.enqueue([command]);
        const [, expired = []] = await Promise.all([
          stores[1]?.commit([{ chargerId: idOf(1), outcomes: [succeeded(command)] }]),
          stores[2]?.expireCommands(Number.MAX_SAFE_INTEGER, 7),
        ]);
        const found = await shared.store.command('acme', command.id);
        expect(found?.status).toBe(expired.length === 0 ? 'succeeded' : 'failed');
      }
    });
  });
}
