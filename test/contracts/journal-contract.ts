// What every journal promises, whatever it keeps its entries in.

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '../../src/adapters/clock/virtual.ts';
import type { JournalWriter, LogEntry, StoredLogEntry } from '../../src/ports/journal.ts';
import { entryOf, numbered, readAll, readRaws, START_MS } from './journal-entries.ts';

export interface JournalSetting {
  readonly clock: VirtualClock;
  readonly maxEntries: number;
  readonly maxAgeMs: number;
}

export interface JournalUnderTest {
  /** A journal without entries. */
  open(setting: JournalSetting): Promise<JournalWriter>;
  /** A new journal over what this one has kept; absent when it keeps nothing. */
  reopen?(journal: JournalWriter): Promise<JournalWriter>;
  /** Removes what the journals of one test left. */
  dispose(): Promise<void>;
}

function withoutId({ id: _id, ...entry }: StoredLogEntry): LogEntry {
  return entry;
}

/** `numRuns`: how many stories are made up. */
export function describeJournal(name: string, make: () => Promise<JournalUnderTest>, numRuns = 60): void {
  describe(name, () => {
    let subject: JournalUnderTest;
    let clock: VirtualClock;
    let journal: JournalWriter;

    beforeEach(async () => {
      subject = await make();
      clock = new VirtualClock(START_MS);
      journal = await subject.open({ clock, maxEntries: 20, maxAgeMs: 60_000 });
    });

    afterEach(async () => {
      await journal.close();
      await subject.dispose();
    });

    const append = (chargerId: string, raws: readonly string[], given: Partial<LogEntry> = {}) => {
      for (const raw of raws) journal.append(chargerId, entryOf({ ...given, raw }));
    };

    it('gives entries back exactly as they were appended, newest first, also before they are flushed', async () => {
      const entries = [
        entryOf({ raw: '' }),
        entryOf({ direction: 'in', kind: 'result', latencyMs: 12.5, action: null, messageId: null }),
        entryOf({ direction: 'internal', kind: 'lifecycle', action: 'connected', raw: '{"url":"ws://ü/日本/🔌"}' }),
        entryOf({ kind: 'error', latencyMs: 0, messageId: '', action: '' }),
        entryOf({ direction: 'internal', kind: 'command', commandId: 'ä-command', raw: 'x'.repeat(100_000) }),
      ];
      for (const entry of entries) journal.append('charger', entry);
      expect((await readAll(journal, 'charger')).map(withoutId)).toEqual(entries.toReversed());
      await journal.flush();
      expect((await readAll(journal, 'charger')).map(withoutId)).toEqual(entries.toReversed());
    });

    it('keeps a message of one mebibyte whole', async () => {
      const raw = `[2,"m","DataTransfer",{"data":"${'é'.repeat(500_000)}"}]`;
      append('charger', ['before', raw, 'after']);
      expect(await readRaws(journal, 'charger')).toEqual(['after', raw, 'before']);
    });

    it('shows nothing of a charger that has written nothing', async () => {
      append('charger', ['entry']);
      expect(await journal.read('other', { limit: 10 })).toEqual({ entries: [], next: null });
    });

    it('keeps the entries of chargers apart, each in its own order', async () => {
      for (let round = 1; round <= 5; round++) {
        for (const charger of ['a', 'b', 'ab']) append(charger, [`${charger} ${round}`]);
      }
      for (const charger of ['a', 'b', 'ab']) {
        expect(await readRaws(journal, charger)).toEqual([5, 4, 3, 2, 1].map((round) => `${charger} ${round}`));
      }
    });

    it('shows each entry once to a reader who pages, and ends with the last full page', async () => {
      append('charger', numbered(1, 12));
      for (const limit of [1, 4, 5, 12, 13]) {
        expect(await readRaws(journal, 'charger', { limit })).toEqual(numbered(1, 12).reverse());
      }
      expect((await journal.read('charger', { limit: 12 })).next).toBeNull();
      expect((await journal.read('charger', { limit: 11 })).next).not.toBeNull();
    });

    it('continues after the same entry although new ones were appended meanwhile', async () => {
      append('charger', numbered(1, 6));
      const { next } = await journal.read('charger', { limit: 2 });
      append('charger', numbered(7, 9));
      await journal.flush();
      expect(await readRaws(journal, 'charger', { before: next ?? '' })).toEqual(numbered(1, 4).reverse());
    });

    it('gives an entry the same id every time and no two entries the same', async () => {
      append('charger', numbered(1, 4));
      const ids = (await readAll(journal, 'charger')).map((entry) => entry.id);
      append('charger', numbered(5, 8));
      const later = (await readAll(journal, 'charger')).map((entry) => entry.id);
      expect(later.slice(4)).toEqual(ids);
      expect(new Set(later).size).toBe(8);
    });

    it('shows nothing before an id that names nothing', async () => {
      append('charger', numbered(1, 3));
      for (const before of ['', '-', 'nonsense', '0', '-1', '1e3', '../x', '999999999999999999999']) {
        expect(await journal.read('charger', { limit: 5, before })).toEqual({ entries: [], next: null });
      }
    });

    it('shows only the direction and the action asked for', async () => {
      append('charger', ['1'], { direction: 'in', action: 'Reset' });
      append('charger', ['2'], { direction: 'out', action: 'Reset' });
      append('charger', ['3'], { direction: 'out', action: 'Heartbeat' });
      append('charger', ['4'], { direction: 'in', action: null });
      expect(await readRaws(journal, 'charger', { direction: 'in' })).toEqual(['4', '1']);
      expect(await readRaws(journal, 'charger', { action: 'Reset' })).toEqual(['2', '1']);
      expect(await readRaws(journal, 'charger', { action: 'Reset', direction: 'out', limit: 1 })).toEqual(['2']);
      expect(await readRaws(journal, 'charger', { action: 'reset' })).toEqual([]);
    });

    it('shows only what happened in the time asked for, both ends included', async () => {
      for (const offset of [0, 10, 20, 30]) append('charger', [`at ${offset}`], { atMs: START_MS + offset });
      clock.advance(30);
      const between = { sinceMs: START_MS + 10, untilMs: START_MS + 20 };
      expect(await readRaws(journal, 'charger', between)).toEqual(['at 20', 'at 10']);
      expect(await readRaws(journal, 'charger', { ...between, limit: 1 })).toEqual(['at 20', 'at 10']);
      expect(await readRaws(journal, 'charger', { sinceMs: START_MS + 31 })).toEqual([]);
      expect(await readRaws(journal, 'charger', { untilMs: START_MS - 1 })).toEqual([]);
    });

    it('says that there is no more when nothing that follows is asked for', async () => {
      append('charger', numbered(1, 3), { action: 'Heartbeat' });
      append('charger', ['reset'], { action: 'Reset' });
      expect(await journal.read('charger', { limit: 1, action: 'Reset' })).toMatchObject({ next: null });
    });

    it('shows no more than the newest entries that a charger may keep, by a cursor neither', async () => {
      append('charger', numbered(1, 30));
      expect(await readRaws(journal, 'charger')).toEqual(numbered(11, 30).reverse());
      const { next } = await journal.read('charger', { limit: 15 });
      append('charger', numbered(31, 33));
      expect(await readRaws(journal, 'charger', { before: next ?? '' })).toEqual(numbered(14, 15).reverse());
    });

    it('shows no entry that is too old', async () => {
      append('charger', ['old'], { atMs: START_MS });
      append('charger', ['young'], { atMs: START_MS + 1 });
      clock.advance(60_000);
      expect(await readRaws(journal, 'charger')).toEqual(['young', 'old']);
      clock.advance(1);
      expect(await readRaws(journal, 'charger')).toEqual(['young']);
      clock.advance(1);
      expect(await readRaws(journal, 'charger')).toEqual([]);
    });

    it('serves many readers while entries go on arriving', async () => {
      append('a', numbered(1, 10));
      append('b', numbered(1, 10));
      const reads = Array.from({ length: 40 }, async (_, index) => {
        append('a', [`more ${index}`]);
        return readRaws(journal, 'b', { limit: 3 });
      });
      for (const raws of await Promise.all(reads)) expect(raws).toEqual(numbered(1, 10).reverse());
      expect((await readRaws(journal, 'a')).at(0)).toBe('more 39');
    });

    it('takes no more entries once it is closed, and does not mind being closed again', async () => {
      append('charger', ['entry']);
      await journal.close();
      append('charger', ['late']);
      await journal.flush();
      await journal.close();
      expect(await readRaws(journal, 'charger')).toEqual(['entry']);
    });

    it('shows what a simple list would show, whatever is done in whatever order', { timeout: 30_000 }, async () => {
      const charger = fc.constantFrom('a', 'b', 'c');
      const step = fc.oneof(
        { weight: 6, arbitrary: fc.record({ kind: fc.constant('append' as const), charger, size: fc.nat(400) }) },
        {
          weight: 2,
          arbitrary: fc.record({ kind: fc.constant('read' as const), charger, limit: fc.integer({ min: 1, max: 7 }) }),
        },
        { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(20_000) }) },
        { weight: 1, arbitrary: fc.record({ kind: fc.constant('flush' as const) }) },
        { weight: 1, arbitrary: fc.record({ kind: fc.constant('reopen' as const) }) },
      );
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
          await journal.close();
          await subject.dispose();
          subject = await make();
          clock = new VirtualClock(START_MS);
          journal = await subject.open({ clock, maxEntries: 20, maxAgeMs: 60_000 });
          const model = new Map<string, LogEntry[]>();
          for (const [number, done] of steps.entries()) {
            if (done.kind === 'append') {
              const direction = number % 2 === 0 ? 'in' : 'out';
              const entry = entryOf({ atMs: clock.nowMs(), direction, raw: `${number} ${'é'.repeat(done.size)}` });
              journal.append(done.charger, entry);
              model.set(done.charger, [entry, ...(model.get(done.charger) ?? [])]);
            } else if (done.kind === 'read') {
              const kept = (model.get(done.charger) ?? []).slice(0, 20);
              const young = kept.filter((entry) => entry.atMs >= clock.nowMs() - 60_000);
              expect((await readAll(journal, done.charger, { limit: done.limit })).map(withoutId)).toEqual(young);
              const incoming = young.filter((entry) => entry.direction === 'in');
              const shown = await readAll(journal, done.charger, { limit: done.limit, direction: 'in' });
              expect(shown.map(withoutId)).toEqual(incoming);
            } else if (done.kind === 'wait') {
              clock.advance(done.ms);
            } else if (done.kind === 'flush') {
              await journal.flush();
            } else if (subject.reopen !== undefined) {
              journal = await subject.reopen(journal);
            }
          }
        }),
        { numRuns },
      );
    });
  });
}
