// Which entries a reader of the log asked for.

import type { LogEntry, LogQuery } from '../../ports/journal.ts';

/** Whether the entry is asked for; its being too old is `startOf`'s business. */
export function matches(entry: LogEntry, query: LogQuery): boolean {
  if (query.direction !== undefined && entry.direction !== query.direction) return false;
  if (query.action !== undefined && entry.action !== query.action) return false;
  return query.untilMs === undefined || entry.atMs <= query.untilMs;
}

/** A charger's entries are in the order of time, so the first one before this moment ends the search. */
export function startOf(query: LogQuery, retainedFromMs: number): number {
  return query.sinceMs === undefined ? retainedFromMs : Math.max(retainedFromMs, query.sinceMs);
}
