// A process that writes a log until it is killed: it says on stdout what it has appended, and when.

import { SystemClock } from '../../src/adapters/clock/system.ts';
import { openSegmentJournal } from '../../src/adapters/journal/segments.ts';
import { entryOf } from './journal-entries.ts';

const clock = new SystemClock();
const journal = await openSegmentJournal({
  folder: process.argv[2] ?? '',
  writer: 'shard-0',
  clock,
  segmentBytes: 50_000,
});
let number = 0;
setInterval(() => {
  for (let times = 0; times < 20; times++) {
    number++;
    journal.append(`charger ${number % 7}`, entryOf({ atMs: clock.nowMs(), raw: `entry ${number}` }));
  }
  process.stdout.write(`${number} ${clock.nowMs()}\n`);
}, 5);
