// What every store promises about the life of commands, and about its counters.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CommandRecord } from '../../src/ports/store.ts';
import { chargerRecords, idOf, type Opened, queuedCommand, queuedCommands, succeeded } from './store-samples.ts';

export function describeCommandRecords(name: string, open: () => Promise<Opened>): void {
  describe(`the store's records (${name})`, () => {
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

    describe('commands', () => {
      const command = queuedCommand(1);
      const applied = { chargerId: idOf(1), applied: [{ commandId: command.id, startedAtMs: 50 }] };
      beforeEach(async () => {
        await opened.store.createChargers(chargerRecords(1, 2));
        await opened.queue.enqueue([command]);
      });

      it('are queued, then running once applied, then ended, over restarts', async () => {
        const none = {
          startedAtMs: null,
          finishedAtMs: null,
          errorCode: null,
          error: null,
          result: null,
          exchanges: [],
        };
        await reopen();
        expect(await commandOf(command.id)).toEqual({ ...command, ...none, status: 'queued' });
        await opened.store.commit([applied]);
        await reopen();
        expect(await commandOf(command.id)).toEqual({ ...command, ...none, status: 'running', startedAtMs: 50 });
        const { commandId, ...outcome } = succeeded(command, { startedAtMs: 50 });
        await opened.store.commit([{ chargerId: idOf(1), outcomes: [{ commandId, ...outcome }] }]);
        await reopen();
        expect(await commandOf(command.id)).toEqual({ ...command, ...outcome });
      });

      it('may end in the step that applied them', async () => {
        const outcome = succeeded(command, {
          status: 'failed',
          errorCode: 'not_plugged',
          error: 'no EV',
          result: null,
          exchanges: [],
        });
        await opened.store.commit([{ chargerId: idOf(1), memory: 'after', outcomes: [outcome] }]);
        const found = await commandOf(command.id);
        expect(found).toMatchObject({
          status: 'failed',
          errorCode: 'not_plugged',
          error: 'no EV',
          result: null,
          exchanges: [],
        });
        expect([found?.startedAtMs, found?.finishedAtMs]).toEqual([outcome.startedAtMs, outcome.finishedAtMs]);
      });

      it('never change once they have ended', async () => {
        await opened.store.commit([{ chargerId: idOf(1), outcomes: [succeeded(command)] }]);
        const ended = await commandOf(command.id);
        await opened.store.commit([applied]);
        await opened.store.commit([
          { chargerId: idOf(1), outcomes: [succeeded(command, { status: 'failed', error: 'late' })] },
        ]);
        await opened.store.interrupt([idOf(1)], 99);
        expect(await commandOf(command.id)).toEqual(ended);
      });

      it('that a crash interrupted while they awaited an answer fail, those of other chargers and those still queued do not', async () => {
        const elsewhere = queuedCommand(2, { chargerId: idOf(2) });
        const later = queuedCommand(3);
        await opened.queue.enqueue([elsewhere, later]);
        await opened.store.commit([
          applied,
          { chargerId: idOf(2), applied: [{ commandId: elsewhere.id, startedAtMs: 60 }] },
        ]);
        await opened.store.interrupt([idOf(1), 'nobody'], 70);
        expect(await commandOf(command.id)).toMatchObject({
          status: 'failed',
          errorCode: 'interrupted',
          error: 'interrupted by a restart',
          startedAtMs: 50,
          finishedAtMs: 70,
        });
        expect((await commandOf(elsewhere.id))?.status).toBe('running');
        expect((await commandOf(later.id))?.status).toBe('queued');
        expect(await opened.queue.pending([idOf(1)])).toEqual([later]);
      });

      it('of thousands of chargers are interrupted in one call', async () => {
        const others = queuedCommands(100, 1_500).map((one, index) => ({ ...one, chargerId: idOf(100 + index) }));
        await opened.store.createChargers(chargerRecords(100, 1_500));
        await opened.queue.enqueue(others);
        await opened.store.commit(
          others.map(({ id, chargerId }) => ({ chargerId, applied: [{ commandId: id, startedAtMs: 1 }] })),
        );
        await opened.store.interrupt(
          others.map(({ chargerId }) => chargerId),
          2,
        );
        const states = await Promise.all(others.map(({ id }) => commandOf(id)));
        expect(states.every((state) => state?.errorCode === 'interrupted')).toBe(true);
      });

      it('that nobody enqueued are unknown', async () => {
        expect(await commandOf('nobody')).toBeNull();
        await opened.store.commit([{ chargerId: idOf(1), outcomes: [succeeded(queuedCommand(99))] }]);
        expect(await commandOf(queuedCommand(99).id)).toBeNull();
      });
    });

    describe('counters', () => {
      it('count from 1, each name for itself', async () => {
        expect(await opened.store.reserveNumbers('a', 3)).toBe(1);
        expect(await opened.store.reserveNumbers('a', 1)).toBe(4);
        expect(await opened.store.reserveNumbers('b', 1)).toBe(1);
      });

      it('never give a number twice, be it to calls at the same time or over restarts', async () => {
        const given: number[] = [];
        for (let life = 0; life < 3; life += 1) {
          const calls = Array.from({ length: 40 }, async (_, index) => {
            const count = 1 + (index % 3);
            const from = await opened.store.reserveNumbers('a', count);
            for (let offset = 0; offset < count; offset += 1) given.push(from + offset);
          });
          await Promise.all(calls);
          await reopen();
        }
        expect(new Set(given).size).toBe(given.length);
        expect(Math.min(...given)).toBe(1);
      });
    });
  });
}
