// Log entries as the rows of a binary COPY: how they lie in the bytes that PostgreSQL is given.

import type { LogEntry } from '../../ports/journal.ts';
import { storable } from '../postgres/values.ts';

/** Memory that rows are written into, one after the other. */
export interface CopyPage {
  readonly bytes: Buffer;
  used: number;
  entries: number;
}

/** In this order. */
const columns = 'at, latency_ms, charger_id, direction, kind, action, message_id, command_id, raw';
const columnCount = 9;
export const copyStatement = `COPY frame_log (${columns}) FROM STDIN (FORMAT binary)`;

/** The signature, no flags, no extension. */
const header = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const trailerBytes = 2;
/** The count of columns, the lengths of all, two numbers, and the longest words for direction and kind. */
const fixedBytes = 2 + 4 * columnCount + 2 * 8 + 'internal'.length + 'lifecycle'.length;
const pageBytes = 256 * 1024;
/** Longer texts are cut, as in the segments. */
const maxTextCharacters = 4 * 1024 * 1024;

/** At most this many bytes will be written for the entry: a UTF-16 unit takes up to three. */
export function roomFor(chargerId: string, { action, messageId, commandId, raw }: LogEntry): number {
  const characters = chargerId.length + lengthOf(action) + lengthOf(messageId) + lengthOf(commandId) + lengthOf(raw);
  return fixedBytes + 3 * characters;
}

export function createPage(room: number): CopyPage {
  const bytes = Buffer.allocUnsafeSlow(Math.max(pageBytes, header.length + room + trailerBytes));
  header.copy(bytes);
  return { bytes, used: header.length, entries: 0 };
}

export function hasRoom({ bytes, used }: CopyPage, room: number): boolean {
  return used + room + trailerBytes <= bytes.length;
}

export function writeEntry(page: CopyPage, chargerId: string, entry: LogEntry): void {
  const { bytes } = page;
  let at = bytes.writeInt16BE(columnCount, page.used);
  at = writeNumber(bytes, at, entry.atMs);
  at = writeNumber(bytes, at, entry.latencyMs);
  at = writeText(bytes, at, chargerId);
  at = writeText(bytes, at, entry.direction);
  at = writeText(bytes, at, entry.kind);
  at = writeText(bytes, at, entry.action);
  at = writeText(bytes, at, entry.messageId);
  at = writeText(bytes, at, entry.commandId);
  page.used = writeText(bytes, at, entry.raw);
  page.entries += 1;
}

/** All of it, as the server wants it; the page can take more rows afterwards. */
export function contentOf({ bytes, used }: CopyPage): Buffer {
  return bytes.subarray(0, bytes.writeInt16BE(-1, used));
}

/** For new rows, after its own were written; null when it is too large to be kept. */
export function emptied(page: CopyPage): CopyPage | null {
  if (page.bytes.length > pageBytes) return null;
  page.used = header.length;
  page.entries = 0;
  return page;
}

function writeNumber(bytes: Buffer, at: number, value: number | null): number {
  return value === null ? bytes.writeInt32BE(-1, at) : bytes.writeDoubleBE(value, bytes.writeInt32BE(8, at));
}

function writeText(bytes: Buffer, at: number, text: string | null): number {
  if (text === null) return bytes.writeInt32BE(-1, at);
  const short = text.length > maxTextCharacters ? text.slice(0, maxTextCharacters) : text;
  const length = bytes.write(storable(short), at + 4);
  return bytes.writeInt32BE(length, at) + length;
}

function lengthOf(text: string | null): number {
  return text === null ? 0 : Math.min(text.length, maxTextCharacters);
}
