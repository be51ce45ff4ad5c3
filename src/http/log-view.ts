// An entry of a charger's log as clients see it.

import type { LogQuery, StoredLogEntry } from '../ports/journal.ts';
import { invalid } from './problem.ts';
import { instant } from './schema.ts';
import type { LogEntryResource } from './simulator-schema.ts';

export function logEntryView(entry: StoredLogEntry): LogEntryResource {
  return {
    id: entry.id,
    at: instant(entry.atMs),
    direction: entry.direction,
    kind: entry.kind,
    action: entry.action,
    message_id: entry.messageId,
    payload: payloadOf(entry),
    raw: entry.raw,
    latency_ms: entry.latencyMs,
    command_id: entry.commandId,
  };
}

/** Frames are lists: a call has its payload in the fourth place, a result in the third, an error its code and more from there on. */
function payloadOf({ direction, kind, raw }: StoredLogEntry): unknown {
  let message: unknown;
  try {
    message = JSON.parse(raw);
  } catch {
    // A frame that the CSMS garbled is logged as it came.
    return null;
  }
  if (direction === 'internal') return message;
  if (!Array.isArray(message)) return null;
  if (kind === 'call') return message[3] ?? null;
  if (kind === 'result') return message[2] ?? null;
  if (kind === 'error') {
    return { code: message[2] ?? null, description: message[3] ?? null, details: message[4] ?? null };
  }
  return message;
}

interface AskedFor {
  readonly cursor?: string;
  readonly limit: number;
  readonly direction?: LogQuery['direction'] & string;
  readonly action?: string;
  readonly since?: string;
  readonly until?: string;
}

export function journalQuery({ cursor, limit, direction, action, since, until }: AskedFor): LogQuery {
  return {
    limit,
    ...(cursor === undefined ? {} : { before: cursor }),
    ...(direction === undefined ? {} : { direction }),
    ...(action === undefined ? {} : { action }),
    ...(since === undefined ? {} : { sinceMs: moment('since', since) }),
    ...(until === undefined ? {} : { untilMs: moment('until', until) }),
  };
}

/** Some texts that look like timestamps name no moment, a leap second for instance. */
function moment(field: string, text: string): number {
  const atMs = Date.parse(text);
  if (Number.isNaN(atMs)) throw invalid([{ field, message: 'must be a moment that exists' }]);
  return atMs;
}
