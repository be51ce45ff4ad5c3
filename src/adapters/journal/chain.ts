// Reading the entries of one charger, newest first, by following its chain of records through the segments.

import { type FileHandle, open } from 'node:fs/promises';
import type { LogPage, LogQuery, StoredLogEntry } from '../../ports/journal.ts';
import type { Head } from './heads.ts';
import { matches, startOf } from './query.ts';
import { createPage, lengthAt, type Page, readRecord, type SegmentRecord } from './record.ts';

export interface ChainSource {
  /** Undefined when there is no such segment any more. */
  pathOf(segment: number): string | undefined;
}

export interface ChainBounds {
  /** Records with a smaller sequence number are past the retention. */
  readonly oldestSequence: number;
  readonly oldestAtMs: number;
}

interface Place {
  readonly segment: number;
  readonly offset: number;
}

/** Enough for nearly all records. */
const RECORD_BYTES = 2 * 1024;
/** In a small fleet the records of a chain lie close together: then one read fetches several. */
const WINDOW_BYTES = 16 * 1024;

export async function readChain(
  source: ChainSource,
  chargerId: string,
  head: Head,
  query: LogQuery,
  bounds: ChainBounds,
): Promise<LogPage> {
  const cursor = new ChainCursor(source, chargerId);
  try {
    if (query.before === undefined) return await collect(cursor, head, head.sequence + 1, query, bounds);
    const before = parseId(query.before);
    const newer = before === null ? null : await cursor.read(before);
    if (newer === null) return { entries: [], next: null };
    return await collect(cursor, previousOf(newer), newer.sequence, query, bounds);
  } finally {
    await cursor.close();
  }
}

/** Looks one match further than asked for, so that `next` is null exactly when nothing follows. */
async function collect(
  cursor: ChainCursor,
  start: Place | null,
  startBelow: number,
  query: LogQuery,
  bounds: ChainBounds,
): Promise<LogPage> {
  const entries: StoredLogEntry[] = [];
  const oldestAtMs = startOf(query, bounds.oldestAtMs);
  let place = start;
  let newerSequence = startBelow;
  while (place !== null) {
    const record: SegmentRecord | null = await cursor.read(place);
    // A chain only ever goes down: anything else is damage that could lead in a circle.
    if (record === null || record.sequence >= newerSequence) break;
    if (record.sequence < bounds.oldestSequence || record.entry.atMs < oldestAtMs) break;
    if (matches(record.entry, query)) {
      if (entries.length >= query.limit) return { entries, next: entries.at(-1)?.id ?? null };
      entries.push({ id: idOf(place), ...record.entry });
    }
    newerSequence = record.sequence;
    place = previousOf(record);
  }
  return { entries, next: null };
}

function previousOf(record: SegmentRecord): Place | null {
  if (record.previousSegment === 0) return null;
  return { segment: record.previousSegment, offset: record.previousOffset };
}

/** The id of an entry is the place of its record. */
function idOf(place: Place): string {
  return `${place.segment.toString(36)}-${place.offset.toString(36)}`;
}

function parseId(id: string): Place | null {
  const [, segment, offset] = /^([0-9a-z]{1,11})-([0-9a-z]{1,7})$/.exec(id) ?? [];
  if (segment === undefined || offset === undefined) return null;
  return { segment: Number.parseInt(segment, 36), offset: Number.parseInt(offset, 36) };
}

/** Reads records of one charger; keeps the one file open in which it read last, and what it read there. */
class ChainCursor {
  readonly #source: ChainSource;
  readonly #chargerId: string;
  #segment = 0;
  #file: FileHandle | null = null;
  #page: Page = createPage(WINDOW_BYTES);
  /** The page holds the file's bytes from here on, `filled` of them. */
  #start = 0;
  #filled = 0;

  constructor(source: ChainSource, chargerId: string) {
    this.#source = source;
    this.#chargerId = chargerId;
  }

  /** Null for a record that is gone, damaged or of another charger. */
  async read({ segment, offset }: Place): Promise<SegmentRecord | null> {
    if (offset % 8 !== 0) return null;
    const file = await this.#open(segment);
    if (file === null) return null;
    if (!this.#holds(offset)) {
      const isNear = this.#filled > 0 && Math.abs(this.#start - offset) < WINDOW_BYTES;
      await this.#fill(
        file,
        isNear ? Math.max(0, offset + RECORD_BYTES - WINDOW_BYTES) : offset,
        offset + RECORD_BYTES,
      );
      const length = lengthAt(this.#page, offset - this.#start, this.#filled);
      if (length > RECORD_BYTES) await this.#fill(file, offset, offset + length);
    }
    const record = readRecord(this.#page, offset - this.#start, this.#filled, segment, offset);
    return record !== null && record.chargerId === this.#chargerId ? record : null;
  }

  async close(): Promise<void> {
    this.#filled = 0;
    await this.#file?.close();
    this.#file = null;
  }

  async #open(segment: number): Promise<FileHandle | null> {
    if (segment === this.#segment) return this.#file;
    await this.close();
    this.#segment = segment;
    const path = this.#source.pathOf(segment);
    if (path === undefined) return null;
    try {
      this.#file = await open(path, 'r');
    } catch {
      // Deleted a moment ago, or unreadable: the chain ends here.
    }
    return this.#file;
  }

  /** Whether all of the record at this offset has been read already. */
  #holds(offset: number): boolean {
    if (offset < this.#start) return false;
    const length = lengthAt(this.#page, offset - this.#start, this.#filled);
    return length > 0 && offset - this.#start + length <= this.#filled;
  }

  async #fill(file: FileHandle, start: number, end: number): Promise<void> {
    this.#start = start;
    this.#filled = 0;
    if (end - start > this.#page.bytes.length) this.#page = createPage(end - start);
    try {
      this.#filled = (await file.read(this.#page.bytes, 0, end - start, start)).bytesRead;
    } catch {
      // Unreadable: nothing is held, and the chain ends here.
    }
  }
}
