// A process that writes log entries: as the product does, or their bare text at the end of one file, as its floor.

import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { SystemClock } from '../src/adapters/clock/system.ts';
import { openSegmentJournal } from '../src/adapters/journal/segments.ts';
import type { LogEntry } from '../src/ports/journal.ts';
import { chargerId } from './stock.ts';

export interface LogWriterSettings {
  readonly how: 'journal' | 'file';
  readonly folder: string;
  readonly entries: number;
  readonly chargers: number;
}

/** Entries between two turns of the event loop: about what a busy fleet process writes in one. */
const perTurn = 100;
const raw = `[2,"00000000-0000-4000-8000-000000000000","StatusNotification",${JSON.stringify({
  connectorId: 1,
  errorCode: 'NoError',
  status: 'Available',
  timestamp: '2026-01-01T00:00:00.000Z',
})}]`;
const entry: Omit<LogEntry, 'atMs'> = {
  direction: 'out',
  kind: 'call',
  action: 'StatusNotification',
  messageId: '00000000-0000-4000-8000-000000000000',
  raw,
  latencyMs: null,
  commandId: null,
};

interface Writer {
  append(charger: string): void;
  endTurn(): void;
  close(): Promise<void>;
}

async function journal(folder: string): Promise<Writer> {
  const clock = new SystemClock();
  const segments = await openSegmentJournal({ folder, writer: 'bench', clock });
  return {
    append: (charger) => segments.append(charger, { atMs: clock.nowMs(), ...entry }),
    endTurn: () => {},
    close: () => segments.close(),
  };
}

/** One write a turn, of what is really needed: when, who and what. */
function file(folder: string): Writer {
  const handle = openSync(join(folder, 'log'), 'w');
  let text = '';
  return {
    append: (charger) => {
      text += `${Date.now()} ${charger} ${raw}\n`;
    },
    endTurn: () => {
      writeSync(handle, text);
      text = '';
    },
    close: async () => closeSync(handle),
  };
}

const { how, folder, entries, chargers } = JSON.parse(process.argv[2] ?? '') as LogWriterSettings;
const writer = how === 'journal' ? await journal(folder) : file(folder);
const ids = Array.from({ length: chargers }, (_, number) => chargerId(number));

async function write(count: number): Promise<void> {
  for (let number = 0; number < count; number++) {
    writer.append(ids[number % chargers] ?? '');
    if (number % perTurn !== perTurn - 1) continue;
    writer.endTurn();
    await breathe();
  }
}

process.on('disconnect', () => process.exit(0));
await write(entries / 5);
const before = process.cpuUsage();
await write(entries);
await writer.close();
const { user, system } = process.cpuUsage(before);
process.send?.((user + system) / entries);
