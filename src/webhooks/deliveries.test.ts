// Checks that webhooks get every event, in order per charger, through outages, restarts and changes of mind.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Receiver } from '../../test/webhook-receiver.ts';
import { SystemClock } from '../adapters/clock/system.ts';
import { VirtualClock } from '../adapters/clock/virtual.ts';
import { MemoryFeed } from '../adapters/feed/memory.ts';
import { openSqliteStore, type SqliteStore } from '../adapters/store/sqlite.ts';
import { HttpCourier } from '../adapters/webhooks/http.ts';
import type { NewFleetEvent } from '../ports/feed.ts';
import type { WebhookRecord } from '../ports/store.ts';
import { Deliveries } from './deliveries.ts';
import { newProgress } from './progress.ts';

const secret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDUCLKPd1zF+Q=';
const dayMs = 86_400_000;
/** The machine may be busy. */
const patiently = { timeout: 9_000 };

const event = (number: number, changes: Partial<NewFleetEvent> = {}): NewFleetEvent => ({
  org: 'acme',
  type: 'connector.status_changed',
  atMs: 1_760_000_000_000 + number,
  chargerId: 'c-0',
  identity: 'CP-0',
  locationId: null,
  data: { number },
  ...changes,
});
/** Numbered within each charger, which take turns. */
const eventsOf = (chargers: number, count: number, from = 1): NewFleetEvent[] =>
  Array.from({ length: count }, (_, index) => event(from + index)).flatMap((each) =>
    Array.from({ length: chargers }, (_, charger) => ({ ...each, chargerId: `c-${charger}` })),
  );
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

describe('deliveries', () => {
  let clock: VirtualClock;
  let store: SqliteStore;
  let feed: MemoryFeed;
  let receiver: Receiver;
  let deliveries: Deliveries;
  let complaints: string[];

  const open = (): Deliveries =>
    new Deliveries({
      store,
      feed,
      clock,
      // Its patience with receivers is of the real time, which they take.
      courier: new HttpCourier({ clock: new SystemClock(), allowPrivate: true, userAgent: 'test' }),
      chance: () => 1,
      disableAfterMs: dayMs,
      complain: (_, sentence) => complaints.push(sentence),
    });

  beforeEach(async () => {
    // Signatures are good for five minutes of the receiver's own time.
    clock = new VirtualClock(Date.now());
    store = await openSqliteStore({ path: ':memory:' });
    feed = new MemoryFeed({ epoch: 1, keep: 500 });
    receiver = await new Receiver().start();
    receiver.secret = secret;
    complaints = [];
    deliveries = open();
  });
  afterEach(async () => {
    await receiver.stop();
    await deliveries.stop();
    await store.close();
  });

  async function create(changes: Partial<WebhookRecord> = {}): Promise<WebhookRecord> {
    const record: WebhookRecord = {
      id: 'w-1',
      org: 'acme',
      url: receiver.url,
      types: [],
      chargerId: null,
      locationId: null,
      secret,
      createdAtMs: 1,
      progress: newProgress(await feed.newest()),
      ...changes,
    };
    await store.createWebhook(record);
    deliveries.add(record);
    return record;
  }
  const progressOf = async (id = 'w-1') => (await store.webhook('acme', id))?.progress;
  /** What is kept once a second is kept now. */
  const kept = async (id = 'w-1') => {
    clock.advance(1_000);
    await store.ping();
    return progressOf(id);
  };
  /** Until everything counts as delivered. */
  const untilDone = async (id = 'w-1') => {
    const newest = await feed.newest();
    await vi.waitUntil(async () => (await kept(id))?.after === newest, patiently);
    return progressOf(id);
  };
  const untilReceived = (count: number) => vi.waitUntil(() => receiver.received.length >= count, patiently);
  /** Long enough for something to come that should not. */
  const quietly = () => new Promise((resolve) => setTimeout(resolve, 50));
  /** Moves the clock on until it holds, a second at a time, with room for what happens in between. */
  const asTimePasses = async (holds: () => boolean, stepMs = 1_000) => {
    for (let steps = 0; !holds(); steps += 1) {
      if (steps > 3_000) throw new Error('waited in vain');
      clock.advance(stepMs);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };

  it('bring every event, whole and signed, each charger’s in order', async () => {
    await create();
    feed.publish(eventsOf(40, 8));
    await untilReceived(320);
    expect(receiver.numbersByCharger()).toEqual(
      Object.fromEntries(Array.from({ length: 40 }, (_, charger) => [`c-${charger}`, numbers(8)])),
    );
    expect(receiver.received.every(({ isGenuine }) => isGenuine)).toBe(true);
    expect(receiver.received.every(({ id, event: { id: inBody } }) => id === inBody)).toBe(true);
    expect(new Set(receiver.ids).size).toBe(320);
    expect(receiver.received[0]?.event).toEqual({
      id: '000001-0000000001',
      type: 'connector.status_changed',
      at: '2025-10-09T08:53:20.001Z',
      charger_id: 'c-0',
      identity: 'CP-0',
      location_id: null,
      data: { number: 1 },
    });
    expect(await untilDone()).toMatchObject({ state: 'active', failures: 0, lastError: null });
  });

  it('bring only what is new, and what was asked for', async () => {
    feed.publish([event(1)]);
    await create({ id: 'w-1', types: ['transaction.ended', 'fault.injected'] });
    await create({ id: 'w-2', chargerId: 'c-7' });
    await create({ id: 'w-3', locationId: 'l-7', types: ['fault.injected'] });
    feed.publish([
      event(2),
      event(3, { type: 'transaction.ended' }),
      event(4, { chargerId: 'c-7' }),
      event(5, { locationId: 'l-7' }),
      event(6, { locationId: 'l-7', type: 'fault.injected' }),
      event(7, { org: 'other', chargerId: 'c-7', locationId: 'l-7', type: 'fault.injected' }),
    ]);
    await untilReceived(4);
    await quietly();
    const received = receiver.received.map(({ event: { data } }) => data['number']);
    expect(received.toSorted()).toEqual([3, 4, 6, 6]);
    for (const id of ['w-1', 'w-2', 'w-3']) await untilDone(id);
  });

  it('have several chargers’ events under way, and one of each at most', async () => {
    const under_way = new Map<string, number>();
    let most = 0;
    let mostOfOne = 0;
    receiver.answer = async ({ event: { charger_id } }) => {
      under_way.set(charger_id, (under_way.get(charger_id) ?? 0) + 1);
      most = Math.max(most, [...under_way.values()].filter((count) => count > 0).length);
      mostOfOne = Math.max(mostOfOne, under_way.get(charger_id) ?? 0);
      await new Promise((resolve) => setTimeout(resolve, 3));
      under_way.set(charger_id, (under_way.get(charger_id) ?? 0) - 1);
      return 200;
    };
    await create();
    feed.publish(eventsOf(30, 5));
    await untilReceived(150);
    expect(most).toBeGreaterThan(4);
    expect(most).toBeLessThanOrEqual(16);
    expect(mostOfOne).toBe(1);
  });

  it('get everything to a receiver that was away for a minute, in order, and nothing twice', async () => {
    await create();
    feed.publish(eventsOf(10, 5));
    await untilReceived(50);
    await receiver.stop();
    const startMs = clock.nowMs();
    let from = 6;
    await asTimePasses(() => {
      if (from <= 25) feed.publish(eventsOf(10, 1, from++));
      return clock.nowMs() >= startMs + 60_000;
    });
    expect(await progressOf()).toMatchObject({ state: 'active', lastError: 'the receiver refused the connection' });
    expect((await progressOf())?.failures).toBeGreaterThan(4);
    expect((await progressOf())?.failures).toBeLessThan(10);
    await receiver.start();
    await asTimePasses(() => receiver.received.length >= 250);
    await quietly();
    expect(receiver.numbersByCharger()).toEqual(
      Object.fromEntries(Array.from({ length: 10 }, (_, charger) => [`c-${charger}`, numbers(25)])),
    );
    expect(receiver.received).toHaveLength(250);
    expect(receiver.received.every(({ isGenuine }) => isGenuine)).toBe(true);
    expect(await untilDone()).toMatchObject({ failures: 0, failingSinceMs: null });
  });

  it('wait as a whole while one fails, and then go on with that one', async () => {
    receiver.answer = ({ event: { charger_id } }) => (charger_id === 'c-1' ? 500 : 200);
    await create();
    feed.publish(eventsOf(3, 2));
    await vi.waitUntil(() => complaintsOf('c-1') === 1, patiently);
    await quietly();
    const before = receiver.received.length;
    feed.publish(eventsOf(3, 1, 3));
    await quietly();
    expect(receiver.received).toHaveLength(before);
    receiver.answer = () => 200;
    clock.advance(1_000);
    await vi.waitUntil(() => receiver.numbersByCharger()['c-1']?.length === 4, patiently);
    await untilReceived(10);
    expect(receiver.numbersByCharger()).toEqual({ 'c-0': [1, 2, 3], 'c-1': [1, 1, 2, 3], 'c-2': [1, 2, 3] });
  });
  const complaintsOf = (charger: string): number => receiver.numbersByCharger()[charger]?.length ?? 0;

  it('end when the receiver is gone for good, until somebody wants them again', async () => {
    receiver.answer = () => 410;
    await create();
    feed.publish([event(1), event(2)]);
    await untilReceived(1);
    await vi.waitUntil(() => complaints.length === 1, patiently);
    await store.ping();
    expect(await progressOf()).toMatchObject({
      state: 'disabled',
      failures: 1,
      lastError: 'the receiver answered 410',
    });
    expect(complaints).toEqual(['the webhook was disabled: the receiver answered 410']);
    feed.publish([event(3)]);
    await asTimePasses(() => clock.nowMs() > Date.now() + 600_000, 60_000);
    expect(receiver.received).toHaveLength(1);
    receiver.answer = () => 204;
    const after = receiver.ids[0] ?? '';
    expect((await deliveries.redeliver('w-1', after))?.progress).toEqual({
      ...newProgress(after),
      deliveredAtMs: null,
    });
    await untilReceived(3);
    expect(receiver.numbersByCharger()).toEqual({ 'c-0': [1, 2, 3] });
  });

  it('end after a day without a success, and not before', async () => {
    await receiver.stop();
    await create();
    const startMs = clock.nowMs();
    feed.publish([event(1)]);
    await vi.waitUntil(async () => ((await kept())?.failures ?? 0) > 0, patiently);
    await asTimePasses(() => complaints.length > 0, 240_000);
    const { state, failures = 0, failingSinceMs } = (await progressOf()) ?? {};
    expect(state).toBe('disabled');
    expect(clock.nowMs() - (failingSinceMs ?? 0)).toBeGreaterThanOrEqual(dayMs);
    expect(clock.nowMs() - startMs).toBeLessThan(dayMs + 600_000);
    expect(failures).toBeGreaterThan(100);
  });

  it('send again what is kept, also what was delivered, when somebody asks', async () => {
    await create();
    feed.publish(eventsOf(1, 10));
    await untilReceived(10);
    await deliveries.redeliver('w-1', receiver.ids[6] ?? '');
    await untilReceived(13);
    expect(receiver.numbersByCharger()).toEqual({ 'c-0': [...numbers(10), 8, 9, 10] });
    expect((await deliveries.redeliver('w-1', ''))?.progress.after).toBe('');
    await untilReceived(23);
    expect(receiver.ids.slice(13)).toEqual(receiver.ids.slice(0, 10));
    expect((await untilDone())?.lastError).toBeNull();
    expect(await deliveries.redeliver('nobody', '')).toBeNull();
  });

  it('go on after a restart where they were', async () => {
    await create();
    feed.publish(eventsOf(5, 4));
    await untilReceived(20);
    await deliveries.stop();
    feed.publish(eventsOf(5, 4, 5));
    deliveries = open();
    await deliveries.start();
    await untilReceived(40);
    await quietly();
    expect(receiver.received).toHaveLength(40);
    expect(new Set(receiver.ids).size).toBe(40);
  });

  it('repeat after a crash what was not kept yet, and lose nothing', async () => {
    await create();
    feed.publish(eventsOf(5, 4));
    await untilReceived(20);
    // Nothing has been kept: no second has passed. Another takes over from what is stored.
    const other = open();
    await other.start();
    await untilReceived(40);
    expect(new Set(receiver.ids).size).toBe(20);
    expect(Object.values(receiver.numbersByCharger())[0]).toEqual([1, 2, 3, 4, 1, 2, 3, 4]);
    await other.stop();
  });

  it('go on with the oldest event when the receiver was away for longer than the history, and say so', async () => {
    await receiver.stop();
    await create();
    feed.publish(eventsOf(1, 10));
    await vi.waitUntil(async () => ((await kept())?.failures ?? 0) > 0, patiently);
    for (let from = 11; from <= 1_500; from += 10) feed.publish(eventsOf(1, 10, from));
    await receiver.start();
    await asTimePasses(() => receiver.received.length > 0);
    await vi.waitUntil(() => receiver.received.at(-1)?.event.data['number'] === 1_500, patiently);
    expect(receiver.received.length).toBeGreaterThanOrEqual(500);
    expect(receiver.received.length).toBeLessThan(1_000);
    expect((await untilDone())?.lastError).toMatch(/^events were forgotten before they could be delivered/);
  });

  it('end with the webhook', async () => {
    await create();
    feed.publish([event(1)]);
    await untilReceived(1);
    await store.deleteWebhook('acme', 'w-1');
    deliveries.remove('w-1');
    feed.publish([event(2)]);
    await quietly();
    expect(receiver.received).toHaveLength(1);
    expect(await kept()).toBeUndefined();
  });

  it('do not wait for a receiver that never answers when everything stops', async () => {
    receiver.answer = () => null;
    await create();
    feed.publish([event(1)]);
    await untilReceived(1);
    const stopped = deliveries.stop();
    await quietly();
    clock.advance(2_000);
    await stopped;
    expect(await progressOf()).toMatchObject({ state: 'active', failures: 0, after: '000001-0000000000' });
  });

  it('to one receiver do not wait for another', async () => {
    const slow = await new Receiver().start();
    slow.answer = () => null;
    await create({ id: 'w-1', url: slow.url });
    await create({ id: 'w-2' });
    feed.publish(eventsOf(2, 50));
    await untilReceived(100);
    expect(slow.received.length).toBeLessThanOrEqual(2);
    await slow.stop();
  });
});
