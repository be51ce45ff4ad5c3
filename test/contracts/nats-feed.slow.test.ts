// Runs the feed's contract over NATS, and looks at what it is for several processes.

import { afterEach, describe, expect, it } from 'vitest';
import { SystemClock } from '../../src/adapters/clock/system.ts';
import { type NatsFeed, openNatsFeed } from '../../src/adapters/feed/nats.ts';
import { describeFeed, events, everythingAfter, numbersIn } from './feed-contract.ts';
import { natsUrl, newPrefix, openNats, until } from './nats-connection.ts';

const clock = new SystemClock();
const numbers = (from: number, count: number) => events(from, count).map(({ data }) => data['number']);

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

async function openFeed(prefix: string): Promise<NatsFeed> {
  const nats = await openNats(prefix);
  const feed = await openNatsFeed({ nats, clock });
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
    // A process hears soon of what another has published, not at once.
    for (const feed of [a, b, c])
      await until(async () => (await everythingAfter(feed, start, 300)).read.length >= 1_000);
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
    const other = await openFeed(prefix);
    other.publish(events(6, 1));
    expect(await other.read(newest, 10)).toMatchObject({ missed: true, events: [{ data: { number: 6 } }] });
    expect((await other.newest()) > newest).toBe(true);
    await until(async () => (await feed.read(newest, 10)).events.length === 1);
  });
});
