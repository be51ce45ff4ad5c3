// Opens the log of a fleet process: in files of this machine, or in the database that many processes share.

import { openSegmentJournal } from './adapters/journal/segments.ts';
import type { Clock } from './ports/clock.ts';
import type { JournalWriter } from './ports/journal.ts';

export interface LogSettings {
  /** Where the files are; null for the database. */
  readonly folder: string | null;
  readonly maxEntries: number;
  readonly maxAgeMs: number;
}

export interface JournalPlace {
  /** Names this fleet process among those of its gateway. */
  readonly writer: string;
  readonly databaseUrl: string | null;
  readonly clock: Clock;
  readonly complain: (sentence: string, detail: string) => void;
}

export async function openJournal(logs: LogSettings, place: JournalPlace): Promise<JournalWriter> {
  const { folder, maxEntries, maxAgeMs } = logs;
  const { writer, databaseUrl, clock, complain } = place;
  const onError = (error: Error): void => complain('the log of chargers cannot be written', error.message);
  if (folder !== null) return openSegmentJournal({ folder, maxEntries, maxAgeMs, writer, clock, onError });
  if (databaseUrl === null) throw new Error('bug: a log without a place');
  // Loaded when it is asked for: a gateway on one machine needs nothing of it.
  const { PostgresJournal } = await import('./adapters/journal/postgres.ts');
  return new PostgresJournal({ url: databaseUrl, maxEntries, maxAgeMs, clock, onError });
}
