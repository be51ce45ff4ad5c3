// A process that writes without pause and says what it was promised, until somebody kills it.

import { writeSync } from 'node:fs';
import { SqliteQueue } from '../../src/adapters/queue/sqlite.ts';
import { openSqliteStore } from '../../src/adapters/store/sqlite.ts';
import {
  chargerRecord,
  chargerRecords,
  cpoRecord,
  idOf,
  locationRecord,
  queuedCommands,
  receipt,
} from './store-samples.ts';

const [path = '', synchronous] = process.argv.slice(2);
const store = await openSqliteStore({ path, synchronous: synchronous === 'full' ? 'full' : 'normal' });
const queue = new SqliteQueue(store);

// Written at once: a line that the parent has read was promised before the kill, whatever came after.
const say = (...words: readonly (string | number)[]) => writeSync(1, `${words.join(' ')}\n`);

const kept = idOf(999_999);
await store.createChargers([chargerRecord(999_999)]);

async function enqueueEndlessly(first: number, size: number): Promise<void> {
  for (let from = first; ; from += 1_000) {
    say('asked', 'commands', from, size);
    await queue.enqueue(queuedCommands(from, size), receipt(`commands ${from}`));
    say('promised', 'commands', from, size);
  }
}

async function createEndlessly(first: number, size: number): Promise<void> {
  for (let from = first; ; from += 1_000) {
    say('asked', 'chargers', from, size);
    await store.createChargers(chargerRecords(from, size), receipt(`chargers ${from}`));
    say('promised', 'chargers', from, size);
  }
}

async function buildEndlessly(first: number, size: number): Promise<void> {
  for (let from = first; ; from += 1_000) {
    const cpo = cpoRecord(from);
    const location = locationRecord(from, { cpoId: cpo.id });
    say('asked', 'location', from, size);
    const chargers = chargerRecords(from, size, { locationId: location.id });
    await store.createLocations({ cpo, locations: [location], chargers }, receipt(`location ${from}`));
    say('promised', 'location', from, size);
  }
}

async function commitEndlessly(): Promise<void> {
  for (let step = 1; ; step += 1) {
    await store.commit([{ chargerId: kept, memory: `${step}` }]);
    say('promised', 'memory', step, 1);
  }
}

async function reserveEndlessly(): Promise<void> {
  for (;;) say('promised', 'numbers', await store.reserveNumbers('transactions', 3), 3);
}

await Promise.all([
  enqueueEndlessly(10_000_000, 1),
  enqueueEndlessly(20_000_000, 30),
  enqueueEndlessly(30_000_000, 400),
  createEndlessly(40_000_000, 1),
  createEndlessly(50_000_000, 300),
  buildEndlessly(60_000_000, 5),
  buildEndlessly(70_000_000, 200),
  commitEndlessly(),
  reserveEndlessly(),
]);
