// What every store promises: run this suite on each adapter.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isFailure } from '../../src/errors.ts';
import type { CommandRecord, FleetMember, Store } from '../../src/ports/store.ts';
import { describeChargerChanges } from './store-change-contract.ts';
import { describeCommandRecords } from './store-command-contract.ts';
import { describeChargerLists } from './store-list-contract.ts';
import { describeStoreModel } from './store-model.ts';
import { describePlaces } from './store-place-contract.ts';
import { describeReceipts } from './store-receipt-contract.ts';
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
  succeeded,
  turnsDuring,
  webhookRecord,
} from './store-samples.ts';
import { describeCommandUpkeep } from './store-upkeep-contract.ts';
import { describeWebhooks } from './store-webhook-contract.ts';

export function describeStore(name: string, open: () => Promise<Opened>): void {
  describe(`the store (${name})`, () => {
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
    const commandOf = (id: string): Promise<CommandRecord | null> => opened.store.command('acme', id);

    describe('creating chargers', () => {
      it('keeps every field of a charger over a restart', async () => {
        const full = chargerRecord(1, {
          wsUrl: 'wss://csms.example/ocpp',
          locationId: 'L-1',
          ocppVersion: '2.1',
          modelId: 'voltwerk-v2',
          security: {
            profile: 3,
            basicPassword: 'pass "word" ü',
            caPem: '-----BEGIN\n',
            clientKeyPem: 'k'.repeat(5_000),
          },
          features: ['plug_and_charge', 'display'],
          generation: 7,
          provisioning: {
            status: 'failed',
            step: 'boot',
            attempts: 12,
            error: 'Rejected by "CSMS"',
            startedAtMs: 1_760_000_000_100,
            finishedAtMs: 1_760_000_600_100,
          },
        });
        const bare = chargerRecord(2, {
          name: null,
          vendorName: null,
          model: null,
          ocppVersion: null,
          connectorType: null,
        });
        expect(await opened.store.createChargers([full, bare])).toEqual({ taken: null });
        await reopen();
        expect(await opened.store.charger('acme', full.id)).toEqual(full);
        expect(await opened.store.chargerByIdentity('acme', bare.identity)).toEqual(bare);
      });

      it('creates none of the chargers when one identity is taken, and names the first that is', async () => {
        await opened.store.createChargers([chargerRecord(1, { identity: 'A' }), chargerRecord(2, { identity: 'B' })]);
        const answer = await opened.store.createChargers([
          chargerRecord(3, { identity: 'C' }),
          chargerRecord(4, { identity: 'B' }),
          chargerRecord(5, { identity: 'A' }),
        ]);
        expect(answer).toEqual({ taken: 'B' });
        expect(await opened.store.charger('acme', idOf(3))).toBeNull();
        expect((await opened.store.listChargers('acme', {}, 1, 10)).total).toBe(2);
      });

      it('creates none of the chargers when two of them share an identity', async () => {
        const twins = [chargerRecord(1, { identity: 'A' }), chargerRecord(2, { identity: 'A' })];
        expect(await opened.store.createChargers(twins)).toEqual({ taken: 'A' });
        expect((await opened.store.listChargers('acme', {}, 1, 10)).total).toBe(0);
      });

      it('lets two orgs use the same identity, and identities differ by upper and lower case', async () => {
        const records = [
          chargerRecord(1, { identity: 'A' }),
          chargerRecord(2, { identity: 'A', org: 'other' }),
          chargerRecord(3, { identity: 'a' }),
        ];
        expect(await opened.store.createChargers(records)).toEqual({ taken: null });
      });

      it('lets exactly one of many calls at the same time have an identity', async () => {
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            opened.store.createChargers([chargerRecord(index, { identity: 'A' })]),
          ),
        );
        expect(answers.filter((answer) => answer.taken === null)).toHaveLength(1);
        expect(answers.filter((answer) => answer.taken === 'A')).toHaveLength(19);
        expect((await opened.store.listChargers('acme', {}, 1, 10)).total).toBe(1);
      });

      it('creates 5 000 chargers at once without holding up the event loop', async () => {
        const creating = opened.store.createChargers(chargerRecords(1, 5_000));
        expect(await turnsDuring(creating)).toBeGreaterThan(10);
        expect(await creating).toEqual({ taken: null });
        await reopen();
        expect((await opened.store.listChargers('acme', {}, 1, 10)).total).toBe(5_000);
      });

      it('creates none of 1 000 chargers when the last identity is taken, and goes on to create others', async () => {
        await opened.store.createChargers([chargerRecord(9_999, { identity: 'CP-1000' })]);
        const [refused, created] = await Promise.all([
          opened.store.createChargers(chargerRecords(1, 1_000)),
          opened.store.createChargers(chargerRecords(2_001, 1_000)),
        ]);
        expect(refused).toEqual({ taken: 'CP-1000' });
        expect(created).toEqual({ taken: null });
        expect((await opened.store.listChargers('acme', {}, 1, 10)).total).toBe(1_001);
      });
    });

    describe('reading chargers', () => {
      it('shows nothing of another org', async () => {
        const record = chargerRecord(1);
        const command = queuedCommand(1);
        await opened.store.createChargers([record]);
        await opened.queue.enqueue([command]);
        expect(await opened.store.charger('other', record.id)).toBeNull();
        expect(await opened.store.chargerByIdentity('other', record.identity)).toBeNull();
        expect(await opened.store.chargers('other', [record.id])).toEqual([]);
        expect(await opened.store.listChargers('other', {}, 1, 10)).toEqual({ items: [], total: 0 });
        expect(await opened.store.listChargers('other', { search: 'cp' }, 1, 10)).toEqual({ items: [], total: 0 });
        expect(await opened.store.command('other', command.id)).toBeNull();
      });

      it('finds those of many ids that exist, each once', async () => {
        await opened.store.createChargers([...chargerRecords(1, 1_200), chargerRecord(5_000, { org: 'other' })]);
        const found = await opened.store.chargers('acme', [
          idOf(7),
          ...chargerRecords(1, 1_100).map((record) => record.id),
          idOf(5_000),
          'nobody',
        ]);
        expect(new Set(found.map((record) => record.id)).size).toBe(1_100);
        expect(await opened.store.chargers('acme', [])).toEqual([]);
      });

      it('walks through the fleets of all orgs in the order of their ids, memory included', async () => {
        await opened.store.createChargers([chargerRecord(2), chargerRecord(3, { org: 'other' }), chargerRecord(1)]);
        await opened.store.commit([{ chargerId: idOf(3), memory: '{"meterWh":3}' }]);
        const first = await opened.store.fleetAfter(null, 2);
        expect(first.map(({ record }) => record.id)).toEqual([idOf(1), idOf(2)]);
        const rest = await opened.store.fleetAfter(idOf(2), 2);
        expect(rest).toEqual([{ record: chargerRecord(3, { org: 'other' }), memory: '{"meterWh":3}' }]);
        expect(await opened.store.fleetAfter(idOf(3), 2)).toEqual([]);
      });

      it('reads one member of the fleet, without memory as long as it never ran', async () => {
        await opened.store.createChargers([chargerRecord(1)]);
        expect(await opened.store.fleetMember(idOf(1))).toEqual({ record: chargerRecord(1), memory: null });
        expect(await opened.store.fleetMember(idOf(2))).toBeNull();
      });
    });

    describe('commits', () => {
      const memoryOf = async (store: Store, id: string) => (await store.fleetMember(id))?.memory;

      it('keeps the last memory of a charger over a restart', async () => {
        await opened.store.createChargers(chargerRecords(1, 2));
        await opened.store.commit([{ chargerId: idOf(1), memory: 'one' }]);
        await opened.store.commit([{ chargerId: idOf(1), memory: 'two' }, { chargerId: idOf(2) }]);
        await reopen();
        expect(await memoryOf(opened.store, idOf(1))).toBe('two');
        expect(await memoryOf(opened.store, idOf(2))).toBeNull();
      });

      it('reads an addendum behind the memory, the last one, and none of those before a new memory', async () => {
        await opened.store.createChargers(chargerRecords(1, 3));
        await opened.store.commit([1, 2, 3].map((number) => ({ chargerId: idOf(number), memory: 'whole' })));
        await opened.store.commit([{ chargerId: idOf(1), addendum: 'one' }]);
        await opened.store.commit([
          { chargerId: idOf(1), addendum: 'two' },
          { chargerId: idOf(2), addendum: 'lost' },
          { chargerId: idOf(2), memory: 'anew' },
          { chargerId: idOf(3), memory: 'anew' },
          { chargerId: idOf(3), addendum: 'more' },
        ]);
        await reopen();
        const kept = ['whole\ntwo', 'anew', 'anew\nmore'];
        expect((await opened.store.fleetAfter(null, 10)).map(({ memory }) => memory)).toEqual(kept);
        expect(await memoryOf(opened.store, idOf(1))).toBe(kept[0]);
        await opened.store.commit([{ chargerId: idOf(1), memory: 'last' }]);
        expect(await memoryOf(opened.store, idOf(1))).toBe('last');
      });

      it('keeps the order of calls that do not wait for each other, short and long ones mixed', async () => {
        await opened.store.createChargers(chargerRecords(1, 300));
        const all = (memory: string) => chargerRecords(1, 300).map(({ id }) => ({ chargerId: id, memory }));
        const calls = Array.from({ length: 30 }, (_, index) =>
          opened.store.commit(index % 4 === 0 ? all(`${index}`) : [{ chargerId: idOf(1), memory: `${index}` }]),
        );
        await Promise.all(calls);
        expect(await memoryOf(opened.store, idOf(1))).toBe('29');
        expect(await memoryOf(opened.store, idOf(300))).toBe('28');
      });

      it('shows an owner everything that was asked to be kept before, finished or not', async () => {
        await opened.store.createChargers(chargerRecords(1, 500));
        const command = queuedCommand(1);
        await opened.queue.enqueue([command]);
        const commits = chargerRecords(1, 500).map(({ id }) => ({ chargerId: id, memory: 'kept' }));
        const first = { chargerId: idOf(1), applied: [{ commandId: command.id, startedAtMs: 1 }] };
        const under_way = opened.store.commit([...commits, first]);
        const [member, pending, fleet] = await Promise.all([
          opened.store.fleetMember(idOf(500)),
          opened.queue.pending([idOf(1)]),
          opened.store.fleetAfter(idOf(499), 1),
        ]);
        expect([member?.memory, pending, fleet[0]?.memory]).toEqual(['kept', [], 'kept']);
        await under_way;
      });

      it('ignores the memory and the applied commands of a charger it does not know, but records how commands ended', async () => {
        const [ended, applied] = queuedCommands(1, 2);
        if (ended === undefined || applied === undefined) throw new Error('two commands');
        await opened.queue.enqueue([ended, applied]);
        await opened.store.createChargers([chargerRecord(2)]);
        await opened.store.commit([
          {
            chargerId: idOf(1),
            memory: 'lost',
            applied: [{ commandId: applied.id, startedAtMs: 5 }],
            outcomes: [succeeded(ended)],
          },
          { chargerId: idOf(2), memory: 'kept' },
        ]);
        expect((await opened.store.fleetAfter(null, 10)).map(({ memory }) => memory)).toEqual(['kept']);
        expect((await commandOf(ended.id))?.status).toBe('succeeded');
        expect((await commandOf(applied.id))?.status).toBe('queued');
      });

      it('keeps memories of half a million characters, with whatever characters they have', async () => {
        await opened.store.createChargers([chargerRecord(1)]);
        const memory = JSON.stringify({ list: 'ü☕\u{1F50C}\n"\\%_'.repeat(50_000) });
        await opened.store.commit([{ chargerId: idOf(1), memory }]);
        await reopen();
        expect(await memoryOf(opened.store, idOf(1))).toBe(memory);
      });

      it('takes an empty call for nothing to do', async () => {
        await opened.store.commit([]);
        await opened.store.interrupt([], 1);
        await opened.queue.enqueue([]);
        await opened.queue.refresh([]);
        await opened.store.changeChargers('acme', [], { name: 'new' }, 1);
        expect(await opened.store.deleteChargers('acme', [], 1)).toEqual({ deleted: 0, ended: [] });
        expect(await opened.store.createChargers([])).toEqual({ taken: null });
      });
    });

    describe('closing', () => {
      it('writes what is still under way', async () => {
        await opened.store.createChargers(chargerRecords(1, 400));
        const commits = chargerRecords(1, 400).map(({ id }) => ({ chargerId: id, memory: 'kept' }));
        const under_way = [opened.store.commit(commits), opened.store.commit([{ chargerId: idOf(1), memory: 'last' }])];
        await reopen();
        await Promise.all(under_way);
        const fleet: readonly FleetMember[] = await opened.store.fleetAfter(null, 1_000);
        expect(fleet.map(({ memory }) => memory)).toEqual(['last', ...Array<string>(399).fill('kept')]);
      });

      it('answers every later call with a failure that says so, and may be asked for again', async () => {
        const { store, queue } = opened;
        await store.ping();
        await store.close();
        await store.close();
        const calls: (() => Promise<unknown>)[] = [
          () => store.ping(),
          () => store.createChargers([chargerRecord(1)]),
          () => store.charger('acme', idOf(1)),
          () => store.chargerByIdentity('acme', 'A'),
          () => store.chargers('acme', [idOf(1)]),
          () => store.listChargers('acme', {}, 1, 10),
          () => store.listChargers('acme', { search: 'a' }, 1, 10),
          () => store.changeCharger('acme', idOf(1), {}, 1),
          () => store.changeChargers('acme', [idOf(1)], {}, 1),
          () => store.deleteChargers('acme', [idOf(1)], 1),
          () => store.createCpo(cpoRecord(1)),
          () => store.cpo('acme', idOf(1)),
          () => store.listCpos('acme', 1, 10),
          () => store.deleteCpo('acme', idOf(1)),
          () => store.createLocations({ locations: [locationRecord(1)], chargers: [] }),
          () => store.location('acme', idOf(1)),
          () => store.locationsByName('acme', 'A', 10),
          () => store.listLocations('acme', idOf(1), 1, 10),
          () => store.chargersOfLocation('acme', idOf(1)),
          () => store.locationProgress('acme', idOf(1)),
          () => store.deleteLocation('acme', idOf(1)),
          () => store.receipt('acme', 'k'),
          () => store.keepReceipt(receipt('k')),
          () => store.forgetReceipts(1),
          () => store.fleetAfter(null, 1),
          () => store.fleetMember(idOf(1)),
          () => store.commit([{ chargerId: idOf(1), memory: '' }]),
          () => store.interrupt([idOf(1)], 1),
          () => store.command('acme', idOf(1)),
          () => store.createWebhook(webhookRecord(1)),
          () => store.webhook('acme', idOf(1)),
          () => store.listWebhooks('acme', 1, 10),
          () => store.deleteWebhook('acme', idOf(1)),
          () => store.webhooks(),
          () => store.keepProgress(idOf(1), webhookRecord(1).progress),
          () => store.reserveNumbers('a', 1),
          () => queue.enqueue([queuedCommand(1)]),
          () => queue.pending([idOf(1)]),
        ];
        for (const call of calls) {
          expect(isFailure(await failureOf(call()), 'store_closed'), String(call)).toBe(true);
        }
      });
    });
  });

  describeCommandRecords(name, open);
  describeCommandUpkeep(name, open);
  describeChargerLists(name, open);
  describeChargerChanges(name, open);
  describePlaces(name, open);
  describeReceipts(name, open);
  describeWebhooks(name, open);
  describeStoreModel(name, open);
}
