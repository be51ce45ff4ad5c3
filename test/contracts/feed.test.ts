// Runs the feed's contract on every adapter there is, and looks at what those that last leave for their next life.

import { appendFile, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SystemClock } from '../../src/adapters/clock/system.ts';
import { MemoryFeed } from '../../src/adapters/feed/memory.ts';
import { openSegmentFeed, type SegmentFeedOptions } from '../../src/adapters/feed/segments.ts';
import { describeFeed, events, everythingAfter, numbersIn } from './feed-contract.ts';

const keep = 100;
const clock = new SystemClock();
const newFolder = () => mkdtemp(join(tmpdir(), 'feed-'));

describeFeed('memory', async () => ({
  feed: new MemoryFeed({ epoch: 1, keep }),
  keeps: keep,
  settled: async () => {},
  remove: async () => {},
}));

describeFeed('segments', async () => {
  const folder = await newFolder();
  return {
    feed: await openSegmentFeed({ folder, clock, epoch: 1, keep, recent: 16 }),
    keeps: keep,
    settled: () => pause(60),
    remove: () => rm(folder, { recursive: true }),
  };
});

it('tells one who comes back from an earlier life of a feed in memory that there is nothing of it', async () => {
  const feed = new MemoryFeed({ epoch: 2 });
  feed.publish(events(1, 2));
  const { events: read, missed } = await feed.read('000001-0000000007', 10);
  expect(numbersIn(read)).toEqual([1, 2]);
  expect(missed).toBe(true);
});

describe('the feed in segments', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await newFolder();
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const open = (epoch: number, options: Partial<SegmentFeedOptions> = {}) =>
    openSegmentFeed({ folder, clock, epoch, keep: 1_000, recent: 16, ...options });
  const files = async () => (await readdir(folder)).sort();
  const lastFile = async () => join(folder, (await files()).at(-1) ?? '');

  it('keeps its history over its lives, and goes on behind it', async () => {
    for (let life = 1; life <= 3; life += 1) {
      const feed = await open(life);
      feed.publish(events(life * 1_000, 150));
      await feed.close();
    }
    const feed = await open(4);
    feed.publish(events(4_000, 2));
    const { read, missed } = await everythingAfter(feed, '');
    const lives = [1_000, 2_000, 3_000].flatMap((from) => events(from, 150));
    expect(read.map(({ id: _, ...rest }) => rest)).toEqual([...lives, ...events(4_000, 2)]);
    expect(missed).toBe(0);
    const ids = read.map(({ id }) => id);
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
    await feed.close();
  });

  it('says also in a later life that what is forgotten was missed', async () => {
    const first = await open(1, { keep: 100 });
    first.publish(events(1, 500));
    const newest = await first.newest();
    await first.close();
    const feed = await open(2, { keep: 100 });
    expect((await feed.read('000001-0000000005', 10)).missed).toBe(true);
    expect(await everythingAfter(feed, newest)).toEqual({ read: [], missed: 0 });
    expect((await feed.newest()) > newest).toBe(true);
    expect((await files()).length).toBeLessThanOrEqual(11);
    await feed.close();
  });

  it('tells of everything as missed when its files were deleted', async () => {
    const first = await open(1);
    first.publish(events(1, 5));
    const newest = await first.newest();
    await first.close();
    await rm(folder, { recursive: true });
    const feed = await open(2);
    feed.publish(events(6, 1));
    expect(await feed.read(newest, 10)).toMatchObject({ missed: true, events: [{ data: { number: 6 } }] });
    await feed.close();
  });

  it.each([
    ['half a line', async (path: string) => appendFile(path, '{"id":"000001-00000000')],
    ['a line that is no event', async (path: string) => appendFile(path, 'nonsense\n{"id":"')],
    ['zeros', async (path: string) => appendFile(path, Buffer.alloc(5_000))],
  ])('cuts %s off that a crash has left', async (_, damage) => {
    const first = await open(1);
    first.publish(events(1, 30));
    await first.close();
    await damage(await lastFile());
    const feed = await open(2);
    feed.publish(events(31, 5));
    await feed.close();
    const again = await open(3);
    const { read, missed } = await everythingAfter(again, '');
    expect(numbersIn(read)).toEqual(events(1, 35).map(({ data }) => data['number']));
    expect(missed).toBe(0);
    await again.close();
  });

  it('goes on when the end of its file is gone', async () => {
    const first = await open(1);
    first.publish(events(1, 30));
    await first.close();
    await truncate(await lastFile(), 1_000);
    const feed = await open(2);
    feed.publish(events(31, 1));
    const { read } = await everythingAfter(feed, '');
    expect(numbersIn(read).slice(0, 2)).toEqual([1, 2]);
    expect(numbersIn(read).at(-1)).toBe(31);
    await feed.close();
  });

  it('leaves other files in its folder alone', async () => {
    await writeFile(join(folder, 'notes.txt'), 'mine');
    const feed = await open(1);
    feed.publish(events(1, 3));
    await feed.close();
    expect(await files()).toEqual(['000000-0000000000.jsonl', 'notes.txt']);
  });

  it('says when the disk fails, gives what it has in memory, and tells who was too slow for that', async () => {
    const failures: unknown[] = [];
    const feed = await open(1, { onError: (error) => failures.push(error) });
    feed.publish(events(1, 10));
    await pause(60);
    // The next file cannot be made where there is no folder.
    await rm(folder, { recursive: true });
    feed.publish(events(11, 200));
    await pause(60);
    feed.publish(events(211, 200));
    await pause(60);
    expect(failures).toHaveLength(1);
    const { read, missed } = await everythingAfter(feed, '000001-000000000a');
    expect(missed).toBe(1);
    expect(numbersIn(read).at(-1)).toBe(410);
    await feed.close();
  });

  it('can be read by many while it writes', async () => {
    const feed = await open(1, { keep: 20_000 });
    const reader = async (): Promise<number> => {
      let place = '';
      for (let count = 0; ; ) {
        const page = await feed.read(place, 100);
        expect(page.missed).toBe(false);
        count += page.events.length;
        if (count === 10_000) return count;
        place = page.events.at(-1)?.id ?? place;
        if (page.events.length === 0) await pause(1);
      }
    };
    const readers = Array.from({ length: 10 }, reader);
    for (let from = 1; from <= 10_000; from += 500) {
      feed.publish(events(from, 500));
      await pause(5);
    }
    expect(await Promise.all(readers)).toEqual(Array(10).fill(10_000));
    await feed.close();
  });
});
