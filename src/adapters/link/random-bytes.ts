// Random bytes for masks and keys, drawn from the system many at a time: asked for singly they cost more than what they mask.

import { randomFillSync } from 'node:crypto';

export const randomBytes = Buffer.allocUnsafeSlow(8 * 1024);
let used = randomBytes.length;

/** Where in `randomBytes` the next `count` begin. They are the caller's until it asks again. */
export function takeRandom(count: number): number {
  if (used + count > randomBytes.length) {
    randomFillSync(randomBytes);
    used = 0;
  }
  used += count;
  return used - count;
}

/** A key for the handshake (RFC 6455, 4.1). */
export function randomKey(): string {
  const at = takeRandom(16);
  return randomBytes.toString('base64', at, at + 16);
}
