// The log of a fleet process in a PostgreSQL database that all processes share, written in batches behind the appends.

import type { Clock } from '../../ports/clock.ts';
import type { JournalWriter, LogEntry, LogPage, LogQuery } from '../../ports/journal.ts';
import { connectionLimits } from '../postgres/session.ts';
import { type CopyPage, createPage, emptied, hasRoom, roomFor, writeEntry } from './copy-page.ts';
import { type PartLimits, partLimits } from './log-parts.ts';
import { PageLane } from './page-lane.ts';
import { PostgresLog } from './postgres-log.ts';

export interface PostgresJournalOptions {
  /** Of a database that a store has brought up to date. */
  readonly url: string;
  readonly clock: Clock;
  readonly maxEntries: number;
  readonly maxAgeMs: number;
  readonly parts?: Partial<Omit<PartLimits, 'maxAgeMs'>>;
  readonly maxWaitingBytes?: number;
  /** Hears of a database that fails: once, and again only when it had worked in between. */
  readonly onError?: (error: Error) => void;
}

/** Pages that wait for a database that is slow or away may take this much together; entries beyond it are dropped and counted. */
const maxWaitingBytes = 32 * 1024 * 1024;
/** An entry waits this long at most before its page is due. A batch has its price, whatever is in it. */
const flushAfterMs = 250;
const partsEveryMs = 30_000;
/** How long the end waits for a database that is away. */
const closeMs = 3_000;
const freePagesKept = 2;
/** A fleet process reads seldom, when a CSMS wants the log of a charger: its connection for that ends by itself. */
const readingIdleMs = 1_000;

export class PostgresJournal implements JournalWriter {
  readonly #clock: Clock;
  readonly #maxWaitingBytes: number;
  readonly #lane: PageLane;
  readonly #log: PostgresLog;
  readonly #freePages: CopyPage[] = [];
  /** Where entries go to, from its first to its last or to the next flush. */
  #page: CopyPage | null = null;
  #pageIsDue = false;
  #cancelTimer = (): void => {};
  #cancelParts = (): void => {};
  #closing: Promise<void> | null = null;
  #lost = 0;

  constructor(options: PostgresJournalOptions) {
    const { url, clock, maxEntries, maxAgeMs, onError = () => {} } = options;
    this.#clock = clock;
    this.#maxWaitingBytes = options.maxWaitingBytes ?? maxWaitingBytes;
    this.#log = new PostgresLog({ url, clock, maxEntries, maxAgeMs, connections: 1, idleMs: readingIdleMs });
    this.#lane = new PageLane({
      url,
      connection: connectionLimits,
      parts: { ...partLimits, ...options.parts, maxAgeMs },
      nowMs: () => clock.nowMs(),
      // Not as soon as it was due: while the last batch was under way the page went on filling, which makes fewer and larger ones.
      idle: () => {
        if (this.#pageIsDue) this.#queuePage();
      },
      written: (page) => {
        const free = emptied(page);
        if (free !== null && this.#freePages.length < freePagesKept) this.#freePages.push(free);
      },
      lost: ({ entries }) => {
        this.#lost += entries;
      },
      onError,
    });
    this.#lookAfterParts();
  }

  /** How many entries were lost since the start because the database failed, was away or was too slow. */
  get lost(): number {
    return this.#lost;
  }

  append(chargerId: string, entry: LogEntry): void {
    const room = roomFor(chargerId, entry);
    const page = this.#page !== null && hasRoom(this.#page, room) ? this.#page : this.#nextPage(room);
    if (page === null) this.#lost += 1;
    else writeEntry(page, chargerId, entry);
  }

  async flush(): Promise<void> {
    // While the database is away the page goes on filling: nearly empty ones would take the room of full ones.
    if (!this.#lane.isFailing) this.#queuePage();
    if (!this.#lane.isIdle) await this.#lane.mark();
  }

  async read(chargerId: string, query: LogQuery): Promise<LogPage> {
    await this.flush();
    return this.#log.read(chargerId, query);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#cancelParts();
    this.#queuePage();
    await this.#lane.close(closeMs);
  }

  /** The slow part of an append: once for each page, so once for each flush. Null when the entry has to be dropped. */
  #nextPage(room: number): CopyPage | null {
    this.#queuePage();
    if (this.#closing !== null || this.#lane.waitingBytes >= this.#maxWaitingBytes) return null;
    const free = this.#freePages.at(-1);
    this.#page = free !== undefined && hasRoom(free, room) ? free : createPage(room);
    if (this.#page === free) this.#freePages.pop();
    this.#cancelTimer = this.#clock.at(this.#clock.nowMs() + flushAfterMs, () => {
      this.#pageIsDue = true;
      this.#lane.work();
    });
    return this.#page;
  }

  #queuePage(): void {
    this.#pageIsDue = false;
    if (this.#page === null) return;
    this.#cancelTimer();
    this.#lane.write(this.#page);
    this.#page = null;
  }

  #lookAfterParts(): void {
    this.#lane.lookAfterParts();
    this.#cancelParts = this.#clock.at(this.#clock.nowMs() + partsEveryMs, () => this.#lookAfterParts());
  }
}
