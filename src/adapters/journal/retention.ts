// What is thrown away: segments and head files that are past the age, and a writer's oldest segments when all of them are too large.

import type { KnownSegment } from './load.ts';
import { listFolder, removeHeads, removeSegment } from './segment-folder.ts';

export interface Retention {
  /** A charger's entries beyond this number, counted from the newest, are not read any more. */
  readonly maxEntries: number;
  /** Nor are older ones. */
  readonly maxAgeMs: number;
  /** A segment takes records only for so long after it began: whoever looks at its number knows when all of it is too old. */
  readonly segmentAgeMs: number;
  /** What the segments of one writer may take together. */
  readonly budgetBytes: number;
}

/** The newest one, and one more in case that is damaged. */
const HEAD_FILES_KEPT = 2;

/** Returns how many segments it removed. `segments` is what this writer knows; removed ones are taken out of it. */
export async function removeOld(
  folder: string,
  writer: string,
  segments: Map<number, KnownSegment>,
  retention: Retention,
  nowMs: number,
): Promise<number> {
  const content = await listFolder(folder);
  const tooOld = nowMs - retention.maxAgeMs - retention.segmentAgeMs;
  let removed = 0;
  const remove = async (known: KnownSegment) => {
    await removeSegment(folder, known.name);
    segments.delete(known.name.number);
    removed++;
  };

  for (const name of content.segments) {
    if (name.number < tooOld) await remove({ name, bytes: 0 });
  }
  const own = [...segments.values()].filter(({ name }) => name.writer === writer);
  let total = own.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const known of own.sort((a, b) => a.name.number - b.name.number)) {
    if (total <= retention.budgetBytes) break;
    await remove(known);
    total -= known.bytes;
  }

  const ownHeads = content.headFiles.filter((name) => name.writer === writer);
  for (const name of ownHeads.slice(0, -HEAD_FILES_KEPT)) await removeHeads(folder, name);
  for (const name of content.headFiles) {
    if (name.number < tooOld) await removeHeads(folder, name);
  }
  return removed;
}
