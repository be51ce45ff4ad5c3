// What every store promises about receipts: kept with what they are about, or not at all.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isFailure } from '../../src/errors.ts';
import type { Receipt } from '../../src/ports/store.ts';
import {
  chargerRecord,
  chargerRecords,
  cpoRecord,
  failureOf,
  idOf,
  locationRecord,
  type Opened,
  queuedCommand,
  queuedCommands,
  receipt,
  turnsDuring,
  webhookRecord,
} from './store-samples.ts';

/** Something that can be done with a receipt, and whether it has been done. */
interface Deed {
  readonly name: string;
  do(opened: Opened, kept: Receipt): Promise<unknown>;
  isDone(opened: Opened): Promise<boolean>;
}

const deeds: readonly Deed[] = [
  {
    name: 'creating chargers',
    do: ({ store }, kept) => store.createChargers([chargerRecord(50)], kept),
    isDone: async ({ store }) => (await store.charger('acme', idOf(50))) !== null,
  },
  {
    name: 'creating many chargers',
    do: ({ store }, kept) => store.createChargers(chargerRecords(50, 500), kept),
    isDone: async ({ store }) => (await store.chargers('acme', [idOf(50), idOf(549)])).length === 2,
  },
  {
    name: 'changing a charger',
    do: ({ store }, kept) => store.changeCharger('acme', idOf(1), { name: 'new' }, 5, kept),
    isDone: async ({ store }) => (await store.charger('acme', idOf(1)))?.name === 'new',
  },
  {
    name: 'creating a CPO',
    do: ({ store }, kept) => store.createCpo(cpoRecord(1), kept),
    isDone: async ({ store }) => (await store.cpo('acme', cpoRecord(1).id)) !== null,
  },
  {
    name: 'creating locations',
    do: ({ store }, kept) =>
      store.createLocations(
        { cpo: cpoRecord(1), locations: [locationRecord(1)], chargers: chargerRecords(50, 100) },
        kept,
      ),
    isDone: async ({ store }) =>
      (await store.location('acme', locationRecord(1).id)) !== null &&
      (await store.charger('acme', idOf(149))) !== null,
  },
  {
    name: 'creating a webhook',
    do: ({ store }, kept) => store.createWebhook(webhookRecord(1), kept),
    isDone: async ({ store }) => (await store.webhook('acme', webhookRecord(1).id)) !== null,
  },
  {
    name: 'enqueuing commands',
    do: ({ queue }, kept) => queue.enqueue(queuedCommands(1, 2), kept),
    isDone: async ({ store }) => (await store.command('acme', queuedCommand(2).id)) !== null,
  },
];

export function describeReceipts(name: string, open: () => Promise<Opened>): void {
  describe(`receipts (${name})`, () => {
    let opened: Opened;
    beforeEach(async () => {
      opened = await open();
      await opened.store.createChargers(chargerRecords(1, 2));
    });
    afterEach(async () => {
      await opened.close();
    });
    const reopen = async () => {
      opened = await opened.reopen();
    };
    const isTaken = async (work: Promise<unknown>) => isFailure(await failureOf(work), 'receipt_taken');

    it('are kept whole, over a restart, for their org alone', async () => {
      const empty = receipt('none', { status: 204, headers: {}, body: '' });
      const long = receipt('long', { body: 'ü☕"\\\n'.repeat(100_000) });
      for (const one of [empty, long]) await opened.store.keepReceipt(one);
      await reopen();
      expect(await opened.store.receipt('acme', 'none')).toEqual(empty);
      expect(await opened.store.receipt('acme', 'long')).toEqual(long);
      expect(await opened.store.receipt('other', 'none')).toBeNull();
      expect(await opened.store.receipt('acme', 'None')).toBeNull();
    });

    it('of one key can be kept by each org', async () => {
      const others = receipt('k', { org: 'other', body: 'theirs' });
      await opened.store.keepReceipt(receipt('k'));
      await opened.store.keepReceipt(others);
      expect(await opened.store.receipt('acme', 'k')).toEqual(receipt('k'));
      expect(await opened.store.receipt('other', 'k')).toEqual(others);
    });

    it('stay the first when a second of the same key is to be kept', async () => {
      await opened.store.keepReceipt(receipt('k'));
      expect(await isTaken(opened.store.keepReceipt(receipt('k', { body: 'second' })))).toBe(true);
      expect(await opened.store.receipt('acme', 'k')).toEqual(receipt('k'));
    });

    describe.each(deeds)('of $name', (deed) => {
      it('are kept with it', async () => {
        await deed.do(opened, receipt('k'));
        await reopen();
        expect(await opened.store.receipt('acme', 'k')).toEqual(receipt('k'));
        expect(await deed.isDone(opened)).toBe(true);
      });

      it('prevent it when one of the same key is there, and only then', async () => {
        await opened.store.keepReceipt(receipt('k', { body: 'first' }));
        const [refused] = await Promise.all([
          isTaken(deed.do(opened, receipt('k'))),
          opened.store.keepReceipt(receipt('neighbour')),
        ]);
        expect(refused).toBe(true);
        expect(await deed.isDone(opened)).toBe(false);
        expect((await opened.store.receipt('acme', 'k'))?.body).toBe('first');
        expect(await opened.store.receipt('acme', 'neighbour')).not.toBeNull();
        await deed.do(opened, receipt('k', { org: 'other' }));
        expect(await deed.isDone(opened)).toBe(true);
      });

      it('let one of two equal calls at the same time be done, and tell the other why it is not', async () => {
        const failures = await Promise.all([1, 2].map(() => failureOf(deed.do(opened, receipt('k')))));
        expect(failures.map((failure) => failure !== null && isFailure(failure, 'receipt_taken'))).toEqual([
          false,
          true,
        ]);
        expect(await deed.isDone(opened)).toBe(true);
      });
    });

    it('are not kept of what was refused', async () => {
      const taken = [chargerRecord(50), chargerRecord(51, { identity: 'CP-1' })];
      expect(await opened.store.createChargers(taken, receipt('taken'))).toEqual({ taken: 'CP-1' });
      expect(await opened.store.changeCharger('acme', 'nobody', { name: 'new' }, 5, receipt('nobody'))).toBeNull();
      expect(await opened.store.changeCharger('other', idOf(1), { name: 'new' }, 5, receipt('stranger'))).toBeNull();
      await opened.queue.enqueue([queuedCommand(1)]);
      expect(await failureOf(opened.queue.enqueue(queuedCommands(1, 2), receipt('used')))).toBeInstanceOf(Error);
      for (const key of ['taken', 'nobody', 'stranger', 'used']) {
        expect(await opened.store.receipt('acme', key), key).toBeNull();
      }
    });

    it('are forgotten when they are older than a moment, be they thousands, in short turns', async () => {
      const old = Array.from({ length: 1_050 }, (_, index) => receipt(`old ${index}`, { atMs: index % 100 }));
      const kept = [receipt('new', { atMs: 100 }), receipt('newer', { org: 'other', atMs: 101 })];
      for (const one of old.concat(kept)) void opened.store.keepReceipt(one);
      const forgetting = opened.store.forgetReceipts(100);
      expect(await turnsDuring(forgetting)).toBeGreaterThan(5);
      await reopen();
      const left = await Promise.all(old.map(({ org, key }) => opened.store.receipt(org, key)));
      expect(left.filter((one) => one !== null)).toEqual([]);
      for (const one of kept) expect(await opened.store.receipt(one.org, one.key)).toEqual(one);
      await opened.store.keepReceipt(receipt('old 1'));
      await opened.store.forgetReceipts(0);
      expect(await opened.store.receipt('acme', 'old 1')).toEqual(receipt('old 1'));
    });
  });
}
