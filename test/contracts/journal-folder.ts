// A folder of segment files for each test, and what tests do with it.

import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { VirtualClock } from '../../src/adapters/clock/virtual.ts';
import {
  openSegmentJournal,
  type SegmentJournal,
  type SegmentJournalOptions,
} from '../../src/adapters/journal/segments.ts';
import { entryOf, START_MS } from './journal-entries.ts';

export let folder: string;
export let clock: VirtualClock;
let opened: SegmentJournal[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'journal-'));
  clock = new VirtualClock(START_MS);
  opened = [];
});

afterEach(async () => {
  for (const journal of opened) await journal.close();
  await rm(folder, { recursive: true, force: true });
});

/** It is closed after the test. One that is not closed before is, for those opened after it, one that has crashed. */
export async function openJournal(given: Partial<SegmentJournalOptions> = {}): Promise<SegmentJournal> {
  const journal = await openSegmentJournal({ folder, writer: 'shard-0', clock, ...given });
  opened.push(journal);
  return journal;
}

export function append(journal: SegmentJournal, chargerId: string, raws: readonly string[]): void {
  for (const raw of raws) journal.append(chargerId, entryOf({ atMs: clock.nowMs(), raw }));
}

export async function files(ending: 'log' | 'heads', writer = ''): Promise<readonly string[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(`${writer}.${ending}`));
  return names.sort().map((name) => join(folder, name));
}

export async function onlyFile(ending: 'log' | 'heads'): Promise<string> {
  const [path, ...others] = await files(ending);
  expect(others).toEqual([]);
  return path ?? '';
}
