// A process that writes a log into PostgreSQL until it is killed: it says what is surely there.

import { SystemClock } from '../../src/adapters/clock/system.ts';
import { PostgresJournal } from '../../src/adapters/journal/postgres.ts';
import { entryOf, START_MS } from './journal-entries.ts';

const url = process.argv[2] ?? '';
const journal = new PostgresJournal({ url, clock: new SystemClock(), maxEntries: 1_000_000, maxAgeMs: 86_400_000 });
let number = 0;
setInterval(() => {
  for (let times = 0; times < 20; times++) journal.append('charger', entryOf({ atMs: START_MS, raw: `${++number}` }));
}, 2);
setTimeout(async () => {
  const appended = number;
  await journal.flush();
  process.send?.(appended);
}, 500);
