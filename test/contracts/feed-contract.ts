// What every feed promises: run this suite on each adapter.

import { beforeEach, describe, expect, it } from 'vitest';
import type { Feed, FleetEvent, NewFleetEvent } from '../../src/ports/feed.ts';

export interface OpenedFeed {
  readonly feed: Feed;
  /** How many events the feed keeps for those who come back: at least this many, and less than twice as many. */
  readonly keeps: number;
  /** Resolves when everything published before has been heard by those who listen. */
  settled(): Promise<void>;
}

export function describeFeed(name: string, open: () => Promise<OpenedFeed>): void {
  describe(`the feed (${name})`, () => {
    let opened: OpenedFeed;
    let feed: Feed;
    beforeEach(async () => {
      opened = await open();
      feed = opened.feed;
    });

    const event = (number: number): NewFleetEvent => ({
      org: 'acme',
      type: 'charger.connected',
      atMs: 1_760_000_000_000 + number,
      chargerId: 'c-1',
      identity: 'CP-1',
      locationId: null,
      data: { number, nested: { text: 'ü' } },
    });
    const events = (from: number, count: number) => Array.from({ length: count }, (_, index) => event(from + index));
    const numbersIn = (heard: readonly FleetEvent[]) => heard.map(({ data }) => data['number']);
    const listen = (options?: { after?: string }) => {
      const heard: FleetEvent[] = [];
      const subscription = feed.subscribe((batch) => heard.push(...batch), options);
      return { heard, subscription };
    };

    it('tells every listener every event once, whole, in the order of publishing', async () => {
      const one = listen();
      const other = listen();
      feed.publish(events(1, 3));
      feed.publish([]);
      feed.publish(events(4, 2));
      await opened.settled();
      feed.publish(events(6, 1));
      await opened.settled();
      expect(numbersIn(one.heard)).toEqual([1, 2, 3, 4, 5, 6]);
      expect(one.heard.map(({ id: _, ...rest }) => rest)).toEqual(events(1, 6));
      expect(other.heard).toEqual(one.heard);
    });

    it('gives later events greater ids', async () => {
      const { heard } = listen();
      for (let round = 0; round < 20; round += 1) feed.publish(events(round * 10, 10));
      await opened.settled();
      const ids = heard.map(({ id }) => id);
      expect(ids).toHaveLength(200);
      expect(ids.toSorted()).toEqual(ids);
      expect(new Set(ids).size).toBe(200);
    });

    it('tells nobody while it publishes', async () => {
      const { heard } = listen();
      feed.publish(events(1, 1));
      expect(heard).toEqual([]);
      await opened.settled();
      expect(heard).toHaveLength(1);
    });

    it('tells a new listener only what is published from then on', async () => {
      feed.publish(events(1, 2));
      const { heard, subscription } = listen();
      feed.publish(events(3, 1));
      await opened.settled();
      expect(numbersIn(heard)).toEqual([3]);
      expect(subscription.complete).toBe(true);
    });

    it('tells one who comes back what it missed, then what is new, each once', async () => {
      const first = listen();
      feed.publish(events(1, 5));
      await opened.settled();
      first.subscription.stop();
      feed.publish(events(6, 5));
      await opened.settled();
      const back = listen({ after: first.heard[2]?.id ?? '' });
      feed.publish(events(11, 2));
      await opened.settled();
      feed.publish(events(13, 1));
      await opened.settled();
      expect(back.subscription.complete).toBe(true);
      expect(numbersIn(back.heard)).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
    });

    it('has nothing old for one who missed nothing', async () => {
      const { heard } = listen();
      feed.publish(events(1, 3));
      await opened.settled();
      const back = listen({ after: heard.at(-1)?.id ?? '' });
      await opened.settled();
      expect(back.subscription.complete).toBe(true);
      expect(back.heard).toEqual([]);
    });

    it('says so when history does not reach back far enough, and tells what there is', async () => {
      const { heard } = listen();
      for (let from = 1; from <= opened.keeps * 2 + 1; from += 1) {
        feed.publish(events(from, 1));
        if (from % 50 === 0) await opened.settled();
      }
      await opened.settled();
      const back = listen({ after: heard[0]?.id ?? '' });
      await opened.settled();
      expect(back.subscription.complete).toBe(false);
      expect(back.heard.length).toBeGreaterThanOrEqual(opened.keeps);
      expect(back.heard).toEqual(heard.slice(-back.heard.length));
      const near = listen({ after: heard.at(-opened.keeps)?.id ?? '' });
      await opened.settled();
      expect(near.subscription.complete).toBe(true);
      expect(near.heard).toHaveLength(opened.keeps - 1);
    });

    it.each(['', 'nonsense', '-', '0', 'zzzzzzzzzz-zzzzzzzzzz'])(
      'tells all that is kept to one who asks for what follows %j',
      async (after) => {
        feed.publish(events(1, 3));
        await opened.settled();
        const { heard, subscription } = listen({ after });
        await opened.settled();
        expect(subscription.complete).toBe(false);
        expect(numbersIn(heard)).toEqual([1, 2, 3]);
      },
    );

    it('hears every event of a burst longer than its history', async () => {
      const { heard } = listen();
      feed.publish(events(1, opened.keeps * 3));
      await opened.settled();
      expect(heard).toHaveLength(opened.keeps * 3);
    });

    it('tells nothing more to one who has stopped, even with a batch on its way', async () => {
      const { heard, subscription } = listen();
      feed.publish(events(1, 1));
      subscription.stop();
      subscription.stop();
      await opened.settled();
      feed.publish(events(2, 1));
      await opened.settled();
      expect(heard).toEqual([]);
    });

    it('removes a listener that throws, and the others do not notice', async () => {
      let thrown = 0;
      const before = listen();
      feed.subscribe(() => {
        thrown += 1;
        throw new Error('a bug of the listener');
      });
      const after = listen();
      feed.publish(events(1, 2));
      await opened.settled();
      feed.publish(events(3, 1));
      await opened.settled();
      expect(thrown).toBe(1);
      expect([numbersIn(before.heard), numbersIn(after.heard)]).toEqual([
        [1, 2, 3],
        [1, 2, 3],
      ]);
    });

    it('lets a listener publish, subscribe and stop while it listens', async () => {
      const heard: FleetEvent[] = [];
      const nested: FleetEvent[] = [];
      const subscription = feed.subscribe((batch) => {
        heard.push(...batch);
        if (numbersIn(batch).includes(1)) {
          feed.subscribe((more) => nested.push(...more));
          feed.publish(events(2, 1));
        } else {
          subscription.stop();
          feed.publish(events(3, 1));
        }
      });
      feed.publish(events(1, 1));
      for (let turn = 0; turn < 4; turn += 1) await opened.settled();
      expect(numbersIn(heard)).toEqual([1, 2]);
      expect(numbersIn(nested)).toEqual([2, 3]);
    });
  });
}
