// Runs the feed's contract over NATS, and looks at what it is for several processes and for a server that is killed.

import { afterAll, afterEach, describe, expect, inject, it } from 'vitest';
import { SystemClock } from '../../src/adapters/clock/system.ts';
import { type NatsFeed, type NatsFeedOptions, openNatsFeed } from '../../src/adapters/feed/nats.ts';
import type { NatsOptions } from '../../src/adapters/nats/connection.ts';
import { openServices } from '../../tools/services.mjs';
import { describeFeed, events, everythingAfter, numbersIn } from './feed-contract.ts';
import { natsUrl, newPrefix, openNats, until } from './nats-connection.ts';

const clock = new SystemClock();
const numbers = (from: number, count: number) => events(from, count).map(({ data }) => data['number']);

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

async function openFeed(
  prefix: string,
  options: Partial<NatsFeedOptions> = {},
  connection: Partial<NatsOptions> = {},
): Promise<NatsFeed> {
  const nats = await openNats(prefix, connection);
  const feed = await openNatsFeed({ nats, clock, ...options });
  undo.push(async () => {
    await feed.close();
    await nats.close();
  });
  return feed;
}

describe.skipIf(natsUrl === null)('over NATS', () => {
  const keep = 100;
  describeFeed('NATS', async () => {
    const nats = await openNats(newPrefix());
    const feed = await openNatsFeed({ nats, clock, keep, recent: 16 });
    return {
      feed,
      keeps: keep,
      settled: async () => void (await feed.newest()),
      remove: () => nats.close(),
    };
  });

  it('is the same in every process: one order, the same ids, whoever published', async () => {
    const prefix = newPrefix();
    const [a, b, c] = (await Promise.all([1, 2, 3].map(() => openFeed(prefix)))) as [NatsFeed, NatsFeed, NatsFeed];
    const start = await c.newest();
    for (let from = 0; from < 1_000; from += 50) {
      a.publish(events(from, 25));
      b.publish(events(10_000 + from, 25));
    }
    await Promise.all([a.newest(), b.newest()]);
    const pages = await Promise.all([a, b, c].map((feed) => everythingAfter(feed, start, 300)));
    expect(pages[2]?.read).toHaveLength(1_000);
    expect(pages[1]).toEqual(pages[2]);
    expect(pages[0]).toEqual(pages[2]);
    const ids = pages[2]?.read.map(({ id }) => id) ?? [];
    expect(ids.toSorted()).toEqual(ids);
    expect(numbersIn(pages[0]?.read ?? []).filter((number) => Number(number) < 10_000)).toEqual(
      Array.from({ length: 20 }, (_, index) => numbers(index * 50, 25)).flat(),
    );
  });

  it('tells a process of what others publish', async () => {
    const prefix = newPrefix();
    const [writer, reader] = (await Promise.all([1, 2].map(() => openFeed(prefix)))) as [NatsFeed, NatsFeed];
    let calls = 0;
    const start = await reader.newest();
    reader.subscribe(() => void calls++);
    writer.publish(events(1, 3));
    await until(() => calls > 0);
    await until(async () => (await reader.read(start, 10)).events.length === 3);
  });

  it('goes on in a process that comes later, with what is kept of the time before', async () => {
    const prefix = newPrefix();
    const first = await openFeed(prefix);
    const start = await first.newest();
    first.publish(events(1, 300));
    await first.newest();
    const later = await openFeed(prefix);
    const { read, missed } = await everythingAfter(later, start, 70);
    expect(numbersIn(read)).toEqual(numbers(1, 300));
    expect(missed).toBe(0);
  });

  it('keeps an event that is larger than any message, without its data', async () => {
    const feed = await openFeed(newPrefix());
    const [event] = events(1, 1);
    if (event === undefined) throw new Error('one event');
    feed.publish([{ ...event, data: { text: 'x'.repeat(2_000_000) } }, ...events(2, 1)]);
    const { events: read } = await feed.read('', 10);
    expect(read.map(({ data }) => data)).toMatchObject([{}, { number: 2 }]);
  });

  it('tells one who comes back from a stream that was deleted that there is nothing of it', async () => {
    const prefix = newPrefix();
    const feed = await openFeed(prefix);
    feed.publish(events(1, 5));
    const newest = await feed.newest();
    const nats = await openNats(prefix);
    const { streams } = await nats.manager();
    await streams.delete(`${prefix}-events`);
    await nats.close();
    // Lives are told apart by seconds.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const other = await openFeed(prefix);
    other.publish(events(6, 1));
    expect(await other.read(newest, 10)).toMatchObject({ missed: true, events: [{ data: { number: 6 } }] });
    expect((await other.newest()) > newest).toBe(true);
    await until(async () => (await feed.read(newest, 10)).events.length === 1);
  });
});

describe.skipIf(!inject('canStartNats'))('a feed whose NATS is killed', () => {
  const services = openServices();
  afterAll(() => services.close());

  it('keeps what was published meanwhile, in order and once, and gives what it has in memory', async () => {
    const server = await services.startNats();
    const prefix = newPrefix(server.url);
    const [feed, reader] = (await Promise.all([1, 2].map(() => openFeed(prefix, {}, server)))) as [NatsFeed, NatsFeed];
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
    const feed = await openFeed(newPrefix(server.url), { onTrouble: (error) => troubles.push(error) }, server);
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
