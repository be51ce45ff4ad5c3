// Reads the frames that a server sends (RFC 6455, section 5), however its bytes are cut into chunks.

import { isUtf8 } from 'node:buffer';
import { isSendableCode } from './close-frame.ts';
import { MAX_MESSAGE_BYTES } from './limits.ts';
import { type Breach, breachOf, NOT_UTF8, TOO_LONG } from './reasons.ts';

/** Who hears what was read. Each says whether to read on; after a close frame or a breach nothing is read in any case. */
export interface FrameReader {
  /** Text, or bytes taken for text. */
  messageRead(text: string): boolean;
  /** The payload is overwritten after the call. */
  pingRead(payload: Uint8Array): boolean;
  pongRead(): boolean;
  /** 1005: the frame held no code. */
  closeRead(code: number, reason: string): false;
  breachRead(breach: Breach): false;
}

/** What has come and is not whole yet. */
export interface Unfinished {
  frame: Gathered | null;
  /** How long the frame must be for another look at it. */
  wantedBytes: number;
  message: Gathered | null;
  isText: boolean;
}

interface Gathered {
  bytes: Buffer;
  byteCount: number;
}

const FINAL = 0x80;
const RESERVED = 0x70;
const KIND = 0x0f;
const MASKED = 0x80;
const CONTINUATION = 0x0;
const TEXT = 0x1;
const BINARY = 0x2;
const CLOSE = 0x8;
const PING = 0x9;
const PONG = 0xa;

/**
 * Reads `chunk` from `start` to `end`, after what is `unfinished`. Returns what is unfinished then: as a rule nothing, because a
 * message is one frame that comes in one chunk. Keeps no part of the chunk itself.
 */
export function readFrames(
  reader: FrameReader,
  unfinished: Unfinished | null,
  chunk: Buffer,
  start: number,
  end: number,
): Unfinished | null {
  let state = unfinished;
  let bytes = chunk;
  let at = start;
  let until = end;
  if (state !== null && state.frame !== null) {
    const frame = gather(state.frame, chunk, start, end);
    if (frame.byteCount < state.wantedBytes) return state;
    state.frame = null;
    bytes = frame.bytes;
    at = 0;
    until = frame.byteCount;
  }
  let wantedBytes = 2;
  while (until - at >= 2) {
    const first = bytes[at] as number;
    const second = bytes[at + 1] as number;
    const message = state === null ? null : state.message;
    if (first !== (FINAL | TEXT) || second >= MASKED || message !== null) {
      const words = breachIn(first, second, message !== null);
      if (words !== null) {
        reader.breachRead(breachOf(words));
        return null;
      }
    }
    const headerBytes = second < 126 ? 2 : second === 126 ? 4 : 10;
    wantedBytes = headerBytes;
    if (until - at < headerBytes) break;
    const payloadBytes = headerBytes === 2 ? second : longLength(bytes, at + 2, headerBytes);
    const kind = first & KIND;
    if (kind < CLOSE && payloadBytes + (message === null ? 0 : message.byteCount) > MAX_MESSAGE_BYTES) {
      reader.breachRead(TOO_LONG);
      return null;
    }
    wantedBytes = headerBytes + payloadBytes;
    if (until - at < wantedBytes) break;
    const from = at + headerBytes;
    at += wantedBytes;
    wantedBytes = 2;
    let goesOn: boolean;
    if (kind >= CLOSE) {
      goesOn = readControl(reader, kind, bytes.subarray(from, at));
    } else if (first >= FINAL && message === null) {
      goesOn = readMessage(reader, kind === TEXT, bytes, from, at);
    } else {
      state ??= { frame: null, wantedBytes: 0, message: null, isText: kind === TEXT };
      if (message === null) state.isText = kind === TEXT;
      const gathered = gather(message, bytes, from, at);
      state.message = first >= FINAL ? null : gathered;
      goesOn = first < FINAL || readMessage(reader, state.isText, gathered.bytes, 0, gathered.byteCount);
    }
    if (!goesOn) return null;
  }
  if (at < until) {
    state ??= { frame: null, wantedBytes: 0, message: null, isText: false };
    state.frame = gather(null, bytes, at, until);
    state.wantedBytes = wantedBytes;
    return state;
  }
  return state === null || state.message === null ? null : state;
}

/** What is wrong with the first two bytes of a frame. */
function breachIn(first: number, second: number, isWithinMessage: boolean): string | null {
  const kind = first & KIND;
  if ((first & RESERVED) !== 0) return 'a reserved bit is set';
  if (second >= MASKED) return 'a frame is masked';
  if (kind === CLOSE || kind === PING || kind === PONG) {
    if (first < FINAL) return 'a control frame is not whole';
    return second > 125 ? 'a control frame is too long' : null;
  }
  if (kind === CONTINUATION) return isWithinMessage ? null : 'a message goes on that never began';
  if (kind !== TEXT && kind !== BINARY) return `there is no kind of frame ${kind}`;
  return isWithinMessage ? 'a message begins within another' : null;
}

function longLength(bytes: Buffer, at: number, headerBytes: 4 | 10): number {
  // More than what a number can count is not exact, but too long all the same.
  return headerBytes === 4 ? bytes.readUInt16BE(at) : bytes.readUInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4);
}

function readMessage(reader: FrameReader, isText: boolean, bytes: Buffer, from: number, to: number): boolean {
  const text = bytes.toString('utf8', from, to);
  return isText && isSpoiled(text, bytes, from, to) ? reader.breachRead(NOT_UTF8) : reader.messageRead(text);
}

/** Where bytes are not UTF-8 their text has a replacement character, which may have been sent as such, too. */
function isSpoiled(text: string, bytes: Buffer, from: number, to: number): boolean {
  return text.includes('\uFFFD') && !isUtf8(bytes.subarray(from, to));
}

function readControl(reader: FrameReader, kind: number, payload: Buffer): boolean {
  if (kind === PING) return reader.pingRead(payload);
  if (kind === PONG) return reader.pongRead();
  if (payload.length === 0) return reader.closeRead(1005, '');
  if (payload.length === 1) return reader.breachRead(breachOf('a close frame has half a code'));
  const code = payload.readUInt16BE(0);
  if (!isSendableCode(code)) return reader.breachRead(breachOf(`nobody may close with ${code}`));
  const reason = payload.toString('utf8', 2);
  return isSpoiled(reason, payload, 2, payload.length) ? reader.breachRead(NOT_UTF8) : reader.closeRead(code, reason);
}

/** Grows in leaps: a message in many small pieces costs little more than one in a few large ones. */
function gather(gathered: Gathered | null, from: Buffer, start: number, end: number): Gathered {
  const grown = gathered ?? { bytes: Buffer.allocUnsafeSlow(end - start), byteCount: 0 };
  const byteCount = grown.byteCount + end - start;
  if (byteCount > grown.bytes.length) {
    const bytes = Buffer.allocUnsafeSlow(2 * byteCount);
    grown.bytes.copy(bytes, 0, 0, grown.byteCount);
    grown.bytes = bytes;
  }
  from.copy(grown.bytes, grown.byteCount, start, end);
  grown.byteCount = byteCount;
  return grown;
}
