// Random bytes for masks and keys, drawn from the system many at a time: asked for singly they cost more than what they mask.

import { randomFillSync } from 'node:crypto';

const words = new Int32Array(2 * 1024);
const bytes = Buffer.from(words.buffer);
let used = words.length;

/** 32 bits. */
export function randomMask(): number {
  return words[take(1)] as number;
}

/** A key for the handshake (RFC 6455, 4.1). */
export function randomKey(): string {
  const at = take(4) * 4;
  return bytes.toString('base64', at, at + 16);
}

/** Where the next so many words are. */
function take(wordCount: number): number {
  if (used + wordCount > words.length) {
    randomFillSync(words);
    used = 0;
  }
  used += wordCount;
  return used - wordCount;
}
