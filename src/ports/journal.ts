// The log of a charger: every OCPP frame in and out and every event of its life, for people to read.

export type LogDirection = 'in' | 'out' | 'internal';
export type LogKind = 'call' | 'result' | 'error' | 'lifecycle' | 'command';

export interface LogEntry {
  readonly atMs: number;
  readonly direction: LogDirection;
  readonly kind: LogKind;
  /** The OCPP action, of answers too; of a lifecycle entry what happened (`connected`); of a command its event type. */
  readonly action: string | null;
  readonly messageId: string | null;
  /** The text exactly as it went over the wire, secrets masked; for internal entries a JSON text. */
  readonly raw: string;
  /** Of an answer: how long it took. */
  readonly latencyMs: number | null;
  readonly commandId: string | null;
}

export interface StoredLogEntry extends LogEntry {
  /** Names this entry among those of its charger; also the cursor that continues after it. */
  readonly id: string;
}

export interface LogReader {
  /**
   * Reads newest first. `before` is the id of an entry: only older ones.
   * Entries past the retention (per charger: a number of entries and an age) are not returned and their space is freed by and by.
   * A damaged or torn record ends the reading there: it is never an error.
   */
  read(chargerId: string, query: LogQuery): Promise<LogPage>;
}

/**
 * Where chargers write. One writer per fleet process. Writing must cost next to nothing: it returns at once, what was appended
 * leaves the process within 250 ms, and a crash may lose that much of the log (never of a charger's state). What keeps the log may be
 * slow or away: then entries wait, up to a limit, and those beyond it are dropped and counted. A charger's entries keep their order.
 * It is read through what is still unflushed too.
 */
export interface JournalWriter extends LogReader {
  append(chargerId: string, entry: LogEntry): void;
  /** When it resolves, everything appended before is readable. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export interface LogQuery {
  readonly before?: string;
  readonly limit: number;
  readonly direction?: LogDirection;
  readonly action?: string;
  /** The first and the last moment asked for, both included. A charger's entries are taken to be in the order of time. */
  readonly sinceMs?: number;
  readonly untilMs?: number;
}

export interface LogPage {
  readonly entries: readonly StoredLogEntry[];
  /** The id to continue before; null when there is no more. */
  readonly next: string | null;
}
