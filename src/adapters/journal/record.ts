// One record of a segment: how a log entry lies in bytes, and how to tell a whole record from a damaged one.

import type { LogDirection, LogEntry, LogKind } from '../../ports/journal.ts';

/**
 * Memory that records are written into and read from. The three views show the same bytes; every record starts at a multiple of 8.
 * Numbers are in the byte order of the machine: segments are not carried between machines.
 */
export interface Page {
  readonly bytes: Buffer;
  readonly words: Int32Array;
  readonly doubles: Float64Array;
}

export interface SegmentRecord {
  readonly chargerId: string;
  readonly entry: LogEntry;
  /** Counts the entries of this charger, from 1. */
  readonly sequence: number;
  /** Where the record before this one of the same charger lies; segment 0 says that there is none. */
  readonly previousSegment: number;
  readonly previousOffset: number;
}

// The first 64 bytes, by word (4 bytes) or double (8 bytes). Lengths are in bytes; -1 stands for null.
const LENGTH = 0;
const CHECK = 1;
const SEQUENCE = 2;
const PREVIOUS_OFFSET = 3;
const PREVIOUS_SEGMENT_DOUBLE = 2;
const AT_DOUBLE = 3;
const LATENCY_DOUBLE = 4; // NaN stands for null
const DIRECTION_AND_KIND = 10;
const CHARGER_LENGTH = 11;
const ACTION_LENGTH = 12;
const MESSAGE_LENGTH = 13;
const COMMAND_LENGTH = 14;
const RAW_LENGTH = 15;
const FIXED_WORDS = 16;
export const FIXED_BYTES = FIXED_WORDS * 4;

/** Longer texts are cut. The longest message that a link lets in is a quarter of this. */
export const MAX_TEXT_CHARACTERS = 4 * 1024 * 1024;
/** No whole record is longer, so a greater length is damage. */
export const MAX_RECORD_BYTES = 64 * 1024 * 1024;

const directions: readonly LogDirection[] = ['in', 'out', 'internal'];
const kinds: readonly LogKind[] = ['call', 'result', 'error', 'lifecycle', 'command'];

export function createPage(size: number): Page {
  const memory = new ArrayBuffer((size + 7) & ~7);
  return { bytes: Buffer.from(memory), words: new Int32Array(memory), doubles: new Float64Array(memory) };
}

/** At most this many bytes will be written for the entry: a UTF-16 unit takes up to three. */
export function roomFor(chargerId: string, entry: LogEntry): number {
  const characters =
    chargerId.length +
    Math.min(entry.raw.length, MAX_TEXT_CHARACTERS) +
    lengthOf(entry.action) +
    lengthOf(entry.messageId) +
    lengthOf(entry.commandId);
  return FIXED_BYTES + 3 * characters + 8;
}

/** Writes everything but the chain and the check; `at` is where in the page the record starts. Returns the record's length. */
export function writeEntry(page: Page, at: number, chargerId: string, entry: LogEntry): number {
  const { bytes, words, doubles } = page;
  const word = at >>> 2;
  const double = at >>> 3;
  doubles[double + AT_DOUBLE] = entry.atMs;
  doubles[double + LATENCY_DOUBLE] = entry.latencyMs ?? Number.NaN;
  words[word + DIRECTION_AND_KIND] = directions.indexOf(entry.direction) | (kinds.indexOf(entry.kind) << 8);

  let end = at + FIXED_BYTES;
  const chargerBytes = bytes.write(chargerId, end);
  words[word + CHARGER_LENGTH] = chargerBytes;
  end += chargerBytes;
  end += writeText(page, end, word + ACTION_LENGTH, entry.action);
  end += writeText(page, end, word + MESSAGE_LENGTH, entry.messageId);
  end += writeText(page, end, word + COMMAND_LENGTH, entry.commandId);
  end += writeText(page, end, word + RAW_LENGTH, entry.raw);
  // The padding is covered by the check, and the page was used before: clear it.
  while ((end & 7) !== 0) bytes[end++] = 0;
  words[word + LENGTH] = end - at;
  return end - at;
}

export function writeChain(page: Page, at: number, sequence: number, segment: number, offset: number): void {
  page.words[(at >>> 2) + SEQUENCE] = sequence;
  page.words[(at >>> 2) + PREVIOUS_OFFSET] = offset;
  page.doubles[(at >>> 3) + PREVIOUS_SEGMENT_DOUBLE] = segment;
}

/** The last step: the check covers all of the record and the place where it lies. */
export function sealRecord(page: Page, at: number, length: number, segment: number, offset: number): void {
  page.words[(at >>> 2) + CHECK] = checkOf(page.words, at, length, segment, offset);
}

/** How long the record at `at` says it is; 0 when that cannot be. `available` is how many bytes of the page are filled. */
export function lengthAt(page: Page, at: number, available: number): number {
  if (at + FIXED_BYTES > available) return 0;
  const length = page.words[(at >>> 2) + LENGTH] as number;
  return length >= FIXED_BYTES && length <= MAX_RECORD_BYTES && (length & 7) === 0 ? length : 0;
}

/** Null when the record is torn, damaged or belongs to another place. */
export function readRecord(
  page: Page,
  at: number,
  available: number,
  segment: number,
  offset: number,
): SegmentRecord | null {
  if (!isWhole(page, at, available, segment, offset)) return null;
  const { bytes, words, doubles } = page;
  const word = at >>> 2;
  const double = at >>> 3;
  let end = at + FIXED_BYTES;
  const text = (lengthWord: number): string | null => {
    const length = words[word + lengthWord] as number;
    if (length < 0) return null;
    end += length;
    return bytes.toString('utf8', end - length, end);
  };
  const chargerId = text(CHARGER_LENGTH) ?? '';
  const action = text(ACTION_LENGTH);
  const messageId = text(MESSAGE_LENGTH);
  const commandId = text(COMMAND_LENGTH);
  const raw = text(RAW_LENGTH) ?? '';
  const directionAndKind = words[word + DIRECTION_AND_KIND] as number;
  const latencyMs = doubles[double + LATENCY_DOUBLE] as number;
  return {
    chargerId,
    entry: {
      atMs: doubles[double + AT_DOUBLE] as number,
      direction: directions[directionAndKind & 0xff] ?? 'internal',
      kind: kinds[directionAndKind >>> 8] ?? 'lifecycle',
      action,
      messageId,
      raw,
      latencyMs: Number.isNaN(latencyMs) ? null : latencyMs,
      commandId,
    },
    ...chainAt(page, at),
  };
}

/** The check of readRecord without the cost of its texts. */
export function isWhole(page: Page, at: number, available: number, segment: number, offset: number): boolean {
  const length = lengthAt(page, at, available);
  if (length === 0 || at + length > available) return false;
  return page.words[(at >>> 2) + CHECK] === checkOf(page.words, at, length, segment, offset);
}

/** Of a record known to be whole. */
export function chargerAt(page: Page, at: number): string {
  const length = page.words[(at >>> 2) + CHARGER_LENGTH] as number;
  return page.bytes.toString('utf8', at + FIXED_BYTES, at + FIXED_BYTES + length);
}

/** Of a record known to be whole. */
export function chainAt(
  page: Page,
  at: number,
): Pick<SegmentRecord, 'sequence' | 'previousSegment' | 'previousOffset'> {
  const word = at >>> 2;
  return {
    sequence: (page.words[word + SEQUENCE] as number) >>> 0,
    previousSegment: page.doubles[(at >>> 3) + PREVIOUS_SEGMENT_DOUBLE] as number,
    previousOffset: (page.words[word + PREVIOUS_OFFSET] as number) >>> 0,
  };
}

/** A mix over whole words: finds torn and overwritten bytes at half the price of a CRC. */
export function mixWords(words: Int32Array, from: number, to: number, start: number): number {
  let mixed = start;
  for (let index = from; index < to; index++) {
    mixed = Math.imul(mixed ^ (words[index] as number), 0x9e3779b1);
    mixed ^= mixed >>> 15;
  }
  return mixed;
}

function checkOf(words: Int32Array, at: number, length: number, segment: number, offset: number): number {
  const place = Math.imul(segment | 0, 0x85ebca6b) ^ offset;
  return mixWords(words, (at >>> 2) + SEQUENCE, (at + length) >>> 2, place ^ length);
}

function writeText(page: Page, at: number, lengthWord: number, text: string | null): number {
  if (text === null) {
    page.words[lengthWord] = -1;
    return 0;
  }
  const short = text.length > MAX_TEXT_CHARACTERS ? text.slice(0, MAX_TEXT_CHARACTERS) : text;
  const length = page.bytes.write(short, at);
  page.words[lengthWord] = length;
  return length;
}

function lengthOf(text: string | null): number {
  return text === null ? 0 : Math.min(text.length, MAX_TEXT_CHARACTERS);
}
