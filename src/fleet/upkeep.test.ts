// Checks that commands which wait in vain end, that old ones are forgotten, and that the events tell of it.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { record } from '../../test/fleet-world.ts';
import { VirtualClock } from '../adapters/clock/virtual.ts';
import { MemoryFeed } from '../adapters/feed/memory.ts';
import { SqliteQueue } from '../adapters/queue/sqlite.ts';
import { openSqliteStore, type SqliteStore } from '../adapters/store/sqlite.ts';
import { startUpkeep, type UpkeepParts } from './upkeep.ts';

const minuteMs = 60_000;

describe('upkeep', () => {
  let store: SqliteStore;
  let parts: UpkeepParts;
  let end: () => Promise<void>;
  const clock = new VirtualClock(1_000_000_000);
  const feed = new MemoryFeed({ epoch: 1 });
  const failures: unknown[] = [];
  beforeEach(async () => {
    store = await openSqliteStore({ path: ':memory:' });
    await store.createChargers([{ ...record('A'), desired: 'stopped', locationId: 'L' }, record('B')]);
    const onFailure = (error: unknown) => failures.push(error);
    parts = { store, feed, clock, commandExpiryMs: minuteMs, commandMaxAgeMs: 10 * minuteMs, onFailure };
    end = startUpkeep(parts);
  });
  afterEach(async () => {
    await end();
    await store.close();
  });

  const accept = (id: string, identity: string) =>
    new SqliteQueue(store).enqueue([
      {
        id,
        org: 'demo',
        chargerId: `id-${identity}`,
        identity,
        ocppVersion: '1.6',
        eventType: 'plug_connector',
        payload: {},
        acceptedAtMs: clock.nowMs(),
      },
    ]);
  const pass = async (ms: number) => {
    for (const untilMs = clock.nowMs() + ms; clock.nowMs() < untilMs; ) {
      clock.advance(5_000);
      for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
    }
  };
  const statusOf = async (id: string) => (await store.command('demo', id))?.status ?? null;

  it('ends what waits for a stopped charger after its time, with an event, and leaves the others', async () => {
    await accept('for A', 'A');
    await accept('for B', 'B');
    await pass(minuteMs - 5_000);
    expect(await statusOf('for A')).toBe('queued');
    await pass(10_000);
    expect(await store.command('demo', 'for A')).toMatchObject({ status: 'failed', errorCode: 'expired' });
    expect(await statusOf('for B')).toBe('queued');
    const { events } = await feed.read('', 10);
    expect(events).toMatchObject([
      {
        type: 'command.failed',
        org: 'demo',
        chargerId: 'id-A',
        identity: 'A',
        locationId: 'L',
        data: { command_id: 'for A', event_type: 'plug_connector', error_code: 'expired' },
      },
    ]);
  });

  it('forgets a command some time after it has ended', async () => {
    await accept('for A', 'A');
    await pass(5 * minuteMs);
    expect(await statusOf('for A')).toBe('failed');
    await pass(10 * minuteMs);
    expect(await statusOf('for A')).toBeNull();
  });

  it('goes on after a failure, and says so', async () => {
    await store.close();
    await pass(minuteMs);
    expect(failures.length).toBeGreaterThan(1);
    store = await openSqliteStore({ path: ':memory:' });
  });
});
