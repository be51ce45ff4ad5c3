// The promises of a journal, kept by a PostgreSQL database that many processes write to, and what such a database adds to them.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '../../src/adapters/clock/virtual.ts';
import { PostgresJournal, type PostgresJournalOptions } from '../../src/adapters/journal/postgres.ts';
import { PostgresLog } from '../../src/adapters/journal/postgres-log.ts';
import { openPostgresStore } from '../../src/adapters/store/postgres.ts';
import { describeJournal, type JournalSetting, type JournalUnderTest } from './journal-contract.ts';
import { entryOf, numbered, readRaws, START_MS } from './journal-entries.ts';
import { administer, emptying, freshDatabase, serverUrl } from './store-postgres.ts';

/** So few numbers that a handful of entries begins a new part. */
const tinyParts = { partNumbers: 4, partBytes: 2 ** 30, budgetBytes: 2 ** 40 };

/** One for all tests: to bring a new one up to date takes longer than most of them. */
let url: string;

function postgres(parts: PostgresJournalOptions['parts'] = {}): JournalUnderTest {
  let setting: JournalSetting;
  const open = async () => new PostgresJournal({ url, parts, ...setting });
  return {
    open: (given) => {
      setting = given;
      return open();
    },
    reopen: async (journal) => {
      await journal.close();
      return open();
    },
    dispose: async () => void (await administer(url, emptying)),
  };
}

describe.skipIf(serverUrl === null)('with a PostgreSQL server', () => {
  beforeAll(async () => {
    url = await freshDatabase();
    await (await openPostgresStore({ url })).close();
  });

  describeJournal('a journal in PostgreSQL', async () => postgres(), 10);
  describeJournal('a journal in PostgreSQL with tiny parts', async () => postgres(tinyParts), 10);

  describe('a log that many processes share', () => {
    const retention = { maxEntries: 1_000, maxAgeMs: 60_000 };
    let clock: VirtualClock;
    let journals: PostgresJournal[];
    let log: PostgresLog;
    let child: ChildProcess | null;
    beforeEach(() => {
      clock = new VirtualClock(START_MS);
      journals = [];
      child = null;
      log = new PostgresLog({ url, clock, ...retention, connections: 1 });
    });
    afterEach(async () => {
      child?.kill('SIGKILL');
      for (const journal of journals) await journal.close();
      await log.close();
      await administer(url, emptying);
    });

    const openJournal = (given: Partial<PostgresJournalOptions> = {}): PostgresJournal => {
      const journal = new PostgresJournal({ url, clock, ...retention, ...given });
      journals.push(journal);
      return journal;
    };
    const append = (journal: PostgresJournal, raws: readonly string[], atMs = clock.nowMs()): void => {
      for (const raw of raws) journal.append('charger', entryOf({ raw, atMs }));
    };
    const parts = () => administer(url, 'SELECT first::int AS first FROM frame_log_parts ORDER BY first');
    const tables = async (): Promise<number> => {
      const rows = await administer(url, `SELECT 1 FROM pg_partition_tree('frame_log') WHERE isleaf`);
      return rows.length;
    };

    it('is whole for a reader of another process when a charger moves and comes back, whatever the clocks say', async () => {
      const [one, other] = [openJournal(), openJournal()];
      append(one, numbered(1, 3), START_MS + 500);
      await one.flush();
      append(other, numbered(4, 6), START_MS);
      await other.flush();
      append(one, numbered(7, 9), START_MS + 600);
      await one.close();
      expect(await readRaws(log, 'charger', { limit: 2 })).toEqual(numbered(1, 9).reverse());
      expect(await readRaws(other, 'charger')).toEqual(numbered(1, 9).reverse());
    });

    it('has every entry of a batch that had come when its writer is killed', async () => {
      child = fork(new URL('./journal-postgres-writer.ts', import.meta.url), [url], { stdio: 'inherit' });
      const [flushed] = (await once(child, 'message')) as [number];
      child.kill('SIGKILL');
      await once(child, 'exit');
      const everything = { maxEntries: 1_000_000, maxAgeMs: 86_400_000, connections: 1 };
      const alive = new PostgresLog({ url, clock, ...everything });
      const numbers = (await readRaws(alive, 'charger')).map(Number).reverse();
      await alive.close();
      expect(numbers.length).toBeGreaterThanOrEqual(flushed);
      expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    });

    it('writes what is due without being asked', async () => {
      const journal = openJournal();
      append(journal, ['entry']);
      clock.advance(250);
      await expect.poll(() => readRaws(log, 'charger')).toEqual(['entry']);
      expect(journal.lost).toBe(0);
    });

    it('makes parts before they are needed, and those that are needed at once', async () => {
      const journal = openJournal({ parts: tinyParts });
      await journal.flush();
      expect(await parts()).toEqual([{ first: 1 }, { first: 5 }]);
      append(journal, numbered(1, 100));
      await journal.flush();
      expect(journal.lost).toBe(0);
      expect(await readRaws(log, 'charger')).toEqual(numbered(1, 100).reverse());
      clock.advance(30_000);
      await journal.flush();
      const firsts = (await parts()).map(({ first }) => Number(first));
      const [newest] = await administer(url, 'SELECT max(number)::int AS number FROM frame_log');
      expect(firsts.filter((first) => first > Number(newest?.['number']))).toHaveLength(2);
      expect(await tables()).toBe(firsts.length);
    });

    it('drops parts whose entries are all too old, and no other', async () => {
      const journal = openJournal({ parts: tinyParts });
      append(journal, numbered(1, 9));
      await journal.flush();
      clock.advance(30_000);
      await journal.flush();
      append(journal, numbered(10, 13));
      await journal.flush();
      clock.advance(30_000);
      await journal.flush();
      expect((await parts()).at(0)).toEqual({ first: 1 });
      clock.advance(60_000);
      await journal.flush();
      const [oldest] = await administer(url, 'SELECT min(number)::int AS number FROM frame_log');
      expect(oldest?.['number']).toBeGreaterThan(8);
      expect((await parts()).at(0)).not.toEqual({ first: 1 });
      expect(await tables()).toBe((await parts()).length);
    });

    it('begins a new part when one is old or large, so that its space is freed in time', async () => {
      const journal = openJournal({ parts: { ...tinyParts, partNumbers: 1_000 } });
      append(journal, numbered(1, 3));
      await journal.flush();
      clock.advance(30_000);
      await journal.flush();
      clock.advance(30_000);
      await journal.flush();
      append(journal, numbered(4, 6));
      await journal.flush();
      expect(await readRaws(log, 'charger', { limit: 2 })).toEqual(
        numbered(4, 6).reverse().concat(numbered(1, 3).reverse()),
      );
      const [newest] = await administer(url, 'SELECT max(number)::int AS number FROM frame_log');
      expect(newest?.['number']).toBeGreaterThan(1_000);
    });

    it('drops the oldest parts when all of them take too much', async () => {
      const journal = openJournal({ parts: { ...tinyParts, budgetBytes: 1 } });
      append(journal, numbered(1, 10));
      await journal.flush();
      clock.advance(30_000);
      await journal.flush();
      // What is written to at the moment stays.
      const left = await readRaws(log, 'charger');
      expect(left).toContain('entry 10');
      expect(left).not.toContain('entry 5');
    });

    it('keeps a null character as the mark of what cannot be read', async () => {
      const journal = openJournal();
      append(journal, ['a\0b']);
      expect(await readRaws(journal, 'charger')).toEqual(['a\uFFFDb']);
    });
  });
});
