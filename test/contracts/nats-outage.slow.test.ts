// Kills the server under everything that runs over NATS, and looks whether it keeps its promises and comes back.

import { afterAll, afterEach, describe, expect, inject, it } from 'vitest';
import { NatsAsk } from '../../src/adapters/ask/nats.ts';
import { NatsAnswers } from '../../src/adapters/ask/nats-answers.ts';
import { SystemClock } from '../../src/adapters/clock/system.ts';
import { type NatsFeed, type NatsFeedOptions, openNatsFeed } from '../../src/adapters/feed/nats.ts';
import { natsLease } from '../../src/adapters/lease/nats.ts';
import { connectNats, type Nats } from '../../src/adapters/nats/connection.ts';
import { openNatsQueue } from '../../src/adapters/queue/nats.ts';
import { isFailure } from '../../src/errors.ts';
import type { Ask } from '../../src/ports/ask.ts';
import { partitionCount, type Tenure } from '../../src/ports/partition.ts';
import type { QueueItem } from '../../src/ports/queue.ts';
import { openServices, type Server } from '../../tools/services.mjs';
import { events, everythingAfter, numbersIn } from './feed-contract.ts';
import { Epochs } from './lease-contract.ts';
import { newPrefix, openNats, until } from './nats-connection.ts';
import { openPostgres, serverUrl } from './store-postgres.ts';
import { chargerRecords, failureOf, idOf, queuedCommands } from './store-samples.ts';

const clock = new SystemClock();
const everything = Array.from({ length: partitionCount }, (_, partition) => ({ partition, epoch: 1 }));
const numbers = (from: number, count: number) => events(from, count).map(({ data }) => data['number']);

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

describe.skipIf(!inject('canStartNats'))('when NATS is killed', () => {
  const services = openServices();
  afterAll(() => services.close());

  async function connected(server: Server, prefix: string): Promise<Nats> {
    const nats = await openNats(prefix, { url: server.url });
    undo.push(() => nats.close());
    return nats;
  }

  async function openFeed(server: Server, prefix: string, options: Partial<NatsFeedOptions> = {}): Promise<NatsFeed> {
    const feed = await openNatsFeed({ nats: await connected(server, prefix), clock, ...options });
    undo.push(() => feed.close());
    return feed;
  }

  describe('connecting', () => {
    it('says in the product’s words that nobody is there, and that it is refused, without the password', async () => {
      const server = await services.startNats();
      const wrong = new URL(server.url);
      wrong.password = 'secret-guess';
      const refused = await failureOf(connectNats({ url: wrong.href, name: 'test' }));
      expect(isFailure(refused, 'broker_failed')).toBe(true);
      expect(String(refused)).not.toContain('secret-guess');
      await server.kill();
      const failure = await failureOf(connectNats({ url: server.url, name: 'test', patienceMs: 300 }));
      expect(isFailure(failure, 'broker_unreachable')).toBe(true);
    });

    it('waits for a server that comes a moment later', async () => {
      const server = await services.startNats();
      await server.kill();
      const connecting = connectNats({ url: server.url, name: 'test' });
      await server.restart();
      await (await connecting).close();
    });
  });

  describe('a lease', () => {
    const limits = { renewEveryMs: 250, retryAfterMs: 100, lostAfterMs: 1_200, goneAfterMs: 1_500 };
    function owner(nats: Nats, partitions: Epochs) {
      const held = new Map<number, Tenure>();
      const seen = { losses: 0 };
      const lease = natsLease({ nats, partitions, clock, limits });
      const forget = (tenures: readonly Tenure[]) => {
        for (const { partition } of tenures) held.delete(partition);
      };
      const membership = lease.join('w', {
        acquired: (tenures) => {
          for (const tenure of tenures) held.set(tenure.partition, tenure);
        },
        release: async (tenure) => forget([tenure]),
        lost: (tenures) => {
          seen.losses += tenures.length;
          forget(tenures);
        },
      });
      return { held, seen, membership };
    }

    it('is lost when the server stays away, and comes back with it, also with one that has forgotten everything', async () => {
      const server = await services.startNats();
      const prefix = newPrefix(server.url);
      const [one, other] = (await Promise.all([1, 2].map(() => connected(server, prefix)))) as [Nats, Nats];
      const epochs = new Epochs();
      const [a, b] = [owner(one, epochs), owner(other, epochs)];
      const isShared = () => a.held.size === 128 && b.held.size === 128;
      await until(isShared);
      for (let round = 1; round <= 2; round += 1) {
        await server.kill();
        await until(() => a.held.size + b.held.size === 0);
        await server.restart();
        await until(isShared);
      }
      expect([...a.held.values(), ...b.held.values()].every(({ epoch }) => epoch > 2)).toBe(true);
      const { streams } = await one.manager();
      for (const { config } of await streams.list().next()) await streams.delete(config.name);
      const before = a.seen.losses + b.seen.losses;
      await until(() => a.seen.losses + b.seen.losses > before);
      await until(isShared);
      await Promise.all([a.membership.leave(), b.membership.leave()]);
    });
  });

  describe('a feed', () => {
    it('keeps what was published meanwhile, in order and once, and gives what it has in memory', async () => {
      const server = await services.startNats();
      const prefix = newPrefix(server.url);
      const [feed, reader] = (await Promise.all([1, 2].map(() => openFeed(server, prefix)))) as [NatsFeed, NatsFeed];
      const start = await reader.newest();
      let published = 0;
      const publish = (count: number) => {
        feed.publish(events(published + 1, count));
        published += count;
      };
      for (let round = 0; round < 3; round += 1) {
        publish(700);
        await until(async () => (await everythingAfter(reader, start, 5_000)).read.length === published);
        publish(300);
        await server.kill();
        publish(500);
        expect((await reader.read(start, 10)).events).toHaveLength(10);
        await server.restart();
        publish(5);
        await until(async () => (await everythingAfter(reader, start, 5_000)).read.length >= published);
      }
      const { read, missed } = await everythingAfter(reader, start, 5_000);
      expect(numbersIn(read)).toEqual(numbers(1, published));
      expect(missed).toBe(0);
    });

    it('forgets the oldest of what waits when the server stays away for too long, and says so', async () => {
      const server = await services.startNats();
      const troubles: unknown[] = [];
      const feed = await openFeed(server, newPrefix(server.url), { onTrouble: (error) => troubles.push(error) });
      const start = await feed.newest();
      await server.kill();
      for (let from = 1; from <= 120_000; from += 1_000) feed.publish(events(from, 1_000));
      await server.restart();
      await until(async () => (await feed.read(start, 1)).events.length > 0);
      await feed.newest();
      const { read } = await everythingAfter(feed, start, 10_000);
      expect(read.length).toBeGreaterThanOrEqual(50_000);
      expect(read.length).toBeLessThan(60_000);
      expect(read.at(-1)?.data['number']).toBe(120_000);
      expect(troubles.length).toBeGreaterThan(0);
    });
  });

  describe.skipIf(serverUrl === null)('a queue', () => {
    it('goes on: commands are accepted and found by looking, refreshes are told when it is back, each command once', async () => {
      const server = await services.startNats();
      const prefix = newPrefix(server.url);
      const postgres = await openPostgres();
      undo.push(() => postgres.close());
      const { store } = postgres;
      const queues = await Promise.all(
        [1, 2].map(async () => {
          const nats = await connected(server, prefix);
          const queue = await openNatsQueue({ nats, table: store, clock, lookEveryMs: 500 });
          undo.push(async () => queue.stop());
          return queue;
        }),
      );
      const [front, owner] = queues as [(typeof queues)[0], (typeof queues)[0]];
      const items: QueueItem[] = [];
      owner.subscribe((some) => items.push(...some));
      const commandIds = () => items.flatMap((item) => (item.kind === 'command' ? [item.command.id] : []));
      await store.createChargers(chargerRecords(0, 10));
      await owner.open(everything);
      const accepted: string[] = [];
      const accept = async (from: number) => {
        const commands = queuedCommands(from, 30).map((command, index) => ({
          ...command,
          chargerId: idOf(index % 10),
        }));
        await front.enqueue(commands);
        accepted.push(...commands.map(({ id }) => id));
        return commands;
      };
      for (let round = 1; round <= 2; round += 1) {
        const commands = await accept(round * 1_000);
        await server.kill();
        await accept(round * 1_000 + 100);
        await front.refresh([idOf(3)]);
        await until(() => commandIds().length === accepted.length);
        await store.commit(
          commands.map(({ id, chargerId }) => ({ chargerId, applied: [{ commandId: id, startedAtMs: 1 }] })),
        );
        owner.settled(commands.map(({ id }) => id));
        await server.restart();
        await accept(round * 1_000 + 200);
        await until(() => items.filter(({ kind }) => kind === 'refresh').length === round);
        await until(() => commandIds().length === accepted.length);
      }
      expect(commandIds().toSorted()).toEqual(accepted.toSorted());
      expect(items.filter(({ kind }) => kind === 'refresh')).toEqual(
        Array(2).fill({ kind: 'refresh', chargerId: idOf(3) }),
      );
      await server.kill();
      owner.close(everything);
      await owner.open(everything);
      await until(() => commandIds().length > accepted.length);
    });
  });

  describe('a question', () => {
    it('waits for it to come back, and fails as no_answer when it stays away', async () => {
      const server = await services.startNats();
      const prefix = newPrefix(server.url);
      const [near, far] = (await Promise.all([1, 2].map(() => connected(server, prefix)))) as [Nats, Nats];
      const fleet = { ask: async () => 'here' } as unknown as Ask;
      const answers = new NatsAnswers({ nats: far, fleet });
      answers.open(everything);
      await far.flush();
      const ask = new NatsAsk({ nats: near, clock });
      expect(await ask.ask(idOf(1), { kind: 'live' })).toBe('here');
      await server.kill();
      await until(() => !near.isConnected);
      await expect(ask.ask(idOf(1), { kind: 'live' }, 300)).rejects.toMatchObject({ code: 'no_answer' });
      expect((await ask.census()).processes).toEqual({ alive: 0, expected: 1 });
      const waiting = ask.ask(idOf(1), { kind: 'live' }, 20_000);
      await server.restart();
      expect(await waiting).toBe('here');
      answers.stop();
      ask.stop();
    });
  });
});
