// How the segment files get on with a disk that is missing, full or slow.

import { closeSync, openSync, readdirSync, readlinkSync } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import { numbered, readRaws, START_MS } from './journal-entries.ts';
import { append, clock, files, folder, onlyFile, openJournal } from './journal-folder.ts';

describe('the disk', () => {
  it('is given what was appended after the flush time, by one timer that stands only while something waits', async () => {
    const journal = await openJournal();
    expect(clock.nextAtMs()).toBeNull();
    append(journal, 'charger', numbered(1, 3));
    expect(clock.nextAtMs()).toBeLessThanOrEqual(START_MS + 100);
    clock.advance(100);
    expect(clock.nextAtMs()).toBeNull();
    await vi.waitFor(async () => expect((await stat(await onlyFile('log'))).size).toBeGreaterThan(0));
  });

  it('may be missing: entries are counted as lost, the failure is told once, and logging resumes', async () => {
    const errors: Error[] = [];
    const journal = await openJournal({ onError: (error) => errors.push(error) });
    await rm(folder, { recursive: true });
    append(journal, 'charger', numbered(1, 5));
    clock.advance(2_000);
    append(journal, 'charger', ['entry 6']);
    expect(journal).toMatchObject({ lost: 6, failures: 2 });
    expect(errors).toHaveLength(1);
    await mkdir(folder);
    clock.advance(2_000);
    append(journal, 'charger', ['entry 7']);
    expect(await readRaws(journal, 'charger')).toEqual(['entry 7']);
  });

  it('may be full: what could not be written is lost, the rest stays one chain', async () => {
    const errors: Error[] = [];
    const limits = { maxEntries: 9, onError: (error: Error) => errors.push(error) };
    const journal = await openJournal(limits);
    append(journal, 'charger', numbered(1, 3));
    append(journal, 'other', ['before']);
    await journal.flush();
    for (const round of [1, 2]) {
      const kept = 3 * round;
      const heal = await fillDisk();
      append(journal, 'charger', numbered(100, 120));
      append(journal, 'newcomer', ['never seen']);
      expect(await readRaws(journal, 'charger')).toEqual(numbered(1, kept).reverse());
      append(journal, 'charger', numbered(200, 220));
      await journal.flush();
      expect(journal.lost).toBe(43 * round);
      expect(errors).toHaveLength(round);
      heal();
      append(journal, 'charger', numbered(kept + 1, kept + 3));
      expect(await readRaws(journal, 'charger')).toEqual(numbered(1, kept + 3).reverse());
    }
    expect(await readRaws(journal, 'newcomer')).toEqual([]);

    // After a crash everything is found by reading the segment from its beginning: it must be without a gap.
    for (const reopened of [await openJournal(limits), await openJournal(limits)]) {
      expect(await readRaws(reopened, 'charger')).toEqual(numbered(1, 9).reverse());
      expect(await readRaws(reopened, 'other')).toEqual(['before']);
    }
  });

  it('may be full just when a segment ends: the heads that were to be left are not', async () => {
    const journal = await openJournal({ segmentBytes: 1_000 });
    append(journal, 'silent', numbered(1, 2));
    await journal.flush();
    await fillDisk();
    append(journal, 'silent', ['lost']);
    append(journal, 'charger', numbered(1, 12));
    expect(await files('log')).toHaveLength(2);
    await journal.flush();
    append(journal, 'charger', ['after']);
    await journal.flush();
    const reopened = await openJournal();
    expect(await readRaws(reopened, 'silent')).toEqual(numbered(1, 2).reverse());
    expect(await readRaws(reopened, 'charger')).toEqual(['after']);
  });

  it('may be too slow: what waits is bounded, entries beyond it are lost, the rest stays one chain', async () => {
    const journal = await openJournal({ segmentBytes: 2 ** 30 });
    const raw = 'x'.repeat(1_000_000);
    append(
      journal,
      'charger',
      Array.from({ length: 60 }, (_, index) => `${index} ${raw}`),
    );
    const kept = 60 - journal.lost;
    expect(kept).toBeGreaterThan(5);
    expect(kept).toBeLessThan(60);
    expect((await readRaws(journal, 'charger')).map((text) => Number(text.split(' ')[0]))).toEqual(
      Array.from({ length: kept }, (_, index) => kept - 1 - index),
    );
  });
});

/** Lets every write to the newest segment fail for want of space, until the returned function is called. */
async function fillDisk(): Promise<() => void> {
  const path = (await files('log')).at(-1) ?? '';
  const file = Number(readdirSync('/proc/self/fd').find((fd) => linkOf(fd) === path));
  replaceFile(file, '/dev/full', 'w');
  return () => replaceFile(file, path, 'r+');
}

function linkOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return '';
  }
}

/** Puts another file behind a file descriptor, for the lowest free number is the one given out. */
function replaceFile(fd: number, path: string, flags: string): void {
  closeSync(fd);
  expect(openSync(path, flags)).toBe(fd);
}
