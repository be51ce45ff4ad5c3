// What every store promises about chargers that change and go.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChargerChange, ChargerRecord } from '../../src/ports/store.ts';
import type { Provisioning } from '../../src/provisioning/provisioning.ts';
import {
  chargerRecord,
  chargerRecords,
  idOf,
  type Opened,
  queuedCommand,
  queuedCommands,
  succeeded,
  turnsDuring,
} from './store-samples.ts';

export function describeChargerChanges(name: string, open: () => Promise<Opened>): void {
  describe(`chargers that change and go (${name})`, () => {
    let opened: Opened;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(async () => {
      await opened.close();
    });
    const reopen = async () => {
      opened = await opened.reopen();
    };
    const idsOf = (records: readonly ChargerRecord[]) => records.map(({ id }) => id);
    const total = async (filter = {}) => (await opened.store.listChargers('acme', filter, 1, 1)).total;

    describe('changing', () => {
      const before = chargerRecord(1, { locationId: 'L-1', wsUrl: 'wss://a.example', generation: 3 });
      beforeEach(async () => {
        await opened.store.createChargers([before, chargerRecord(2)]);
      });

      it.each<readonly [string, ChargerChange]>([
        ['the name', { name: 'New' }],
        ['the name away', { name: null }],
        ['the connector type', { connectorType: 'CHADEMO' }],
        [
          'the layout',
          { layout: [{ evseId: 1, connectorId: 1, type: 'CHADEMO', format: 'CABLE', maxPowerW: 50_000.5 }] },
        ],
        ['the version', { ocppVersion: '2.1' }],
        ['the URL away', { wsUrl: null }],
        ['the location', { locationId: 'L-2' }],
        ['what is desired', { desired: 'stopped' }],
        ['several', { name: 'New', ocppVersion: null, locationId: null, desired: 'stopped', connectorType: null }],
        ['nothing', {}],
      ])('%s leaves the rest as it was, answers with the charger, and lasts', async (_, change) => {
        const after = { ...before, ...change, updatedAtMs: 77 };
        expect(await opened.store.changeCharger('acme', before.id, change, 77)).toEqual(after);
        await reopen();
        expect(await opened.store.charger('acme', before.id)).toEqual(after);
        expect(await opened.store.charger('acme', idOf(2))).toEqual(chargerRecord(2));
      });

      it('counts the restarts that it asks for', async () => {
        expect((await opened.store.changeCharger('acme', before.id, { restart: true }, 1))?.generation).toBe(4);
        expect((await opened.store.changeCharger('acme', before.id, { restart: false }, 1))?.generation).toBe(4);
        await opened.store.changeChargers('acme', [before.id, idOf(2), before.id], { restart: true }, 1);
        expect((await opened.store.charger('acme', before.id))?.generation).toBe(5);
        expect((await opened.store.charger('acme', idOf(2)))?.generation).toBe(1);
      });

      it('answers each of several calls at the same time with what that call has left', async () => {
        const names = ['a', 'b', 'c', 'd'];
        const answers = await Promise.all([
          ...names.map((text, index) => opened.store.changeCharger('acme', before.id, { name: text }, index)),
          opened.store.deleteChargers('acme', [before.id], 9),
          opened.store.changeCharger('acme', before.id, { name: 'e' }, 10),
        ]);
        expect(answers.slice(0, 4).map((answer) => (answer as ChargerRecord).name)).toEqual(names);
        expect(answers.slice(4)).toEqual([{ deleted: 1, ended: [] }, null]);
      });

      it('finds nothing to change of another org, or of nobody', async () => {
        const change = { name: 'mine now', desired: 'stopped', restart: true } as const;
        expect(await opened.store.changeCharger('other', before.id, change, 5)).toBeNull();
        expect(await opened.store.changeCharger('acme', 'nobody', change, 5)).toBeNull();
        await opened.store.changeChargers('other', [before.id, 'nobody'], change, 5);
        expect(await opened.store.charger('acme', before.id)).toEqual(before);
        expect(await total({ desired: 'running' })).toBe(2);
      });

      it('is followed by every list and search', async () => {
        await opened.store.changeCharger('acme', before.id, { name: 'KÖLN', locationId: 'L-2', ocppVersion: '2.1' }, 5);
        expect(await total({ search: 'köln' })).toBe(1);
        expect(await total({ search: 'cp-1' })).toBe(1);
        expect(await total({ search: 'charger 1' })).toBe(0);
        expect([await total({ locationId: 'L-1' }), await total({ locationId: 'L-2' })]).toEqual([0, 1]);
        expect([await total({ ocppVersion: '1.6' }), await total({ ocppVersion: '2.1' })]).toEqual([1, 1]);
        await opened.store.changeCharger('acme', before.id, { name: null }, 6);
        expect(await total({ search: 'köln' })).toBe(0);
      });

      it('changes 2 000 at once without holding up the event loop', async () => {
        const records = chargerRecords(10, 2_000);
        await opened.store.createChargers(records);
        const change = { desired: 'stopped', locationId: 'L-9', restart: true } as const;
        const ids = [idOf(2_009), ...idsOf(records), 'nobody'];
        const changing = opened.store.changeChargers('acme', ids, change, 8);
        expect(await turnsDuring(changing)).toBeGreaterThan(1);
        await reopen();
        expect(await total({ desired: 'stopped', locationId: 'L-9' })).toBe(2_000);
        const after = { desired: 'stopped', locationId: 'L-9', generation: 1, updatedAtMs: 8 } as const;
        expect(await opened.store.charger('acme', idOf(2_009))).toEqual(chargerRecord(2_009, after));
        expect(await opened.store.charger('acme', before.id)).toEqual(before);
      });
    });

    describe('provisioning', () => {
      const under_way: Provisioning = {
        status: 'provisioning',
        step: 'connect',
        attempts: 2,
        error: 'no answer',
        startedAtMs: 5,
        finishedAtMs: null,
      };
      const ready: Provisioning = { ...under_way, status: 'ready', step: 'done', error: null, finishedAtMs: 9 };

      it('that a commit brings is kept, with the memory or alone, and is no change of the deployment', async () => {
        await opened.store.createChargers(chargerRecords(1, 2));
        await opened.store.commit([
          { chargerId: idOf(1), provisioning: under_way, memory: 'kept' },
          { chargerId: idOf(2), provisioning: ready },
        ]);
        await reopen();
        const first = { record: chargerRecord(1, { provisioning: under_way }), memory: 'kept' };
        expect(await opened.store.fleetMember(idOf(1))).toEqual(first);
        expect(await opened.store.charger('acme', idOf(2))).toEqual(chargerRecord(2, { provisioning: ready }));
        await opened.store.commit([{ chargerId: idOf(1), memory: 'more' }]);
        expect((await opened.store.charger('acme', idOf(1)))?.provisioning).toEqual(under_way);
      });

      it('stays as it is while the deployment changes', async () => {
        await opened.store.createChargers([chargerRecord(1)]);
        await opened.store.commit([{ chargerId: idOf(1), provisioning: under_way }]);
        const changed = await opened.store.changeCharger('acme', idOf(1), { locationId: 'L-1', restart: true }, 8);
        expect(changed?.provisioning).toEqual(under_way);
        expect(await total({ locationId: 'L-1', provisioningStatus: 'provisioning' })).toBe(1);
      });

      it('of a charger that is gone is ignored', async () => {
        await opened.store.createChargers(chargerRecords(1, 2));
        await Promise.all([
          opened.store.deleteChargers('acme', [idOf(1)], 5),
          opened.store.commit([
            { chargerId: idOf(1), provisioning: ready, memory: 'lost' },
            { chargerId: idOf(2), provisioning: ready },
          ]),
        ]);
        expect(await opened.store.fleetMember(idOf(1))).toBeNull();
        expect([await total(), await total({ provisioningStatus: 'ready' })]).toEqual([1, 1]);
      });
    });

    describe('deleting', () => {
      it('takes the memory along, says how many there were, and frees the identity', async () => {
        await opened.store.createChargers(chargerRecords(1, 3));
        await opened.store.commit([{ chargerId: idOf(1), memory: 'old' }]);
        expect(await opened.store.deleteChargers('acme', [idOf(1), idOf(2), idOf(2), 'nobody'], 5)).toMatchObject({
          deleted: 2,
        });
        expect(await opened.store.deleteChargers('acme', [idOf(1)], 5)).toMatchObject({ deleted: 0 });
        expect(await opened.store.deleteChargers('acme', [], 5)).toMatchObject({ deleted: 0 });
        await reopen();
        expect(await opened.store.charger('acme', idOf(1))).toBeNull();
        expect((await opened.store.fleetAfter(null, 10)).map(({ record }) => record.id)).toEqual([idOf(3)]);
        expect(await opened.store.createChargers(chargerRecords(1, 1))).toEqual({ taken: null });
        expect((await opened.store.fleetMember(idOf(1)))?.memory).toBeNull();
      });

      it('fails the commands that have not ended and no others', async () => {
        await opened.store.createChargers(chargerRecords(1, 2));
        const [queued, running, ended] = queuedCommands(1, 3);
        const elsewhere = queuedCommand(4, { chargerId: idOf(2) });
        if (queued === undefined || running === undefined || ended === undefined) throw new Error('three commands');
        await opened.queue.enqueue([queued, running, ended, elsewhere]);
        await opened.store.commit([
          { chargerId: idOf(1), applied: [{ commandId: running.id, startedAtMs: 4 }], outcomes: [succeeded(ended)] },
        ]);
        await opened.store.deleteChargers('acme', [idOf(1)], 7);
        await opened.store.commit([{ chargerId: idOf(1), outcomes: [succeeded(running)] }]);
        await reopen();
        const failed = {
          status: 'failed',
          errorCode: 'deleted',
          error: 'the charger was deleted',
          finishedAtMs: 7,
          result: null,
        };
        expect(await opened.store.command('acme', queued.id)).toMatchObject({ ...failed, startedAtMs: null });
        expect(await opened.store.command('acme', running.id)).toMatchObject({ ...failed, startedAtMs: 4 });
        expect((await opened.store.command('acme', ended.id))?.status).toBe('succeeded');
        expect((await opened.store.command('acme', elsewhere.id))?.status).toBe('queued');
        expect(await opened.queue.pending([idOf(1), idOf(2)])).toEqual([elsewhere]);
      });

      it('touches neither chargers nor commands of another org', async () => {
        await opened.store.createChargers([chargerRecord(1)]);
        await opened.queue.enqueue([queuedCommand(1)]);
        expect(await opened.store.deleteChargers('other', [idOf(1)], 5)).toMatchObject({ deleted: 0 });
        expect(await opened.store.charger('acme', idOf(1))).toEqual(chargerRecord(1));
        expect((await opened.store.command('acme', queuedCommand(1).id))?.status).toBe('queued');
      });

      it('takes 2 000 at once without holding up the event loop', async () => {
        const records = chargerRecords(1, 2_000, { locationId: 'L-1' });
        await opened.store.createChargers([...records, chargerRecord(5_000)]);
        await opened.queue.enqueue(queuedCommands(1, 100, { chargerId: idOf(2_000) }));
        const deleting = opened.store.deleteChargers('acme', idsOf(records), 5);
        expect(await turnsDuring(deleting)).toBeGreaterThan(1);
        expect(await deleting).toMatchObject({ deleted: 2_000 });
        expect([await total(), await total({ locationId: 'L-1' })]).toEqual([1, 0]);
        expect(await opened.queue.pending([idOf(2_000)])).toEqual([]);
      });
    });
  });
}
