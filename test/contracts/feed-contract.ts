// What every feed promises: run this suite on each adapter.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Feed, FleetEvent, NewFleetEvent } from '../../src/ports/feed.ts';

export interface OpenedFeed {
  readonly feed: Feed;
  /** How many events the feed keeps for those who come back: at least this many, and less than twice as many. */
  readonly keeps: number;
  /** Resolves when what was published before is where it stays. */
  settled(): Promise<void>;
  remove(): Promise<void>;
}

const event = (number: number): NewFleetEvent => ({
  org: 'acme',
  type: 'charger.connected',
  atMs: 1_760_000_000_000 + number,
  chargerId: 'c-1',
  identity: 'CP-1',
  locationId: null,
  data: { number, nested: { text: 'ü\n"' } },
});

export const events = (from: number, count: number): NewFleetEvent[] =>
  Array.from({ length: count }, (_, index) => event(from + index));
export const numbersIn = (read: readonly FleetEvent[]) => read.map(({ data }) => data['number']);

/** Page by page, all that comes after. */
export async function everythingAfter(feed: Feed, after: string, limit = 7) {
  const read: FleetEvent[] = [];
  let missed = 0;
  for (let place = after; ; place = read.at(-1)?.id ?? '') {
    const page = await feed.read(place, limit);
    expect(page.events.length).toBeLessThanOrEqual(limit);
    if (page.events.length === 0) return { read, missed };
    missed += Number(page.missed);
    read.push(...page.events);
  }
}

/** What is too old goes by and by: until it has gone, a reader may be overtaken more than once. */
async function forgotten(feed: Feed): Promise<void> {
  const oldest = async () => (await feed.read('', 1)).events[0]?.id;
  for (let [before, quiet] = [await oldest(), 0]; quiet < 5; ) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    const now = await oldest();
    quiet = now === before ? quiet + 1 : 0;
    before = now;
  }
}

export function describeFeed(name: string, open: () => Promise<OpenedFeed>): void {
  describe(`the feed (${name})`, () => {
    let opened: OpenedFeed;
    let feed: Feed;
    beforeEach(async () => {
      opened = await open();
      feed = opened.feed;
    });
    afterEach(async () => {
      await feed.close();
      await opened.remove();
    });
    /** Time enough for whoever is to be told. */
    const told = async () => {
      await opened.settled();
      await nextTurn();
    };

    it('gives every event once, whole, in the order of publishing', async () => {
      feed.publish(events(1, 3));
      feed.publish([]);
      feed.publish(events(4, 20));
      await opened.settled();
      feed.publish(events(24, 1));
      const { read, missed } = await everythingAfter(feed, '');
      expect(read.map(({ id: _, ...rest }) => rest)).toEqual(events(1, 24));
      expect(missed).toBe(0);
    });

    it('can be read as soon as something is published', async () => {
      const { events: nothing } = await feed.read('', 10);
      expect(nothing).toEqual([]);
      feed.publish(events(1, 2));
      expect(numbersIn((await feed.read('', 10)).events)).toEqual([1, 2]);
    });

    it('gives later events greater ids', async () => {
      for (let round = 0; round < 8; round += 1) feed.publish(events(round * 10, 10));
      const ids = (await everythingAfter(feed, '')).read.map(({ id }) => id);
      expect(ids).toHaveLength(80);
      expect(ids.toSorted()).toEqual(ids);
      expect(new Set(ids).size).toBe(80);
    });

    it('says where one begins who wants only what is new', async () => {
      const first = await feed.newest();
      expect((await feed.read(first, 10)).events).toEqual([]);
      feed.publish(events(1, 3));
      expect(numbersIn((await feed.read(first, 10)).events)).toEqual([1, 2, 3]);
      const newest = await feed.newest();
      expect((await feed.read(first, 10)).events.at(-1)?.id).toBe(newest);
      expect((await feed.read(newest, 10)).events).toEqual([]);
      feed.publish(events(4, 1));
      expect(numbersIn((await feed.read(newest, 10)).events)).toEqual([4]);
    });

    it('goes on for each reader where that one was, wherever that is', async () => {
      feed.publish(events(1, 60));
      await opened.settled();
      feed.publish(events(61, 30));
      const all = (await everythingAfter(feed, '')).read;
      for (const place of [0, 1, 9, 10, 11, 58, 59, 60, 61, 88]) {
        const { read, missed } = await everythingAfter(feed, all[place]?.id ?? '', 13);
        expect(numbersIn(read)).toEqual(events(place + 2, 89 - place).map(({ data }) => data['number']));
        expect(missed).toBe(0);
      }
    });

    it('keeps as much as it says, and tells once who missed something that it goes on with the oldest', async () => {
      const first = await feed.newest();
      for (let from = 1; from <= opened.keeps * 4; from += 10) {
        feed.publish(events(from, 10));
        await opened.settled();
      }
      await forgotten(feed);
      const { read, missed } = await everythingAfter(feed, first);
      expect(missed).toBe(1);
      expect(read.length).toBeGreaterThanOrEqual(opened.keeps);
      expect(read.length).toBeLessThan(opened.keeps * 2);
      expect(numbersIn(read)).toEqual(
        events(opened.keeps * 4 - read.length + 1, read.length).map(({ data }) => data['number']),
      );
      expect((await feed.read(read[0]?.id ?? '', 10)).missed).toBe(false);
      expect((await feed.read('', 10)).missed).toBe(true);
    });

    it('loses nothing of a burst that a reader follows', async () => {
      const read: FleetEvent[] = [];
      let place = await feed.newest();
      for (let from = 1; from <= opened.keeps * 5; from += opened.keeps / 2) {
        feed.publish(events(from, opened.keeps / 2));
        const more = await everythingAfter(feed, place, 1_000);
        expect(more.missed).toBe(0);
        read.push(...more.read);
        place = read.at(-1)?.id ?? place;
      }
      expect(numbersIn(read)).toEqual(events(1, opened.keeps * 5).map(({ data }) => data['number']));
    });

    it.each(['', '-', '0', '000000-0000000000'])(
      'gives all that is kept to one who asks for what follows %j',
      async (after) => {
        feed.publish(events(1, 3));
        expect(numbersIn((await feed.read(after, 10)).events)).toEqual([1, 2, 3]);
      },
    );

    it('has nothing behind an id that is greater than all', async () => {
      feed.publish(events(1, 3));
      expect(await feed.read('zzzzzz-zzzzzzzzzz', 10)).toEqual({ events: [], missed: false });
    });

    it('tells those who want to know that there is more, once for many events, and not while it publishes', async () => {
      let calls = 0;
      let others = 0;
      const stop = feed.subscribe(() => void calls++);
      feed.subscribe(() => void others++);
      for (let times = 0; times < 50; times += 1) feed.publish(events(times, 20));
      expect(calls).toBe(0);
      await told();
      expect(calls).toBeGreaterThan(0);
      expect(calls).toBeLessThan(50);
      expect(others).toBe(calls);
      const before = calls;
      feed.publish([]);
      await told();
      expect(calls).toBe(before);
      feed.publish(events(1, 1));
      stop();
      stop();
      await told();
      expect([calls, others]).toEqual([before, before + 1]);
    });

    it('drops whoever throws when told, and the others do not notice', async () => {
      let thrown = 0;
      let calls = 0;
      feed.subscribe(() => {
        thrown += 1;
        throw new Error('a bug of the reader');
      });
      feed.subscribe(() => void calls++);
      for (let times = 0; times < 2; times += 1) {
        feed.publish(events(times, 1));
        await told();
      }
      expect([thrown, calls]).toEqual([1, 2]);
    });

    it('lets one who is told publish, subscribe and stop', async () => {
      let calls = 0;
      let nested = 0;
      const stop = feed.subscribe(() => {
        calls += 1;
        stop();
        feed.subscribe(() => void nested++);
        feed.publish(events(2, 1));
      });
      feed.publish(events(1, 1));
      for (let turn = 0; turn < 3; turn += 1) await told();
      expect([calls, nested]).toEqual([1, 1]);
    });
  });
}
