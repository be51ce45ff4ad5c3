// What every store promises about looking through commands, and about ending and forgetting them in time.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CommandFilter, CommandRecord } from '../../src/ports/store.ts';
import {
  chargerRecord,
  chargerRecords,
  idOf,
  type Opened,
  queuedCommand,
  queuedCommands,
  succeeded,
} from './store-samples.ts';

export function describeCommandUpkeep(name: string, open: () => Promise<Opened>): void {
  describe(`the upkeep of commands (${name})`, () => {
    let opened: Opened;
    beforeEach(async () => {
      opened = await open();
      await opened.store.createChargers([
        ...chargerRecords(1, 2),
        chargerRecord(3, { desired: 'stopped', locationId: 'L-1' }),
      ]);
    });
    afterEach(async () => {
      await opened.close();
    });
    const list = (filter: CommandFilter, page = 1, limit = 100, org = 'acme') =>
      opened.store.listCommands(org, filter, page, limit);
    const numbers = (items: readonly CommandRecord[]) =>
      items.map(({ acceptedAtMs }) => acceptedAtMs - queuedCommand(0).acceptedAtMs);
    const stateOf = async (number: number) => {
      const found = await opened.store.command('acme', queuedCommand(number).id);
      return found === null ? null : (found.errorCode ?? found.status);
    };

    describe('a list', () => {
      beforeEach(async () => {
        await opened.queue.enqueue(queuedCommands(1, 5));
        await opened.queue.enqueue(queuedCommands(6, 5, { chargerId: idOf(2) }));
        await opened.queue.enqueue([queuedCommand(11, { org: 'other', chargerId: 'theirs' })]);
        await opened.store.commit([
          { chargerId: idOf(1), outcomes: [succeeded(queuedCommand(2))] },
          { chargerId: idOf(2), applied: [{ commandId: queuedCommand(7).id, startedAtMs: 1 }] },
          { chargerId: idOf(2), outcomes: [succeeded(queuedCommand(8), { status: 'failed' })] },
        ]);
      });

      it('has the newest first, page by page, and those of one org only', async () => {
        const { items, total } = await list({}, 1, 4);
        expect([numbers(items), total]).toEqual([[10, 9, 8, 7], 10]);
        expect(numbers((await list({}, 3, 4)).items)).toEqual([2, 1]);
        expect(await list({}, 4, 4)).toEqual({ items: [], total: 10 });
        expect(numbers((await list({}, 1, 4, 'other')).items)).toEqual([11]);
      });

      it('can be of one charger, of one status, and of both', async () => {
        expect(numbers((await list({ chargerId: idOf(1) })).items)).toEqual([5, 4, 3, 2, 1]);
        expect(numbers((await list({ status: 'queued' })).items)).toEqual([10, 9, 6, 5, 4, 3, 1]);
        expect(numbers((await list({ chargerId: idOf(2), status: 'running' })).items)).toEqual([7]);
        expect(numbers((await list({ chargerId: idOf(1), status: 'succeeded' }, 1, 1)).items)).toEqual([2]);
        expect(await list({ chargerId: idOf(1), status: 'failed' })).toEqual({ items: [], total: 0 });
      });

      it('says nothing of a charger to another org', async () => {
        expect(await list({ chargerId: idOf(1) }, 1, 10, 'other')).toEqual({ items: [], total: 0 });
      });

      it('tells of each command all there is to tell', async () => {
        const { items } = await list({ status: 'succeeded' });
        expect(items).toEqual([await opened.store.command('acme', queuedCommand(2).id)]);
      });
    });

    it('finds the chargers whose queue is as long as given, by the commands that have not ended', async () => {
      await opened.queue.enqueue([...queuedCommands(1, 3), ...queuedCommands(4, 2, { chargerId: idOf(2) })]);
      const crowded = (depth: number) => opened.queue.crowded([idOf(1), idOf(2), 'nobody'], depth);
      expect(await crowded(3)).toEqual(new Set([idOf(1)]));
      expect(await crowded(2)).toEqual(new Set([idOf(1), idOf(2)]));
      await opened.store.commit([{ chargerId: idOf(1), outcomes: [succeeded(queuedCommand(1))] }]);
      expect(await crowded(3)).toEqual(new Set());
    });

    it('says of one charger after each of its commands whether its queue is as long as given', async () => {
      const isCrowded = async () => (await opened.queue.crowded([idOf(1)], 4)).has(idOf(1));
      const seen: boolean[] = [];
      for (let number = 1; number <= 5; number++) {
        seen.push(await isCrowded());
        await opened.queue.enqueue([queuedCommand(number)]);
      }
      expect(seen).toEqual([false, false, false, false, true]);
      for (const number of [1, 2]) {
        expect(await isCrowded()).toBe(true);
        await opened.store.commit([{ chargerId: idOf(1), outcomes: [succeeded(queuedCommand(number))] }]);
      }
      expect(await isCrowded()).toBe(false);
    });

    it('says so of one charger while commands for it are under way', async () => {
      const isCrowded = async () => (await opened.queue.crowded([idOf(1)], 4)).has(idOf(1));
      const accepted = [1, 2, 3].map((number) => opened.queue.enqueue([queuedCommand(number)]));
      await isCrowded();
      await Promise.all(accepted);
      expect(await isCrowded()).toBe(false);
      await opened.queue.enqueue([queuedCommand(4)]);
      expect(await isCrowded()).toBe(true);
    });

    describe('expiry', () => {
      it('ends what has waited too long for a stopped charger, and nothing else', async () => {
        const late = queuedCommand(1, { chargerId: idOf(3) });
        await opened.queue.enqueue([late, queuedCommand(2, { chargerId: idOf(3) }), queuedCommand(3)]);
        const ended = await opened.store.expireCommands(late.acceptedAtMs + 1, 77);
        const error = 'the charger stayed stopped for too long';
        expect(ended).toEqual([{ command: late, locationId: 'L-1', errorCode: 'expired', error }]);
        expect(await opened.store.command('acme', late.id)).toMatchObject({
          status: 'failed',
          finishedAtMs: 77,
          error,
        });
        expect([await stateOf(2), await stateOf(3)]).toEqual(['queued', 'queued']);
        expect(await opened.store.expireCommands(late.acceptedAtMs + 1, 78)).toEqual([]);
      });

      it('ends at once what was accepted for a charger that is gone', async () => {
        const orphan = queuedCommand(1, { chargerId: 'gone' });
        await opened.queue.enqueue([orphan]);
        const ended = await opened.store.expireCommands(0, 77);
        expect(ended).toEqual([
          { command: orphan, locationId: null, errorCode: 'deleted', error: 'the charger was deleted' },
        ]);
        expect(await stateOf(1)).toBe('deleted');
      });
    });

    it('forgets commands that ended before a moment, and never one that has not ended', async () => {
      await opened.queue.enqueue(queuedCommands(1, 4));
      const ended = (number: number, finishedAtMs: number) => succeeded(queuedCommand(number), { finishedAtMs });
      await opened.store.commit([{ chargerId: idOf(1), outcomes: [ended(1, 10), ended(2, 20), ended(3, 30)] }]);
      await opened.store.forgetCommands(20);
      expect(await Promise.all([1, 2, 3, 4].map(stateOf))).toEqual([null, 'succeeded', 'succeeded', 'queued']);
    });

    it('tells which commands a deletion has ended', async () => {
      await opened.queue.enqueue([queuedCommand(1, { chargerId: idOf(3) }), queuedCommand(2)]);
      const { deleted, ended } = await opened.store.deleteChargers('acme', [idOf(3)], 5);
      expect(deleted).toBe(1);
      expect(ended).toEqual([
        {
          command: queuedCommand(1, { chargerId: idOf(3) }),
          locationId: 'L-1',
          errorCode: 'deleted',
          error: 'the charger was deleted',
        },
      ]);
    });
  });
}
