// What every queue promises: run this suite on each adapter.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isFailure } from '../../src/errors.ts';
import { partitionCount, partitionOf } from '../../src/ports/partition.ts';
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

const tenures = Array.from({ length: partitionCount }, (_, partition) => ({ partition, epoch: 1 }));

export function describeQueue(name: string, open: () => Promise<Opened>): void {
  describe(`the queue (${name})`, () => {
    let opened: Opened;
    let batches: (readonly QueueItem[])[];
    const subscribe = async () => {
      opened.queue.subscribe((items) => batches.push(items));
      await opened.queue.open(tenures);
    };
    const reopen = async () => {
      opened = await opened.reopen();
    };
    const taken = () =>
      batches.flat().map((item) => (item.kind === 'command' ? item.command.id : `refresh ${item.chargerId}`));
    /** What is on its way may take a moment; what must not come has had one then too. */
    const expectTaken = async (expected: readonly string[]) => {
      await expect.poll(() => taken().length, { timeout: 20_000 }).toBeGreaterThanOrEqual(expected.length);
      expect(taken()).toEqual(expected);
    };
    beforeEach(async () => {
      opened = await open();
      batches = [];
    });
    afterEach(async () => {
      await opened.close();
    });

    it('hands a command to the subscriber, whole, and has it in the store when it says that it is accepted', async () => {
      await subscribe();
      const command = queuedCommand(1);
      await opened.queue.enqueue([command]);
      expect((await opened.store.command('acme', command.id))?.status).toBe('queued');
      await expectTaken([command.id]);
      expect(batches).toEqual([[{ kind: 'command', command }]]);
    });

    it('hands nothing over before it is durable', async () => {
      const readable: Promise<unknown>[] = [];
      opened.queue.subscribe((items) => {
        for (const item of items)
          if (item.kind === 'command') readable.push(opened.store.command('acme', item.command.id));
      });
      await opened.queue.open(tenures);
      await Promise.all([opened.queue.enqueue(queuedCommands(1, 3)), opened.queue.enqueue(queuedCommands(100, 200))]);
      await expect.poll(() => readable.length, { timeout: 20_000 }).toBe(203);
      const states = await Promise.all(readable);
      expect(states).toHaveLength(203);
      expect(states.every((state) => state !== null)).toBe(true);
    });

    it('hands over in the order of the calls, though they do not wait for each other', async () => {
      await subscribe();
      const calls = Array.from({ length: 40 }, (_, index) => queuedCommands(index * 1_000, index % 5 === 0 ? 300 : 2));
      await Promise.all(calls.map((commands) => opened.queue.enqueue(commands)));
      await expectTaken(calls.flat().map(({ id }) => id));
    });

    it('keeps a refresh behind the commands enqueued before and ahead of those enqueued after', async () => {
      await subscribe();
      await opened.queue.enqueue(queuedCommands(1, 200));
      await opened.queue.refresh([idOf(1)]);
      await opened.queue.enqueue(queuedCommands(500, 1));
      await opened.queue.refresh([idOf(1)]);
      expect(taken()).toEqual([
        ...queuedCommands(1, 200).map(({ id }) => id),
        `refresh ${idOf(1)}`,
        queuedCommand(500).id,
        `refresh ${idOf(1)}`,
      ]);
    });

    it('hands over each command once, whatever becomes of it', async () => {
      await opened.store.createChargers(chargerRecords(1, 40));
      await subscribe();
      const accepted = queuedCommands(1, 400).map((command, index) => ({
        ...command,
        chargerId: idOf(1 + (index % 40)),
      }));
      for (let at = 0; at < accepted.length; at += 50) {
        const some = accepted.slice(at, at + 50);
        await opened.queue.enqueue(some);
        await opened.queue.refresh([...new Set(some.map(({ chargerId }) => chargerId))]);
        // Some are applied at once, some end, some wait on.
        const [applied, ended] = [some.slice(0, 20), some.slice(20, 30)];
        await opened.store.commit([
          ...applied.map(({ id, chargerId }) => ({ chargerId, applied: [{ commandId: id, startedAtMs: 1 }] })),
          ...ended.map((command) => ({ chargerId: command.chargerId, outcomes: [succeeded(command)] })),
        ]);
        opened.queue.settled([...applied, ...ended].map(({ id }) => id));
      }
      await opened.queue.refresh([idOf(1)]);
      const commands = batches.flat().flatMap((item) => (item.kind === 'command' ? [item.command.id] : []));
      expect(commands.toSorted()).toEqual(accepted.map(({ id }) => id).toSorted());
    });

    it('brings what waits to an owner of its partition, also what was accepted before it was open', async () => {
      const accepted = [1, 2, 3].map((number) => queuedCommand(number, { chargerId: idOf(number) }));
      await subscribe();
      await opened.queue.enqueue(accepted);
      await expect.poll(() => taken().toSorted(), { timeout: 20_000 }).toEqual(accepted.map(({ id }) => id));
      const [first] = accepted.map(({ chargerId }) => ({ partition: partitionOf(chargerId), epoch: 2 }));
      if (first === undefined) throw new Error('three commands');
      opened.queue.close([first]);
      await opened.queue.open([{ ...first, epoch: 3 }]);
      await opened.queue.refresh([idOf(1)]);
      expect(taken().at(-1)).toBe(`refresh ${idOf(1)}`);
    });

    it('has handed a refresh over when it resolves', async () => {
      await subscribe();
      await opened.queue.refresh([idOf(1)]);
      expect(taken()).toEqual([`refresh ${idOf(1)}`]);
    });

    it('takes all of a call or none: one id used before, and no command of it exists or is handed over', async () => {
      await subscribe();
      await opened.queue.enqueue(queuedCommands(5, 1));
      const [refused, accepted] = await Promise.allSettled([
        opened.queue.enqueue(queuedCommands(1, 6)),
        opened.queue.enqueue(queuedCommands(10, 2)),
      ]);
      await opened.queue.refresh([idOf(1)]);
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
      await subscribe();
      await opened.queue.enqueue(queuedCommands(1, 1));
      await expectTaken([queuedCommand(1).id]);
    });

    it('hands nothing over of a call whose receipt is there already, and keeps the order of the others', async () => {
      await subscribe();
      await opened.store.keepReceipt(receipt('used'));
      const calls = await Promise.allSettled([
        opened.queue.enqueue(queuedCommands(1, 200), receipt('first')),
        opened.queue.enqueue(queuedCommands(300, 2), receipt('used')),
        opened.queue.enqueue(queuedCommands(300, 2), receipt('second')),
      ]);
      await opened.queue.refresh([idOf(1)]);
      expect(calls.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(calls[1]?.status === 'rejected' && isFailure(calls[1].reason, 'receipt_taken')).toBe(true);
      const ids = [...queuedCommands(1, 200), ...queuedCommands(300, 2)].map(({ id }) => id);
      expect(taken()).toEqual([...ids, `refresh ${idOf(1)}`]);
      expect((await opened.queue.pending([idOf(1)])).map(({ id }) => id)).toEqual(ids);
    });

    it('keeps a receipt of no commands too, and hands nothing over for it', async () => {
      await subscribe();
      await opened.queue.enqueue([], receipt('k'));
      await reopen();
      expect(await opened.store.receipt('acme', 'k')).toEqual(receipt('k'));
      expect(isFailure(await failureOf(opened.queue.enqueue([], receipt('k'))), 'receipt_taken')).toBe(true);
      expect(batches).toEqual([]);
    });

    it('takes 5 000 commands at once without holding up the event loop', async () => {
      await subscribe();
      const commands = queuedCommands(1, 5_000);
      expect(await turnsDuring(opened.queue.enqueue(commands))).toBeGreaterThan(10);
      await expectTaken(commands.map(({ id }) => id));
      await reopen();
      expect(await opened.queue.pending([idOf(1)])).toHaveLength(5_000);
    });
  });
}
