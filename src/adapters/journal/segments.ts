// The log of a fleet process in append-only segment files, made so that an entry costs about a microsecond.

import { Failure } from '../../errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { JournalWriter, LogEntry, LogPage, LogQuery } from '../../ports/journal.ts';
import { type ChainSource, readChain } from './chain.ts';
import { writeHeadFile } from './head-file.ts';
import type { HeadTable } from './heads.ts';
import { type KnownSegment, type LoadedFolder, loadFolder } from './load.ts';
import { chainAt, chargerAt, lengthAt, type Page, roomFor, sealRecord, writeChain, writeEntry } from './record.ts';
import { type Retention, removeOld } from './retention.ts';
import { createSegmentFile, isWriterName, segmentPath } from './segment-folder.ts';
import { type OpenSegment, WriteBehind, type WriteBehindOwner } from './write-behind.ts';

export interface SegmentJournalOptions extends Partial<Retention> {
  /** Shared by all writers of the machine; made when it is missing. */
  readonly folder: string;
  /** Names this fleet process among those that write into the folder: letters, digits, `-` and `_`. At most one at a time may use it. */
  readonly writer: string;
  readonly clock: Clock;
  /** A segment is ended when it would become larger. */
  readonly segmentBytes?: number;
  /** An entry waits this long at most before it is given to the operating system. */
  readonly flushAfterMs?: number;
  /** Hears of a disk that fails: once, and again only when it had worked in between. */
  readonly onError?: (error: Error) => void;
}

/** Pages that wait for a slow disk may take this much together; entries beyond it are dropped and counted. */
const MAX_WAITING_BYTES = 32 * 1024 * 1024;
/** After a segment could not be made the next attempt waits: one per entry would be a flood of failing calls. */
const RETRY_AFTER_MS = 1_000;
/** Each read has a file open; more than this many wait for their turn. */
const MAX_CONCURRENT_READS = 8;

const nothing: LogPage = { entries: [], next: null };

export async function openSegmentJournal(options: SegmentJournalOptions): Promise<SegmentJournal> {
  const { folder, writer } = options;
  if (!isWriterName(writer)) throw new Failure('bad_setting', `"${writer}" cannot name a writer of logs`);
  try {
    const journal = new SegmentJournal(options, await loadFolder(folder, writer));
    await journal.removeOld();
    return journal;
  } catch (error) {
    throw new Failure('store_failed', `the log folder ${folder} cannot be used`, { cause: error });
  }
}

export class SegmentJournal implements JournalWriter, ChainSource, WriteBehindOwner {
  readonly #folder: string;
  readonly #writer: string;
  readonly #clock: Clock;
  readonly #retention: Retention;
  readonly #segmentBytes: number;
  readonly #flushAfterMs: number;
  readonly #heads: HeadTable;
  /** Everything that can be read, of all writers, the open segment included. */
  readonly #segments: Map<number, KnownSegment>;
  readonly #disk: WriteBehind;

  #segment: OpenSegment | null = null;
  #lastNumber: number;
  /** Where entries go to, from its first to its last or to the next flush. */
  #page: Page | null = null;
  #used = 0;
  #pageIsDue = false;
  #cancelTimer: (() => void) | null = null;

  #closed = false;
  #retryAtMs = 0;
  #lost = 0;
  #reads = 0;
  readonly #waitingReads: (() => void)[] = [];

  constructor(options: SegmentJournalOptions, loaded: LoadedFolder) {
    this.#folder = options.folder;
    this.#writer = options.writer;
    this.#clock = options.clock;
    this.#retention = {
      maxEntries: options.maxEntries ?? 1_000,
      maxAgeMs: options.maxAgeMs ?? 24 * 3_600_000,
      segmentAgeMs: options.segmentAgeMs ?? 3_600_000,
      budgetBytes: options.budgetBytes ?? 2 * 1024 ** 3,
    };
    this.#segmentBytes = options.segmentBytes ?? 64 * 1024 ** 2;
    this.#flushAfterMs = options.flushAfterMs ?? 50;
    this.#heads = loaded.heads;
    this.#segments = loaded.segments;
    this.#lastNumber = loaded.lastNumber;
    this.#disk = new WriteBehind(this, options.onError ?? (() => {}));
  }

  /** How many entries were lost since the start because the disk failed or was too slow. */
  get lost(): number {
    return this.#lost;
  }

  /** How many disk operations have failed since the start. */
  get failures(): number {
    return this.#disk.failures;
  }

  append(chargerId: string, entry: LogEntry): void {
    const page = this.#pageWith(roomFor(chargerId, entry));
    const segment = this.#segment;
    if (page === null || segment === null) {
      this.#lost++;
      return;
    }
    const at = this.#used;
    const offset = segment.bytes + at;
    const length = writeEntry(page, at, chargerId, entry);
    const heads = this.#heads;
    const slot = heads.claim(chargerId);
    const sequence = heads.sequenceAt(slot) + 1;
    writeChain(page, at, sequence, heads.segmentAt(slot), heads.offsetAt(slot));
    sealRecord(page, at, length, segment.name.number, offset);
    heads.set(slot, segment.name.number, offset, sequence);
    this.#used = at + length;
  }

  async flush(): Promise<void> {
    this.#queuePage();
    if (!this.#disk.isIdle) await this.#disk.mark();
  }

  async read(chargerId: string, query: LogQuery): Promise<LogPage> {
    const failuresBefore = this.failures;
    let head = this.#heads.find(chargerId);
    await this.#beginRead();
    try {
      await this.flush();
      // A failed write has taken the newest entries back.
      if (this.failures !== failuresBefore) head = this.#heads.find(chargerId);
      if (head === null) return nothing;
      return await readChain(this, chargerId, head, query, {
        oldestSequence: head.sequence - this.#retention.maxEntries + 1,
        oldestAtMs: this.#clock.nowMs() - this.#retention.maxAgeMs,
      });
    } finally {
      this.#endRead();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#endSegment();
    await this.flush();
  }

  /** Throws away what the retention allows; done at the start and whenever a segment ends. */
  async removeOld(): Promise<void> {
    const nowMs = this.#clock.nowMs();
    const removed = await removeOld(this.#folder, this.#writer, this.#segments, this.#retention, nowMs);
    if (removed > 0) this.#heads.prune((segment) => this.#segments.has(segment));
  }

  pathOf(segment: number): string | undefined {
    const known = this.#segments.get(segment);
    return known === undefined ? undefined : segmentPath(this.#folder, known.name);
  }

  lineIsIdle(): void {
    // Not as soon as it was due: while the last write was under way the page went on filling, which makes fewer and larger writes.
    if (this.#pageIsDue) this.#queuePage();
  }

  writeFailed(): void {
    this.#queuePage();
  }

  pageLost(page: Page, used: number): void {
    const places: number[] = [];
    for (let at = 0; at < used; at += lengthAt(page, at, used)) places.push(at);
    for (const at of places.reverse()) {
      const { sequence, previousSegment, previousOffset } = chainAt(page, at);
      this.#heads.set(this.#heads.claim(chargerAt(page, at)), previousSegment, previousOffset, sequence - 1);
    }
    this.#lost += places.length;
  }

  async segmentEnded({ name, bytes }: OpenSegment, snapshot: Buffer | null): Promise<void> {
    this.#segments.set(name.number, { name, bytes });
    if (snapshot !== null) await writeHeadFile(this.#folder, name, snapshot);
    await this.removeOld();
  }

  /** Null when the entry has to be dropped. */
  #pageWith(room: number): Page | null {
    const page = this.#page;
    if (page === null || this.#segment === null || page.bytes.length - this.#used < room) return this.#nextPage(room);
    return this.#segment.bytes + this.#used + room <= this.#segmentBytes ? page : this.#nextPage(room);
  }

  /** The slow part of an append: once for each page, so once for each flush. */
  #nextPage(room: number): Page | null {
    this.#queuePage();
    if (this.#closed || this.#disk.waitingBytes >= MAX_WAITING_BYTES) return null;
    const nowMs = this.#clock.nowMs();
    if (this.#segment !== null && !this.#takes(this.#segment, room, nowMs)) this.#endSegment();
    if (this.#segment === null && !this.#beginSegment(nowMs)) return null;
    this.#page = this.#disk.takePage(room);
    this.#cancelTimer = this.#clock.at(nowMs + this.#flushAfterMs, () => {
      this.#cancelTimer = null;
      this.#pageIsDue = true;
      this.#disk.work();
    });
    return this.#page;
  }

  #takes(segment: OpenSegment, room: number, nowMs: number): boolean {
    if (segment.bytes > 0 && segment.bytes + room > this.#segmentBytes) return false;
    return nowMs < segment.name.number + this.#retention.segmentAgeMs;
  }

  #beginSegment(nowMs: number): boolean {
    if (nowMs < this.#retryAtMs) return false;
    try {
      const { name, file } = createSegmentFile(this.#folder, this.#writer, Math.max(nowMs, this.#lastNumber + 1));
      this.#segment = { name, file, bytes: 0 };
      this.#segments.set(name.number, { name, bytes: 0 });
      this.#lastNumber = name.number;
      return true;
    } catch (error) {
      this.#retryAtMs = nowMs + RETRY_AFTER_MS;
      this.#disk.fail(error);
      return false;
    }
  }

  #endSegment(): void {
    this.#queuePage();
    if (this.#segment === null) return;
    // The heads of now, not of when the segment is written: they must not point past its end.
    this.#disk.end(this.#segment, this.#heads.snapshot());
    this.#segment = null;
  }

  #queuePage(): void {
    this.#pageIsDue = false;
    if (this.#page === null || this.#segment === null) return;
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#disk.write(this.#segment, this.#page, this.#used);
    this.#page = null;
    this.#used = 0;
  }

  async #beginRead(): Promise<void> {
    if (this.#reads < MAX_CONCURRENT_READS) this.#reads++;
    else await new Promise<void>((turn) => this.#waitingReads.push(turn));
  }

  #endRead(): void {
    const next = this.#waitingReads.shift();
    if (next === undefined) this.#reads--;
    else next();
  }
}
