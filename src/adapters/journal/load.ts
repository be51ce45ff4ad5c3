// What a writer does before its first entry: it learns the heads that all writers of the folder left, and repairs its own last segment.

import { mkdir, stat, truncate } from 'node:fs/promises';
import { readHeadFile, writeHeadFile } from './head-file.ts';
import { HeadTable } from './heads.ts';
import { scanSegment } from './scan.ts';
import { type FolderContent, listFolder, removeSegment, type SegmentName, segmentPath } from './segment-folder.ts';

export interface LoadedFolder {
  readonly heads: HeadTable;
  /** Number of each segment to its name and size, in the order of the numbers. */
  readonly segments: Map<number, KnownSegment>;
  /** Of this writer's segments; the next one must have a greater number. */
  readonly lastNumber: number;
}

export interface KnownSegment {
  readonly name: SegmentName;
  readonly bytes: number;
}

export async function loadFolder(folder: string, writer: string): Promise<LoadedFolder> {
  await mkdir(folder, { recursive: true });
  const content = await listFolder(folder);
  const segments = new Map<number, KnownSegment>();
  for (const name of content.segments) {
    const bytes = await sizeOf(segmentPath(folder, name));
    if (bytes !== null) segments.set(name.number, { name, bytes });
  }
  const heads = new HeadTable();
  const all = [...content.segments, ...content.headFiles];
  for (const other of new Set(all.map((name) => name.writer))) {
    const unindexed = await loadHeadFile(folder, other, content, segments, heads);
    for (const name of unindexed) {
      const whole = await scan(folder, name, heads);
      // Another writer may be alive and in the middle of a record: its segments are only read. Of the own ones only the last can be torn.
      if (other === writer && name === unindexed.at(-1)) await repair(folder, name, whole, segments);
    }
    if (other === writer && unindexed.length > 0) await leaveHeads(folder, unindexed, segments, heads);
  }
  const lastNumber = Math.max(0, ...all.filter((name) => name.writer === writer).map((name) => name.number));
  return { heads, segments, lastNumber };
}

/** Takes over the last heads that this writer left and returns its segments after that, which have to be read. */
async function loadHeadFile(
  folder: string,
  writer: string,
  content: FolderContent,
  segments: ReadonlyMap<number, KnownSegment>,
  heads: HeadTable,
): Promise<readonly SegmentName[]> {
  const own = content.segments.filter((name) => name.writer === writer);
  for (const name of content.headFiles.filter((file) => file.writer === writer).reverse()) {
    const snapshot = await readHeadFile(folder, name);
    if (snapshot === null) continue;
    heads.merge(snapshot, (segment, offset) => offset < (segments.get(segment)?.bytes ?? 0));
    return own.filter((segment) => segment.number > name.number);
  }
  return own;
}

/** How much of the segment is whole; null when it could not be read: a log with a hole is better than a fleet that does not start. */
async function scan(folder: string, name: SegmentName, heads: HeadTable): Promise<number | null> {
  try {
    return await scanSegment(segmentPath(folder, name), name.number, (...record) => heads.see(...record));
  } catch {
    return null;
  }
}

async function repair(
  folder: string,
  name: SegmentName,
  whole: number | null,
  segments: Map<number, KnownSegment>,
): Promise<void> {
  if (whole === null) return;
  if (whole === 0) {
    await removeSegment(folder, name);
    segments.delete(name.number);
    return;
  }
  await truncate(segmentPath(folder, name), whole);
  segments.set(name.number, { name, bytes: whole });
}

/** Leaves the heads beside the last segment, so that the next start need not read these again. */
async function leaveHeads(
  folder: string,
  unindexed: readonly SegmentName[],
  segments: ReadonlyMap<number, KnownSegment>,
  heads: HeadTable,
): Promise<void> {
  const last = unindexed.findLast((name) => segments.has(name.number));
  if (last !== undefined) await writeHeadFile(folder, last, heads.snapshot());
}

async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size;
  } catch {
    return null;
  }
}
