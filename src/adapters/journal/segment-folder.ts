// The folder that all writers of one machine share: the names in it, a number for a new segment, and what may be thrown away.

import { closeSync, openSync, readdirSync, unlinkSync } from 'node:fs';
import { readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * `<number>-<writer>.log` holds records, `<number>-<writer>.heads` the heads of its writer when that segment ended.
 * The number is the moment when the segment began, or a little more where that was taken: it names the segment among those of all writers.
 */
export interface SegmentName {
  readonly number: number;
  readonly writer: string;
}

export interface FolderContent {
  readonly segments: readonly SegmentName[];
  readonly headFiles: readonly SegmentName[];
}

const CLAIM_ATTEMPTS = 100;
const writerPattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const filePattern = /^(\d{13,16})-([A-Za-z0-9][A-Za-z0-9_-]{0,63})\.(log|heads)$/;

export function isWriterName(name: string): boolean {
  return writerPattern.test(name);
}

export function segmentPath(folder: string, name: SegmentName): string {
  return join(folder, `${fileName(name)}.log`);
}

export function headsPath(folder: string, name: SegmentName): string {
  return join(folder, `${fileName(name)}.heads`);
}

export async function listFolder(folder: string): Promise<FolderContent> {
  return sortNames(await readdir(folder));
}

/** Makes the file of a new segment, numbered `atLeast` or the next number that no writer has. */
export function createSegmentFile(
  folder: string,
  writer: string,
  atLeast: number,
): { name: SegmentName; file: number } {
  let number = Math.max(1, Math.floor(atLeast));
  for (let attempt = 0; attempt < CLAIM_ATTEMPTS; attempt++) {
    const name = { number, writer };
    const file = createFile(segmentPath(folder, name));
    if (file !== null) {
      // Files of two writers do not clash by name. Whoever finds another with its number after making its own steps back; both may.
      const rivals = sortNames(readdirSync(folder)).segments.filter((segment) => segment.number === number);
      if (rivals.length === 1) return { name, file };
      closeSync(file);
      unlinkSync(segmentPath(folder, name));
    }
    number += 1 + Math.floor(Math.random() * 2 ** Math.min(attempt, 6));
  }
  throw new Error(`no free segment number from ${atLeast} on`);
}

/** Removes a segment; that it is gone already is fine. */
export async function removeSegment(folder: string, name: SegmentName): Promise<void> {
  await unlink(segmentPath(folder, name)).catch(ignoreMissing);
}

export async function removeHeads(folder: string, name: SegmentName): Promise<void> {
  await unlink(headsPath(folder, name)).catch(ignoreMissing);
}

function sortNames(files: readonly string[]): FolderContent {
  const segments: SegmentName[] = [];
  const headFiles: SegmentName[] = [];
  for (const file of files) {
    const [, number, writer, kind] = filePattern.exec(file) ?? [];
    if (number === undefined || writer === undefined) continue;
    (kind === 'log' ? segments : headFiles).push({ number: Number(number), writer });
  }
  segments.sort(byNumber);
  headFiles.sort(byNumber);
  return { segments, headFiles };
}

function createFile(path: string): number | null {
  try {
    return openSync(path, 'wx');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return null;
    throw error;
  }
}

function fileName(name: SegmentName): string {
  return `${String(name.number).padStart(13, '0')}-${name.writer}`;
}

function byNumber(a: SegmentName, b: SegmentName): number {
  return a.number - b.number;
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
