// Runs the queue's contract over PostgreSQL and NATS.

import { afterEach, describe, expect, it } from 'vitest';
import { SystemClock } from '../../src/adapters/clock/system.ts';
import type { Nats } from '../../src/adapters/nats/connection.ts';
import { type NatsQueue, openNatsQueue } from '../../src/adapters/queue/nats.ts';
import { partitionCount, partitionOf } from '../../src/ports/partition.ts';
import type { QueueItem } from '../../src/ports/queue.ts';
import { natsUrl, newPrefix, openNats, until } from './nats-connection.ts';
import { describeQueue } from './queue-contract.ts';
import { type OpenedPostgres, openPostgres, serverUrl } from './store-postgres.ts';
import { chargerRecords, idOf, type Opened, queuedCommand, queuedCommands } from './store-samples.ts';

const clock = new SystemClock();
const everything = Array.from({ length: partitionCount }, (_, partition) => ({ partition, epoch: 1 }));

async function openAt(prefix: string, postgres: OpenedPostgres): Promise<Opened> {
  const nats = await openNats(prefix);
  const queue = await openNatsQueue({ nats, table: postgres.store, clock, lookEveryMs: 500 });
  const end = async () => {
    queue.stop();
    await nats.close();
  };
  return {
    store: postgres.store,
    queue,
    async reopen() {
      await end();
      return openAt(prefix, (await postgres.reopen()) as OpenedPostgres);
    },
    async close() {
      await end();
      await postgres.close();
    },
  };
}

describe.skipIf(natsUrl === null || serverUrl === null)('over PostgreSQL and NATS', () => {
  describeQueue('NATS', async () => openAt(newPrefix(), await openPostgres()));

  describe('the queue of many processes', () => {
    const undo: (() => Promise<unknown>)[] = [];
    afterEach(async () => {
      for (const step of undo.splice(0).toReversed()) await step();
    });

    async function processes(count: number) {
      const postgres = await openPostgres();
      undo.push(() => postgres.close());
      const prefix = newPrefix();
      return Promise.all(Array.from({ length: count }, () => startProcess(prefix, postgres)));
    }

    async function startProcess(prefix: string, postgres: OpenedPostgres) {
      const nats = await openNats(prefix);
      const queue = await openNatsQueue({ nats, table: postgres.store, clock, lookEveryMs: 500 });
      const items: QueueItem[] = [];
      queue.subscribe((some) => items.push(...some));
      undo.push(async () => {
        queue.stop();
        await nats.close();
      });
      const commandIds = () => items.flatMap((item) => (item.kind === 'command' ? [item.command.id] : []));
      return { nats, queue, items, commandIds, store: postgres.store };
    }
    type Process = Awaited<ReturnType<typeof startProcess>>;

    const commandsTo = (chargers: number, each: number) =>
      queuedCommands(1, chargers * each).map((command, index) => ({ ...command, chargerId: idOf(index % chargers) }));
    const streamDepth = async ({ nats }: { readonly nats: Nats }) => {
      const { streams } = await nats.manager();
      return (await streams.info(`${nats.prefix}-commands`)).state.messages;
    };
    const moved = (from: NatsQueue, to: NatsQueue, tenures: typeof everything) => {
      from.close(tenures);
      return to.open(tenures.map(({ partition, epoch }) => ({ partition, epoch: epoch + 1 })));
    };

    it('brings commands and refreshes from any process to the one that owns the charger', async () => {
      const [front, a, b] = (await processes(3)) as [Process, Process, Process];
      await a.queue.open(everything.filter(({ partition }) => partition % 2 === 0));
      await b.queue.open(everything.filter(({ partition }) => partition % 2 === 1));
      const commands = commandsTo(50, 4);
      await front.queue.enqueue(commands);
      await until(() => a.commandIds().length + b.commandIds().length === commands.length);
      await front.queue.refresh(commands.map(({ chargerId }) => chargerId));
      for (const [number, { items }] of [a, b].entries()) {
        for (const item of items) {
          const chargerId = item.kind === 'command' ? item.command.chargerId : item.chargerId;
          expect(partitionOf(chargerId) % 2).toBe(number);
        }
      }
      for (const [charger] of Array(50).entries()) {
        const own = commands.filter(({ chargerId }) => chargerId === idOf(charger)).map(({ id }) => id);
        const owner = partitionOf(idOf(charger)) % 2 === 0 ? a : b;
        expect(owner.commandIds().filter((id) => own.includes(id))).toEqual(own);
      }
      expect(front.items).toEqual([]);
    });

    it('keeps nothing in the stream of what is settled', async () => {
      const [front, owner] = (await processes(2)) as [Process, Process];
      await owner.store.createChargers(chargerRecords(0, 20));
      await owner.queue.open(everything);
      const commands = commandsTo(20, 10);
      await front.queue.enqueue(commands);
      await until(() => owner.commandIds().length === commands.length);
      await until(async () => (await streamDepth(front)) === commands.length);
      await owner.store.commit(
        commands.map(({ id, chargerId }) => ({ chargerId, applied: [{ commandId: id, startedAtMs: 1 }] })),
      );
      owner.queue.settled(commands.map(({ id }) => id));
      await until(async () => (await streamDepth(front)) === 0);
    });

    it('gives a new owner what the former one had in hand and did not apply, and nothing else', async () => {
      const [a, b] = (await processes(2)) as [Process, Process];
      await a.store.createChargers(chargerRecords(0, 20));
      await a.queue.open(everything);
      const commands = commandsTo(20, 10);
      await b.queue.enqueue(commands);
      await until(() => a.commandIds().length === commands.length);
      const applied = commands.slice(0, 150);
      await a.store.commit(
        applied.map(({ id, chargerId }) => ({ chargerId, applied: [{ commandId: id, startedAtMs: 1 }] })),
      );
      await moved(a.queue, b.queue, everything);
      const left = commands.slice(150).map(({ id }) => id);
      await until(() => b.commandIds().length === left.length);
      expect(b.commandIds().toSorted()).toEqual(left.toSorted());
      await a.queue.enqueue([queuedCommand(5_000)]);
      await until(() => b.commandIds().includes(queuedCommand(5_000).id));
      expect(a.commandIds()).toHaveLength(commands.length);
    });

    it('finds what no word came of by looking, in the order of acceptance', async () => {
      const [owner] = (await processes(1)) as [Process];
      await owner.queue.open(everything);
      const commands = commandsTo(3, 5);
      // As a process does that cannot reach NATS.
      await owner.store.enqueueCommands(commands);
      await until(() => owner.commandIds().length === commands.length);
      expect(owner.commandIds()).toEqual(commands.map(({ id }) => id));
    });

    it('does not let a later command overtake one that no word came of', async () => {
      const [owner] = (await processes(1)) as [Process];
      await owner.queue.open(everything);
      await owner.store.enqueueCommands([queuedCommand(1)]);
      await owner.queue.enqueue([queuedCommand(2)]);
      await until(() => owner.commandIds().length === 2);
      expect(owner.commandIds()).toEqual([queuedCommand(1).id, queuedCommand(2).id]);
    });

    it('lets a stream that was deleted come back', async () => {
      const [front, owner] = (await processes(2)) as [Process, Process];
      await owner.queue.open(everything);
      await front.queue.enqueue([queuedCommand(1)]);
      await until(() => owner.commandIds().length === 1);
      const { streams } = await front.nats.manager();
      await streams.delete(`${front.nats.prefix}-commands`);
      await front.queue.enqueue([queuedCommand(2)]);
      await until(() => owner.commandIds().length === 2);
      await until(() =>
        streams.info(`${front.nats.prefix}-commands`).then(
          ({ state }) => state.consumer_count === partitionCount,
          () => false,
        ),
      );
    });

    it('says of a refresh that nobody hears that it is done, and tells the next owner who reads nothing of it', async () => {
      const [front, owner] = (await processes(2)) as [Process, Process];
      await front.queue.refresh([idOf(1)]);
      await owner.queue.open(everything);
      await until(() => owner.items.length === 1);
      expect(owner.items).toEqual([{ kind: 'refresh', chargerId: idOf(1) }]);
    });
  });
});
