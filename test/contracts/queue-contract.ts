// What every queue promises: run this suite on each adapter.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isFailure } from '../../src/errors.ts';
import type { QueueItem } from '../../src/ports/queue.ts';
import {
  chargerRecords,
  failureOf,
  idOf,
  type Opened,
  queuedCommand,
  queuedCommands,
  receipt,
  succeeded,
  turnsDuring,
} from './store-samples.ts';

export function describeQueue(name: string, open: () => Promise<Opened>): void {
  describe(`the queue (${name})`, () => {
    let opened: Opened;
    let batches: (readonly QueueItem[])[];
    const subscribe = () => opened.queue.subscribe((items) => batches.push(items));
    const reopen = async () => {
      opened = await opened.reopen();
    };
    const taken = () =>
      batches.flat().map((item) => (item.kind === 'command' ? item.command.id : `refresh ${item.chargerId}`));
    beforeEach(async () => {
      opened = await open();
      batches = [];
    });
    afterEach(async () => {
      await opened.close();
    });

    it('has handed a command to the subscriber, readable in the store, when it says that it is accepted', async () => {
      subscribe();
      const command = queuedCommand(1);
      await opened.queue.enqueue([command]);
      expect(batches).toEqual([[{ kind: 'command', command }]]);
      expect((await opened.store.command('acme', command.id))?.status).toBe('queued');
    });

    it('hands nothing over before it is durable', async () => {
      const readable: Promise<unknown>[] = [];
      opened.queue.subscribe((items) => {
        for (const item of items)
          if (item.kind === 'command') readable.push(opened.store.command('acme', item.command.id));
      });
      await Promise.all([opened.queue.enqueue(queuedCommands(1, 3)), opened.queue.enqueue(queuedCommands(100, 200))]);
      const states = await Promise.all(readable);
      expect(states).toHaveLength(203);
      expect(states.every((state) => state !== null)).toBe(true);
    });

    it('hands over one batch for each call, in the order of the calls, though they do not wait for each other', async () => {
      subscribe();
      const calls = Array.from({ length: 40 }, (_, index) => queuedCommands(index * 1_000, index % 5 === 0 ? 300 : 2));
      await Promise.all(calls.map((commands) => opened.queue.enqueue(commands)));
      expect(batches.map((items) => items.length)).toEqual(calls.map((commands) => commands.length));
      expect(taken()).toEqual(calls.flat().map(({ id }) => id));
    });

    it('keeps a refresh behind the commands enqueued before and ahead of those enqueued after', async () => {
      subscribe();
      await Promise.all([
        opened.queue.enqueue(queuedCommands(1, 200)),
        opened.queue.refresh([idOf(1), idOf(2)]),
        opened.queue.enqueue(queuedCommands(500, 1)),
        opened.queue.refresh([idOf(3)]),
      ]);
      expect(taken()).toEqual([
        ...queuedCommands(1, 200).map(({ id }) => id),
        `refresh ${idOf(1)}`,
        `refresh ${idOf(2)}`,
        queuedCommand(500).id,
        `refresh ${idOf(3)}`,
      ]);
    });

    it('has handed a refresh over when it resolves', async () => {
      subscribe();
      await opened.queue.refresh([idOf(1)]);
      expect(taken()).toEqual([`refresh ${idOf(1)}`]);
    });

    it('takes all of a call or none: one id used before, and no command of it exists or is handed over', async () => {
      subscribe();
      await opened.queue.enqueue(queuedCommands(5, 1));
      const [refused, accepted] = await Promise.allSettled([
        opened.queue.enqueue(queuedCommands(1, 6)),
        opened.queue.enqueue(queuedCommands(10, 2)),
        opened.queue.refresh([idOf(1)]),
      ]);
      expect([refused.status, accepted.status]).toEqual(['rejected', 'fulfilled']);
      expect(await opened.store.command('acme', queuedCommand(1).id)).toBeNull();
      const ids = [5, 10, 11].map((number) => queuedCommand(number).id);
      expect(taken()).toEqual([...ids, `refresh ${idOf(1)}`]);
      expect((await opened.queue.pending([idOf(1)])).map(({ id }) => id)).toEqual(ids);
    });

    it('tells a new owner what was accepted and not applied, oldest first, whole, over a restart', async () => {
      await opened.store.createChargers(chargerRecords(1, 3));
      const accepted = [5, 3, 9, 1, 7].map((number) => queuedCommand(number, { chargerId: idOf(1 + (number % 3)) }));
      for (const command of accepted) await opened.queue.enqueue([command]);
      const [applied, , ended] = accepted;
      if (applied === undefined || ended === undefined) throw new Error('five commands');
      await opened.store.commit([
        { chargerId: applied.chargerId, applied: [{ commandId: applied.id, startedAtMs: 1 }] },
        { chargerId: ended.chargerId, outcomes: [succeeded(ended)] },
      ]);
      await reopen();
      const left = accepted.filter((command) => command !== applied && command !== ended);
      expect(await opened.queue.pending([idOf(3), idOf(2), idOf(1)])).toEqual(left);
      expect(await opened.queue.pending([idOf(1)])).toEqual(left.filter(({ chargerId }) => chargerId === idOf(1)));
      expect(await opened.queue.pending([])).toEqual([]);
    });

    it('tells the owner of thousands of chargers in the order of acceptance over all of them', async () => {
      const accepted = queuedCommands(1, 1_700).map((command, index) => ({
        ...command,
        chargerId: idOf((index * 7_919) % 1_700),
      }));
      await opened.queue.enqueue(accepted);
      const ids = Array.from({ length: 1_700 }, (_, number) => idOf(number));
      expect((await opened.queue.pending(ids)).map(({ id }) => id)).toEqual(accepted.map(({ id }) => id));
    });

    it('forgets a refresh over a restart, because an owner reads everything anyway', async () => {
      await opened.queue.refresh([idOf(1)]);
      await reopen();
      subscribe();
      await opened.queue.enqueue(queuedCommands(1, 1));
      expect(taken()).toEqual([queuedCommand(1).id]);
    });

    it('hands nothing over of a call whose receipt is there already, and keeps the order of the others', async () => {
      subscribe();
      await opened.store.keepReceipt(receipt('used'));
      const calls = await Promise.allSettled([
        opened.queue.enqueue(queuedCommands(1, 200), receipt('first')),
        opened.queue.enqueue(queuedCommands(300, 2), receipt('used')),
        opened.queue.enqueue(queuedCommands(300, 2), receipt('second')),
        opened.queue.refresh([idOf(1)]),
      ]);
      expect(calls.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
      expect(calls[1]?.status === 'rejected' && isFailure(calls[1].reason, 'receipt_taken')).toBe(true);
      const ids = [...queuedCommands(1, 200), ...queuedCommands(300, 2)].map(({ id }) => id);
      expect(taken()).toEqual([...ids, `refresh ${idOf(1)}`]);
      expect((await opened.queue.pending([idOf(1)])).map(({ id }) => id)).toEqual(ids);
    });

    it('keeps a receipt of no commands too, and hands nothing over for it', async () => {
      subscribe();
      await opened.queue.enqueue([], receipt('k'));
      await reopen();
      expect(await opened.store.receipt('acme', 'k')).toEqual(receipt('k'));
      expect(isFailure(await failureOf(opened.queue.enqueue([], receipt('k'))), 'receipt_taken')).toBe(true);
      expect(batches).toEqual([]);
    });

    it('takes 5 000 commands at once without holding up the event loop', async () => {
      subscribe();
      const commands = queuedCommands(1, 5_000);
      expect(await turnsDuring(opened.queue.enqueue(commands))).toBeGreaterThan(10);
      expect(taken()).toEqual(commands.map(({ id }) => id));
      await reopen();
      expect(await opened.queue.pending([idOf(1)])).toHaveLength(5_000);
    });
  });
}
