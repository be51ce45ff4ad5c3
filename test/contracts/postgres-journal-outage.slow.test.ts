// Kills the PostgreSQL server under a log and looks whether entries wait for it, come once, and are counted where they cannot.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { SystemClock } from '../../src/adapters/clock/system.ts';
import { PostgresJournal, type PostgresJournalOptions } from '../../src/adapters/journal/postgres.ts';
import { openPostgresStore } from '../../src/adapters/store/postgres.ts';
import { openServices, type Server } from '../../tools/services.mjs';
import { entryOf, numbered, readRaws } from './journal-entries.ts';
import { administer, emptying } from './store-postgres.ts';

const services = openServices();

describe.skipIf(!inject('canStartPostgres'))('a log whose PostgreSQL server is killed', () => {
  const clock = new SystemClock();
  let server: Server;
  let journals: PostgresJournal[];
  let complaints: string[];
  beforeAll(async () => {
    server = await services.startPostgres();
    await (await openPostgresStore({ url: server.url })).close();
  });
  beforeEach(() => {
    journals = [];
    complaints = [];
  });
  afterEach(async () => {
    for (const journal of journals) await journal.close();
    await administer(server.url, emptying);
  });
  afterAll(async () => {
    await services.close();
  });

  const openJournal = (given: Partial<PostgresJournalOptions> = {}): PostgresJournal => {
    const onError = (error: Error) => void complaints.push(error.message);
    const retention = { maxEntries: 1_000_000, maxAgeMs: 86_400_000 };
    const journal = new PostgresJournal({ url: server.url, clock, ...retention, onError, ...given });
    journals.push(journal);
    return journal;
  };
  const append = (journal: PostgresJournal, raws: readonly string[]): void => {
    for (const raw of raws) journal.append('charger', entryOf({ atMs: clock.nowMs(), raw }));
  };

  it('has every entry once and in order, whenever it was killed, and is told of each outage once', async () => {
    const journal = openJournal();
    let number = 0;
    const writing = setInterval(() => {
      for (let times = 0; times < 50; times += 1) append(journal, [`entry ${++number}`]);
    }, 5);
    for (let round = 0; round < 3; round += 1) {
      await journal.flush();
      await server.kill();
      // Until something had to be written meanwhile.
      await expect.poll(() => complaints.length, { timeout: 30_000 }).toBe(round + 1);
      await server.restart();
    }
    clearInterval(writing);
    await journal.flush();
    expect(journal.lost).toBe(0);
    expect(await readRaws(journal, 'charger')).toEqual(numbered(1, number).reverse());
    expect(complaints).toHaveLength(3);
  });

  it('drops and counts what does not fit while it is away, and goes on afterwards', async () => {
    const journal = openJournal({ maxWaitingBytes: 2 * 256 * 1024 });
    await journal.flush();
    await server.kill();
    append(journal, numbered(1, 100_000));
    expect(journal.lost).toBeGreaterThan(0);
    await server.restart();
    await journal.flush();
    append(journal, ['afterwards']);
    const [newest, ...older] = await readRaws(journal, 'charger');
    expect(newest).toBe('afterwards');
    expect(older).toEqual(numbered(1, 100_000 - journal.lost).reverse());
  });

  it('ends all the same when it stays away, and counts what is lost by that', async () => {
    const journal = openJournal();
    await journal.flush();
    await server.kill();
    append(journal, numbered(1, 10));
    await journal.close();
    expect(journal.lost).toBe(10);
    await server.restart();
  });
});
