// Frames as a client sends them (RFC 6455, 5.2): whole, masked, each in one piece.

import { randomMask } from './random-bytes.ts';

const FINAL = 0x80;
const MASKED = 0x80;
const MASK_BYTES = 4;
const MAX_HEADER_BYTES = 10 + MASK_BYTES;
const none = Buffer.alloc(0);

/** Frames are cut from it one after the other. Their payloads begin with a word of it, so that they are masked by words. */
let words = new Int32Array(0);
let bytes = Buffer.from(words.buffer);
let usedBytes = 0;
const SLAB_BYTES = 64 * 1024;
/** Up to here the longest that a text could get is little enough to be set aside unseen. */
const SHORT_TEXT = 4 * 1024;

export function textFrame(text: string): Buffer {
  const at = roomFor(text.length <= SHORT_TEXT ? 3 * text.length : Buffer.byteLength(text));
  return frameAt(at, bytes.write(text, at), 0x1);
}

export function pingFrame(): Buffer {
  return controlFrame(none, 0x9);
}

export function pongFrame(payload: Uint8Array): Buffer {
  return controlFrame(payload, 0xa);
}

/** Null: without a code, and so without a reason. */
export function closeFrame(code: number | null, reason: string): Buffer {
  if (code === null) return controlFrame(none, 0x8);
  return controlFrame(Buffer.concat([Buffer.of(code >> 8, code & 0xff), Buffer.from(reason)]), 0x8);
}

function controlFrame(payload: Uint8Array, kind: number): Buffer {
  const at = roomFor(payload.length);
  bytes.set(payload, at);
  return frameAt(at, payload.length, kind);
}

/** Where a payload of so many bytes at most may be written. */
function roomFor(byteCount: number): number {
  const at = wholeWords(usedBytes + MAX_HEADER_BYTES) * 4;
  if (at + byteCount <= bytes.length) return at;
  words = new Int32Array(wholeWords(Math.max(SLAB_BYTES, MAX_HEADER_BYTES + 4 + byteCount)));
  bytes = Buffer.from(words.buffer);
  usedBytes = 0;
  return wholeWords(MAX_HEADER_BYTES) * 4;
}

/** Masks the payload (5.3) and puts the header before it. */
function frameAt(at: number, byteCount: number, kind: number): Buffer {
  const mask = randomMask();
  const endWord = wholeWords(at + byteCount);
  words[at / 4 - 1] = mask;
  for (let word = at / 4; word < endWord; word++) words[word] = (words[word] as number) ^ mask;
  usedBytes = endWord * 4;
  const lengthBytes = byteCount < 126 ? 0 : byteCount < 65_536 ? 2 : 8;
  const start = at - MASK_BYTES - lengthBytes - 2;
  bytes[start] = FINAL | kind;
  bytes[start + 1] = MASKED | (lengthBytes === 0 ? byteCount : lengthBytes === 2 ? 126 : 127);
  if (lengthBytes === 2) bytes.writeUInt16BE(byteCount, start + 2);
  else if (lengthBytes === 8) bytes.writeBigUInt64BE(BigInt(byteCount), start + 2);
  return bytes.subarray(start, at + byteCount);
}

function wholeWords(byteCount: number): number {
  return (byteCount + 3) >>> 2;
}
