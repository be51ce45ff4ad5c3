// Reading a segment from its beginning: the only way to learn what a crashed writer left.

import { type FileHandle, open } from 'node:fs/promises';
import { chainAt, chargerAt, createPage, isWhole, lengthAt, type Page } from './record.ts';

const SCAN_BYTES = 1024 * 1024;

/**
 * Tells `see` of every whole record in order and stops at the first that is torn or damaged. Returns how many bytes were whole.
 */
export async function scanSegment(
  path: string,
  segment: number,
  see: (chargerId: string, segment: number, offset: number, sequence: number) => void,
): Promise<number> {
  const file = await open(path, 'r');
  try {
    let page = createPage(SCAN_BYTES);
    let filled = await fill(file, page, 0, 0);
    let start = 0; // of the page in the file
    let at = 0;
    for (;;) {
      if (isWhole(page, at, filled, segment, start + at)) {
        see(chargerAt(page, at), segment, start + at, chainAt(page, at).sequence);
        at += lengthAt(page, at, filled);
        continue;
      }
      // Perhaps only cut by the end of the page: move what is left to its beginning and read on, once.
      const rest = filled - at;
      const wanted = lengthAt(page, at, filled);
      if (at === 0 && wanted <= page.bytes.length) return start;
      const next = wanted > page.bytes.length ? createPage(wanted) : page;
      page.bytes.copy(next.bytes, 0, at, filled);
      start += at;
      page = next;
      filled = await fill(file, page, rest, start + rest);
      at = 0;
    }
  } finally {
    await file.close();
  }
}

/** Fills the page from `from` on with the file's bytes from `position` on. Returns how much of the page is filled then. */
async function fill(file: FileHandle, page: Page, from: number, position: number): Promise<number> {
  let filled = from;
  while (filled < page.bytes.length) {
    const { bytesRead } = await file.read(page.bytes, filled, page.bytes.length - filled, position + filled - from);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}
