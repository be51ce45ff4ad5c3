// The heads of a writer on disk, written when a segment ends, so that a start reads one small file instead of all segments.

import { readFile, rename, writeFile } from 'node:fs/promises';
import { HEAD_BYTES } from './heads.ts';
import { mixWords } from './record.ts';
import { headsPath, type SegmentName } from './segment-folder.ts';

const MAGIC = 0x31445348; // "HSD1"
const PREFIX_BYTES = 16;

/** A crash leaves the file whole or not there at all. */
export async function writeHeadFile(folder: string, name: SegmentName, snapshot: Buffer): Promise<void> {
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32LE(MAGIC, 0);
  prefix.writeUInt32LE(snapshot.length / HEAD_BYTES, 4);
  prefix.writeInt32LE(checkOf(snapshot), 8);
  const path = headsPath(folder, name);
  await writeFile(`${path}.new`, Buffer.concat([prefix, snapshot]));
  await rename(`${path}.new`, path);
}

/** The snapshot, or null when the file is missing or damaged. */
export async function readHeadFile(folder: string, name: SegmentName): Promise<Buffer | null> {
  let file: Buffer;
  try {
    file = await readFile(headsPath(folder, name));
  } catch {
    return null;
  }
  if (file.length < PREFIX_BYTES || file.readUInt32LE(0) !== MAGIC) return null;
  const snapshot = file.subarray(PREFIX_BYTES);
  if (snapshot.length !== file.readUInt32LE(4) * HEAD_BYTES || checkOf(snapshot) !== file.readInt32LE(8)) return null;
  return snapshot;
}

function checkOf(snapshot: Buffer): number {
  // A copy, where the bytes do not start at a multiple of 4.
  const aligned = snapshot.byteOffset % 4 === 0 ? snapshot : Buffer.from(new Uint8Array(snapshot).buffer);
  const words = new Int32Array(aligned.buffer, aligned.byteOffset, aligned.length >>> 2);
  return mixWords(words, 0, words.length, words.length);
}
