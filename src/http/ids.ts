// Makes ids: UUIDs of version 7, which sort by the moment of their making, also within one millisecond.

import { randomFillSync } from 'node:crypto';

const counterSteps = 0x1000;
const randomBytesPerId = 8;

/** Each id is greater than the one before. Where the clock stands still or more ids come than it can number, it is led ahead. */
export function idSource(nowMs: () => number): () => string {
  const pool = Buffer.alloc(randomBytesPerId * 128);
  let used = pool.length;
  let lastMs = -1;
  let counter = 0;

  return () => {
    if (used >= pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    const high = pool.readUInt32BE(used);
    const low = pool.readUInt32BE(used + 4);
    used += randomBytesPerId;

    const atMs = nowMs();
    if (atMs > lastMs) {
      lastMs = atMs;
      // Starts in the lower half: the upper one is left for counting on.
      counter = (low ^ high) & (counterSteps / 2 - 1);
    } else if (++counter >= counterSteps) {
      lastMs += 1;
      counter = 0;
    }

    const time = lastMs.toString(16).padStart(12, '0');
    const variant = ((high & 0x3fffffff) | 0x80000000) >>> 0;
    const tail = variant.toString(16) + low.toString(16).padStart(8, '0');
    const count = counter.toString(16).padStart(3, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7${count}-${tail.slice(0, 4)}-${tail.slice(4)}`;
  };
}
