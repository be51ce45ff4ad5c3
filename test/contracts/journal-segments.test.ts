// What the segment files do beyond the promises of a journal: surviving crashes, sharing a folder, staying bounded.

import { spawn } from 'node:child_process';
import { appendFile, cp, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { SystemClock } from '../../src/adapters/clock/system.ts';
import type { SegmentJournal } from '../../src/adapters/journal/segments.ts';
import { isFailure } from '../../src/errors.ts';
import { numbered, readAll, readRaws } from './journal-entries.ts';
import { append, clock, files, folder, onlyFile, openJournal } from './journal-folder.ts';

describe('after a crash', () => {
  it('cuts a torn record off the end and goes on behind what is whole', async () => {
    const journal = await openJournal();
    append(journal, 'charger', numbered(1, 10));
    await journal.flush();
    const path = await onlyFile('log');
    const whole = await readFile(path);
    await appendFile(path, whole.subarray(0, 100));

    const second = await openJournal();
    expect((await stat(path)).size).toBe(whole.length);
    append(second, 'charger', ['entry 11']);
    expect(await readRaws(second, 'charger')).toEqual(numbered(1, 11).reverse());
    await second.close();
    expect(await readRaws(await openJournal(), 'charger')).toEqual(numbered(1, 11).reverse());
  });

  it('shows a beginning of the log wherever the last segment was cut', async () => {
    const journal = await openJournal();
    append(journal, 'charger', numbered(1, 4));
    await journal.flush();
    const path = await onlyFile('log');
    const whole = await readFile(path);
    const shown = new Set<number>();
    for (let bytes = 0; bytes <= whole.length; bytes += 4) {
      const copy = await mkdtemp(join(tmpdir(), 'journal-'));
      await cp(folder, copy, { recursive: true });
      await truncate(join(copy, path.slice(folder.length + 1)), bytes);
      const reader = await openJournal({ folder: copy });
      const raws = await readRaws(reader, 'charger');
      expect(raws).toEqual(numbered(1, raws.length).reverse());
      shown.add(raws.length);
      await rm(copy, { recursive: true });
    }
    expect([...shown]).toEqual([0, 1, 2, 3, 4]);
  });

  it('ends the reading at a damaged record, whatever byte of it was hit', async () => {
    const journal = await openJournal();
    append(journal, 'charger', numbered(1, 3));
    await journal.close();
    const path = await onlyFile('log');
    const whole = await readFile(path);
    const recordBytes = whole.length / 3;
    const reader = await openJournal();
    for (let byte = 0; byte < whole.length; byte++) {
      const damaged = Buffer.from(whole);
      damaged[byte] = (damaged[byte] ?? 0) ^ 0x21;
      await writeFile(path, damaged);
      expect(await readRaws(reader, 'charger')).toEqual(numbered(2 + Math.floor(byte / recordBytes), 3).reverse());
    }
  });

  it('has everything that is older than the flush when its process is killed', async () => {
    const script = new URL('./journal-crash-writer.ts', import.meta.url).pathname;
    const child = spawn(process.execPath, [script, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
    const told: { number: number; atMs: number }[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      const [number = 0, atMs = 0] = line.split(' ').map(Number);
      told.push({ number, atMs });
      if (atMs > (told[0]?.atMs ?? 0) + 600) child.kill('SIGKILL');
    }
    // All by the clock of the child: what it had appended well before its last word must be there.
    const settledAtMs = (told.at(-1)?.atMs ?? 0) - 400;
    const settled = told.findLast(({ atMs }) => atMs <= settledAtMs)?.number ?? 0;
    expect(settled).toBeGreaterThan(100);
    expect((await files('log')).length).toBeGreaterThan(1);

    const journal = await openJournal({ clock: new SystemClock(), maxEntries: 1_000_000 });
    let total = 0;
    for (let charger = 0; charger < 7; charger++) {
      const raws = await readRaws(journal, `charger ${charger}`);
      const newest = Number(raws[0]?.slice('entry '.length));
      const expected = numbered(1, newest).filter((_, index) => (index + 1) % 7 === charger);
      expect(raws).toEqual(expected.reverse());
      total += raws.length;
    }
    expect(total).toBeGreaterThanOrEqual(settled);
    expect(total).toBeLessThanOrEqual((told.at(-1)?.number ?? 0) + 20);
  });
});

describe('segments', () => {
  it('are ended by size, and a chain runs through all of them', async () => {
    const journal = await openJournal({ segmentBytes: 1_000 });
    append(journal, 'charger', numbered(1, 30));
    expect(await readRaws(journal, 'charger')).toEqual(numbered(1, 30).reverse());
    expect((await files('log')).length).toBeGreaterThan(3);
  });

  it('are ended by age', async () => {
    const journal = await openJournal({ segmentAgeMs: 1_000 });
    for (const raw of numbered(1, 5)) {
      append(journal, 'charger', [raw]);
      await journal.flush();
      clock.advance(500);
    }
    expect(await readRaws(journal, 'charger')).toEqual(numbered(1, 5).reverse());
    expect(await files('log')).toHaveLength(3);
  });

  it('that have their heads are not read at the start', async () => {
    const journal = await openJournal();
    append(journal, 'first', ['damaged']);
    append(journal, 'second', numbered(1, 3));
    await journal.close();
    const path = await onlyFile('log');
    const bytes = await readFile(path);
    bytes.fill(0xff, 0, 50);
    await writeFile(path, bytes);
    expect(await readRaws(await openJournal(), 'second')).toEqual(numbered(1, 3).reverse());
  });

  it.each(['missing', 'damaged', 'empty'])('are read again at the start when their heads are %s', async (how) => {
    const journal = await openJournal({ segmentBytes: 1_000 });
    append(journal, 'charger', numbered(1, 20));
    append(journal, 'other', numbered(1, 3));
    await journal.close();
    for (const path of await files('heads')) {
      if (how === 'missing') await rm(path);
      else if (how === 'empty') await truncate(path, 0);
      else await appendFile(path, 'x');
    }
    const second = await openJournal();
    expect(await readRaws(second, 'charger')).toEqual(numbered(1, 20).reverse());
    expect(await readRaws(second, 'other')).toEqual(numbered(1, 3).reverse());
  });

  it('may be deleted: the chain ends there', async () => {
    const journal = await openJournal({ segmentBytes: 1_000 });
    append(journal, 'charger', numbered(1, 30));
    await journal.flush();
    const [, , third] = await files('log');
    await rm(third ?? '');
    const raws = await readRaws(journal, 'charger');
    expect(raws.length).toBeLessThan(30);
    expect(raws).toEqual(numbered(31 - raws.length, 30).reverse());
    await journal.close();
    expect(await readRaws(await openJournal(), 'charger')).toEqual(raws);
  });

  it('give ids that name the same entries after a restart', async () => {
    const journal = await openJournal({ segmentBytes: 1_000 });
    append(journal, 'charger', numbered(1, 10));
    const before = await readAll(journal, 'charger');
    await journal.close();
    const second = await openJournal();
    expect(await readAll(second, 'charger')).toEqual(before);
    expect(await readRaws(second, 'charger', { before: before[3]?.id ?? '' })).toEqual(numbered(1, 6).reverse());
  });

  it('show a charger nothing by the id of an entry of another', async () => {
    const journal = await openJournal();
    append(journal, 'charger', numbered(1, 3));
    append(journal, 'other', numbered(1, 3));
    const [newest] = await readAll(journal, 'other');
    expect(await readRaws(journal, 'charger', { before: newest?.id ?? '' })).toEqual([]);
  });
});

describe('a folder shared by several writers', () => {
  it('serves every charger although the number of writers changes between runs', async () => {
    const chargers = Array.from({ length: 30 }, (_, index) => `charger ${index}`);
    for (const [run, writers] of [3, 1, 4, 2].entries()) {
      const journals = await Promise.all(
        Array.from({ length: writers }, (_, index) => openJournal({ writer: `shard-${index}`, segmentBytes: 3_000 })),
      );
      for (const [index, charger] of chargers.entries()) {
        const journal = journals[index % writers] as SegmentJournal;
        expect(await readRaws(journal, charger)).toEqual(numbered(1, run).reverse());
        append(journal, charger, [`entry ${run + 1}`]);
      }
      await Promise.all(journals.map((journal) => journal.close()));
      clock.advance(1_000);
    }
  });

  it('keeps the heads of chargers that were silent for several runs', async () => {
    const first = await openJournal({ writer: 'shard-1' });
    append(first, 'silent', numbered(1, 3));
    await first.close();
    for (let run = 0; run < 4; run++) {
      clock.advance(1_000);
      for (const writer of ['shard-0', 'shard-1']) {
        const journal = await openJournal({ writer });
        append(journal, `talkative on ${writer}`, ['hello']);
        await journal.close();
      }
    }
    for (const writer of ['shard-0', 'shard-1', 'shard-2']) {
      expect(await readRaws(await openJournal({ writer }), 'silent')).toEqual(numbered(1, 3).reverse());
    }
  });

  it('lets a writer start while another one is writing, without harm to its segment', async () => {
    const alive = await openJournal({ writer: 'shard-0' });
    append(alive, 'charger', numbered(1, 3));
    await alive.flush();
    const path = await onlyFile('log');
    await appendFile(path, 'the first half of a reco');
    const { size } = await stat(path);
    const starting = await openJournal({ writer: 'shard-1' });
    expect((await stat(path)).size).toBe(size);
    expect(await readRaws(starting, 'charger')).toEqual(numbered(1, 3).reverse());
    append(alive, 'charger', numbered(4, 6));
    expect(await readRaws(alive, 'charger')).toEqual(numbered(1, 6).reverse());
  });

  it('falls back to older heads where the records of newer ones have gone with the power', async () => {
    const crashing = await openJournal({ writer: 'shard-1' });
    append(crashing, 'charger', numbered(1, 3));
    await crashing.flush();
    const path = await onlyFile('log');
    const { size } = await stat(path);
    // The other writer has seen all three and leaves that behind.
    const other = await openJournal({ writer: 'shard-0' });
    append(other, 'its own', ['entry']);
    await other.close();
    await truncate(path, (size / 3) * 2);
    const restarted = await openJournal({ writer: 'shard-1' });
    expect(await readRaws(restarted, 'charger')).toEqual(numbered(1, 2).reverse());
  });

  it('numbers the segments of writers that begin in the same millisecond differently', async () => {
    const journals = await Promise.all([0, 1, 2, 3].map((index) => openJournal({ writer: `shard-${index}` })));
    for (const [index, journal] of journals.entries()) append(journal, `charger ${index}`, ['entry']);
    const numbers = (await files('log')).map((path) => /(\d+)-shard/.exec(path)?.[1]);
    expect(new Set(numbers).size).toBe(4);
  });

  it('refuses a writer whose name cannot be a file name', async () => {
    const opening = openJournal({ writer: '../shard' });
    await expect(opening).rejects.toSatisfy((error) => isFailure(error, 'bad_setting'));
  });

  it('gives back the heads of 20 000 chargers', async () => {
    const chargers = Array.from({ length: 20_000 }, (_, index) => `charger ${index}`);
    const journal = await openJournal();
    for (const charger of chargers) append(journal, charger, ['entry 1', 'entry 2']);
    await journal.close();
    const second = await openJournal({ writer: 'shard-9' });
    for (let index = 0; index < chargers.length; index += 97) {
      expect(await readRaws(second, chargers[index] ?? '')).toEqual(['entry 2', 'entry 1']);
    }
  });
});

describe('what is kept', () => {
  it('ends with the age: segments and heads of every writer are removed when all of them is too old', async () => {
    const limits = { maxAgeMs: 10_000, segmentAgeMs: 1_000 };
    const gone = await openJournal({ writer: 'shard-7', ...limits });
    append(gone, 'charger', ['of a writer that never comes back']);
    await gone.close();
    const journal = await openJournal(limits);
    append(journal, 'charger', ['old']);
    await journal.close();
    clock.advance(11_000);
    await (await openJournal(limits)).close();
    expect(await files('log')).toHaveLength(2);
    clock.advance(2);
    append(await openJournal(limits), 'charger', ['new']);
    expect(await files('log', 'shard-7')).toEqual([]);
    expect(await files('heads')).toEqual([]);
    expect(await readRaws(await openJournal(limits), 'charger')).toEqual([]);
  });

  it("ends with the budget: a writer's oldest segments are removed, those of others are not", async () => {
    const other = await openJournal({ writer: 'shard-1' });
    append(other, 'other', numbered(1, 3));
    await other.close();
    const journal = await openJournal({ segmentBytes: 1_000, budgetBytes: 3_000 });
    append(journal, 'charger', numbered(1, 100));
    await journal.close();
    const sizes = await Promise.all((await files('log', 'shard-0')).map(async (path) => (await stat(path)).size));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(3_000);
    const raws = await readRaws(await openJournal(), 'charger');
    expect(raws.length).toBeGreaterThan(5);
    expect(raws).toEqual(numbered(101 - raws.length, 100).reverse());
    expect(await readRaws(await openJournal(), 'other')).toEqual(numbered(1, 3).reverse());
  });

  it('includes two files of heads for each writer and no more', async () => {
    const journal = await openJournal({ segmentBytes: 1_000 });
    append(journal, 'charger', numbered(1, 100));
    await journal.close();
    expect(await files('heads')).toHaveLength(2);
  });
});
