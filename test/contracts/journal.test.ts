// The promises of a journal, kept by the segment files and by the memory.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryJournal } from '../../src/adapters/journal/memory.ts';
import { openSegmentJournal } from '../../src/adapters/journal/segments.ts';
import { describeJournal, type JournalSetting, type JournalUnderTest } from './journal-contract.ts';

async function segments(limits: { segmentBytes: number; segmentAgeMs: number }): Promise<JournalUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), 'journal-'));
  let setting: JournalSetting;
  const open = () => openSegmentJournal({ folder, writer: 'shard-0', ...limits, ...setting });
  return {
    open: (given) => {
      setting = given;
      return open();
    },
    reopen: async (journal) => {
      await journal.close();
      return open();
    },
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
}

describeJournal('a journal in segment files', () => segments({ segmentBytes: 2 ** 26, segmentAgeMs: 3_600_000 }));
// So small that nearly every entry begins a new segment.
describeJournal('a journal in tiny segment files', () => segments({ segmentBytes: 2_000, segmentAgeMs: 5_000 }));
describeJournal('a journal in memory', async () => ({
  open: async (setting) => new MemoryJournal(setting),
  dispose: async () => {},
}));
