// What a store promises to processes that share a fleet out among themselves: run this suite on each adapter that they can share.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CommandTable } from '../../src/adapters/queue/sqlite.ts';
import { isFailure } from '../../src/errors.ts';
import {
  type OwnedCommit,
  type Partitions,
  partitionCount,
  partitionOf,
  type Tenure,
} from '../../src/ports/partition.ts';
import type { Store } from '../../src/ports/store.ts';
import {
  chargerRecord,
  chargerRecords,
  failureOf,
  idOf,
  type Opened,
  queuedCommand,
  succeeded,
} from './store-samples.ts';

/** With what the queue needs of it. */
export type SharedStore = Store & Partitions & CommandTable;

export interface Shared extends Opened {
  readonly store: SharedStore;
  /** A store of another process on the same data. */
  another(): Promise<SharedStore>;
}

export function describePartitions(name: string, open: () => Promise<Shared>): void {
  describe(`partitions (${name})`, () => {
    let shared: Shared;
    let store: SharedStore;
    beforeEach(async () => {
      shared = await open();
      store = shared.store;
    });
    afterEach(async () => {
      await shared.close();
    });
    const tenureOf = (chargerId: string, epoch: number): Tenure => ({ partition: partitionOf(chargerId), epoch });
    const memoryOf = async (id: string) => (await store.fleetMember(id))?.memory;
    const kept = (number: number, epoch: number, memory: string): OwnedCommit => ({
      chargerId: idOf(number),
      epoch,
      memory,
    });

    describe('tenures', () => {
      it('begin with a greater epoch only, each partition for itself', async () => {
        expect(await store.epochs()).toEqual(new Array(partitionCount).fill(0));
        expect(await store.beginTenure({ partition: 7, epoch: 0 })).toBe(false);
        expect(await store.beginTenure({ partition: 7, epoch: 5 })).toBe(true);
        expect(await store.beginTenure({ partition: 7, epoch: 5 })).toBe(false);
        expect(await store.beginTenure({ partition: 7, epoch: 4 })).toBe(false);
        expect(await store.beginTenure({ partition: 255, epoch: 1 })).toBe(true);
        const epochs = await store.epochs();
        expect([epochs[7], epochs[255], epochs[0]]).toEqual([5, 1, 0]);
      });

      it('are had by exactly one of many who want the same one', async () => {
        const stores = [store, await shared.another(), await shared.another()];
        const wins = await Promise.all(
          Array.from({ length: 12 }, (_, index) => stores[index % 3]?.beginTenure({ partition: 3, epoch: 9 })),
        );
        expect(wins.filter((isWon) => isWon === true)).toHaveLength(1);
      });
    });

    it('are together the whole fleet, each in the order of the ids, memory included', async () => {
      await store.createChargers([...chargerRecords(1, 400), chargerRecord(900, { org: 'other' })]);
      await store.commit([{ chargerId: idOf(900), memory: 'kept' }]);
      const found: string[] = [];
      for (let partition = 0; partition < partitionCount; partition += 1) {
        let last: string | null = null;
        for (;;) {
          const members = await store.partitionAfter(partition, last, 2);
          for (const { record } of members) {
            expect(partitionOf(record.id)).toBe(partition);
            expect(record.id > (last ?? '')).toBe(true);
            last = record.id;
            found.push(record.id);
          }
          if (members.length < 2) break;
        }
      }
      expect(found.toSorted()).toEqual([...chargerRecords(1, 400).map(({ id }) => id), idOf(900)]);
      const [theirs] = await store.partitionAfter(partitionOf(idOf(900)), idOf(899), 1);
      expect(theirs).toEqual({ record: chargerRecord(900, { org: 'other' }), memory: 'kept' });
    });

    describe('commits of owners', () => {
      const [here, elsewhere] = [1, 2];
      beforeEach(async () => {
        expect(partitionOf(idOf(here))).not.toBe(partitionOf(idOf(elsewhere)));
        await store.createChargers([chargerRecord(here), chargerRecord(elsewhere)]);
        await store.beginTenure(tenureOf(idOf(here), 4));
        await store.beginTenure(tenureOf(idOf(elsewhere), 6));
      });

      it('are kept under the present epoch', async () => {
        expect(await store.commitOwned([kept(here, 4, 'mine'), kept(elsewhere, 6, 'mine too')])).toEqual([]);
        expect([await memoryOf(idOf(here)), await memoryOf(idOf(elsewhere))]).toEqual(['mine', 'mine too']);
      });

      it.each([
        ['a former', 3],
        ['a future', 5],
      ])(
        'under %s epoch are left out whole, told by their charger, and the others of the call are kept',
        async (_, epoch) => {
          const [queued, other] = [queuedCommand(1), queuedCommand(2)];
          await shared.queue.enqueue([queued, other]);
          const provisioning = { ...chargerRecord(here).provisioning, status: 'ready' } as const;
          const applied = [{ commandId: queued.id, startedAtMs: 1 }];
          const refused = await store.commitOwned([
            { ...kept(here, epoch, 'not mine'), provisioning, applied, outcomes: [succeeded(other)] },
            kept(elsewhere, 6, 'mine'),
            kept(here, epoch, 'not mine either'),
          ]);
          expect(refused).toEqual([idOf(here)]);
          expect(await store.fleetMember(idOf(here))).toEqual({ record: chargerRecord(here), memory: null });
          expect(await memoryOf(idOf(elsewhere))).toBe('mine');
          for (const { id } of [queued, other]) expect((await store.command('acme', id))?.status).toBe('queued');
        },
      );

      it('that come late are left out though the same process owns the partition again', async () => {
        const under_way = store.commitOwned([kept(here, 4, 'first')]);
        const begun = store.beginTenure(tenureOf(idOf(here), 5));
        const answers = await Promise.all([
          under_way,
          begun,
          store.commitOwned([kept(here, 5, 'second')]),
          store.commitOwned([kept(here, 4, 'late')]),
          store.commitOwned([kept(here, 5, 'third'), kept(elsewhere, 6, 'mine')]),
        ]);
        expect(answers).toEqual([[], true, [], [idOf(here)], []]);
        expect(await memoryOf(idOf(here))).toBe('third');
      });

      it('that do not wait for each other keep their order, though some are left out', async () => {
        const calls = Array.from({ length: 40 }, (_, index) =>
          store.commitOwned([kept(here, index % 3 === 0 ? 3 : 4, `${index}`), kept(elsewhere, 6, `${index}`)]),
        );
        const refused = await Promise.all(calls);
        expect(refused.map((ids) => ids.length)).toEqual(calls.map((_, index) => (index % 3 === 0 ? 1 : 0)));
        expect([await memoryOf(idOf(here)), await memoryOf(idOf(elsewhere))]).toEqual(['38', '39']);
      });

      it('of thousands of chargers in one call are kept or left out by partition', async () => {
        await store.createChargers(chargerRecords(100, 2_500));
        for (let partition = 0; partition < partitionCount; partition += 1) {
          await store.beginTenure({ partition, epoch: 10 + (partition % 2) });
        }
        const commits = chargerRecords(100, 2_500).map((_, index) => kept(100 + index, 10, 'kept'));
        const lost = commits.map(({ chargerId }) => chargerId).filter((id) => partitionOf(id) % 2 === 1);
        expect(new Set(await store.commitOwned(commits))).toEqual(new Set(lost));
        const fleet = await store.fleetAfter(idOf(99), 5_000);
        expect(fleet.filter(({ memory }) => memory === null).map(({ record }) => record.id)).toEqual(lost);
      });

      it('are all there, or none will come, when the next tenure has begun', async () => {
        const next = await shared.another();
        // Long enough for a step to be under way most of the time.
        const ballast = 'x'.repeat(300_000);
        for (let epoch = 5; epoch < 25; epoch += 1) {
          const { promise: inTheMidst, resolve } = Promise.withResolvers<void>();
          const former = async () => {
            for (let step = 0; ; step += 1) {
              const refused = await store.commitOwned([kept(here, epoch - 1, `${epoch} ${step} ${ballast}`)]);
              if (refused.length > 0) return `${epoch} ${step - 1} ${ballast}`;
              if (step === epoch % 4) resolve();
            }
          };
          const last = former();
          await inTheMidst;
          expect(await next.beginTenure(tenureOf(idOf(here), epoch))).toBe(true);
          const found = (await next.fleetMember(idOf(here)))?.memory;
          expect(found === (await last)).toBe(true);
          expect((await next.fleetMember(idOf(here)))?.memory === found).toBe(true);
        }
      });

      it('without an epoch are held against none', async () => {
        await store.commit([{ chargerId: idOf(here), memory: 'free' }]);
        expect(await memoryOf(idOf(here))).toBe('free');
      });
    });

    describe('interruptions by owners', () => {
      const command = queuedCommand(1);
      beforeEach(async () => {
        await store.createChargers([chargerRecord(1, { locationId: 'L-1' })]);
        await shared.queue.enqueue([command]);
        await store.commit([{ chargerId: idOf(1), applied: [{ commandId: command.id, startedAtMs: 1 }] }]);
        await store.beginTenure(tenureOf(idOf(1), 4));
      });

      it('end what the former owner had begun, under the present epoch', async () => {
        const ended = await store.interruptOwned(tenureOf(idOf(1), 4), [idOf(1)], 9);
        const error = { errorCode: 'interrupted', error: 'interrupted by a restart' };
        expect(ended).toEqual([{ command, locationId: 'L-1', ...error }]);
        expect((await store.command('acme', command.id))?.finishedAtMs).toBe(9);
      });

      it('do nothing under another, and say why', async () => {
        const failure = await failureOf(store.interruptOwned(tenureOf(idOf(1), 3), [idOf(1)], 9));
        expect(isFailure(failure, 'fenced')).toBe(true);
        expect((await store.command('acme', command.id))?.status).toBe('running');
      });
    });
  });
}
