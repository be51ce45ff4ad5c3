// Log entries for tests, and reading them back page by page.

import type { LogEntry, LogQuery, LogReader, StoredLogEntry } from '../../src/ports/journal.ts';

export const START_MS = 1_700_000_000_000;

export function entryOf(given: Partial<LogEntry> = {}): LogEntry {
  return {
    atMs: START_MS,
    direction: 'out',
    kind: 'call',
    action: 'Heartbeat',
    messageId: 'message-1',
    raw: '[2,"message-1","Heartbeat",{}]',
    latencyMs: null,
    commandId: null,
    ...given,
  };
}

/** Everything that a reader who pages to the end is shown. */
export async function readAll(
  journal: LogReader,
  chargerId: string,
  query: Partial<LogQuery> = {},
): Promise<readonly StoredLogEntry[]> {
  const all: StoredLogEntry[] = [];
  for (let before = query.before; ; ) {
    const page = await journal.read(chargerId, { limit: 100, ...query, ...(before === undefined ? {} : { before }) });
    all.push(...page.entries);
    if (page.next === null) return all;
    if (page.entries.at(-1)?.id !== page.next) throw new Error('a page continues before its last entry');
    before = page.next;
  }
}

export async function readRaws(
  journal: LogReader,
  chargerId: string,
  query: Partial<LogQuery> = {},
): Promise<readonly string[]> {
  return (await readAll(journal, chargerId, query)).map((entry) => entry.raw);
}

/** `entry 1`, `entry 2` … */
export function numbered(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, index) => `entry ${from + index}`);
}
