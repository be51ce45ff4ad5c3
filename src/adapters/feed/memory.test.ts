// What the feed in memory does beyond its contract: ids over lives, batches, and word of failing listeners.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { FleetEvent, NewFleetEvent } from '../../ports/feed.ts';
import { MemoryFeed } from './memory.ts';

const event: NewFleetEvent = {
  org: 'acme',
  type: 'charger.connected',
  atMs: 1,
  chargerId: 'c-1',
  identity: 'CP-1',
  locationId: null,
  data: {},
};

async function idsOf(epoch: number, count: number): Promise<readonly string[]> {
  const feed = new MemoryFeed({ epoch });
  const heard: FleetEvent[] = [];
  feed.subscribe((events) => heard.push(...events));
  feed.publish(Array<NewFleetEvent>(count).fill(event));
  await nextTurn();
  return heard.map(({ id }) => id);
}

it('gives the ids of a later life after those of an earlier one, however many there were', async () => {
  const lives = [1, 2, 1_000, 1_760_000_000_000, 1_760_000_000_001, 9_999_999_999_999];
  const ids = (await Promise.all(lives.map((epoch) => idsOf(epoch, 40)))).flat();
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});

it('tells one who comes back from an earlier life all that is kept, and that it is not complete', async () => {
  const [last = ''] = (await idsOf(1_000, 3)).slice(-1);
  const feed = new MemoryFeed({ epoch: 2_000 });
  const nothingYet = feed.subscribe(() => {}, { after: last });
  expect(nothingYet.complete).toBe(false);
  feed.publish([event, event]);
  const heard: FleetEvent[] = [];
  const subscription = feed.subscribe((events) => heard.push(...events), { after: last });
  await nextTurn();
  expect(subscription.complete).toBe(false);
  expect(heard).toHaveLength(2);
});

it('tells a listener once in a turn, however often something was published in it', async () => {
  const feed = new MemoryFeed({ epoch: 1 });
  const sizes: number[] = [];
  feed.subscribe((events) => sizes.push(events.length));
  for (let times = 0; times < 10; times += 1) feed.publish([event]);
  await nextTurn();
  feed.publish([event, event]);
  await nextTurn();
  expect(sizes).toEqual([10, 2]);
});

it('says which failure cost a listener its place', async () => {
  const failures: unknown[] = [];
  const feed = new MemoryFeed({ epoch: 1, onListenerFailure: (error) => failures.push(error) });
  const bug = new Error('a bug of the listener');
  feed.subscribe(() => {
    throw bug;
  });
  feed.publish([event]);
  await nextTurn();
  expect(failures).toEqual([bug]);
});
