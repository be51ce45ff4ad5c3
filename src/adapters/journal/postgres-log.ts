// Reading the log that all processes write into one database.

import type { Clock } from '../../ports/clock.ts';
import type { LogEntry, LogPage, LogQuery, LogReader, StoredLogEntry } from '../../ports/journal.ts';
import { Reader } from '../postgres/reader.ts';
import { connectionLimits } from '../postgres/session.ts';
import type { Row } from '../postgres/values.ts';
import { startOf } from './query.ts';

export interface PostgresLogOptions {
  readonly url: string;
  readonly clock: Clock;
  readonly maxEntries: number;
  readonly maxAgeMs: number;
  readonly connections: number;
  /** How long a connection is kept that nobody uses. */
  readonly idleMs?: number;
}

/** How long a read insists on a database that cannot be reached. */
const patienceMs = 5_000;

export class PostgresLog implements LogReader {
  readonly #options: PostgresLogOptions;
  readonly #reader: Reader;

  constructor(options: PostgresLogOptions) {
    this.#options = options;
    this.#reader = new Reader(options.url, options.connections, connectionLimits, patienceMs, options.idleMs);
  }

  async read(chargerId: string, query: LogQuery): Promise<LogPage> {
    const { clock, maxEntries, maxAgeMs } = this.#options;
    const before = query.before === undefined ? Number.MAX_SAFE_INTEGER : numberOf(query.before);
    // The numbers are in the text: a planner that does not know them expects a tenth of the table.
    const rows = await this.#reader.all(
      `SELECT number, at, direction, kind, action, message_id, raw, latency_ms, command_id
       FROM (SELECT * FROM frame_log WHERE charger_id = $1 ORDER BY number DESC LIMIT ${maxEntries}) AS kept
       WHERE number < $2 AND at >= $3 AND ($4::float8 IS NULL OR at <= $4)
         AND ($5::text IS NULL OR direction = $5) AND ($6::text IS NULL OR action = $6)
       ORDER BY number DESC LIMIT ${query.limit + 1}`,
      [
        chargerId,
        before,
        startOf(query, clock.nowMs() - maxAgeMs),
        query.untilMs ?? null,
        query.direction ?? null,
        query.action ?? null,
      ],
    );
    const entries = rows.slice(0, query.limit).map(entryOf);
    return { entries, next: rows.length > query.limit ? (entries.at(-1)?.id ?? null) : null };
  }

  close(): Promise<void> {
    return this.#reader.close();
  }
}

function entryOf([number, at, direction, kind, action, messageId, raw, latencyMs, commandId]: Row): StoredLogEntry {
  return {
    id: String(number),
    atMs: at as number,
    direction: direction as LogEntry['direction'],
    kind: kind as LogEntry['kind'],
    action: action as string | null,
    messageId: messageId as string | null,
    raw: raw as string,
    latencyMs: latencyMs as number | null,
    commandId: commandId as string | null,
  };
}

/** 0, before which there is nothing, for what is not an id. */
function numberOf(id: string): number {
  return /^[1-9]\d{0,15}$/.test(id) ? Number(id) : 0;
}
