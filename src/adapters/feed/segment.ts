// One file of the feed's history: an event per line, and a sparse index of where they are.

import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { FleetEvent } from '../../ports/feed.ts';

const newline = 0x0a;
/** Every so many events the index knows where one begins. */
const indexEvery = 128;
const chunkBytes = 256 * 1024;

/** A line begins with the id, because that is what is looked for. */
const lineStart = '{"id":"';
const idLength = '000000-0000000000'.length;
const idPattern = /^[0-9a-z]{6}-[0-9a-z]{10}$/;
const filePattern = /^([0-9a-z]{6}-[0-9a-z]{10})\.jsonl$/;

interface Mark {
  readonly id: string;
  readonly offset: number;
}

export class Segment {
  /** The place that its first event comes behind; names the file. */
  readonly after: string;
  readonly #path: string;
  /** Of whole lines. What a crash or a failed write has left behind them is not looked at. */
  bytes = 0;
  count = 0;
  /** The id of its last event; the place before its first while it has none. */
  last: string;
  readonly #marks: Mark[] = [];

  constructor(folder: string, after: string) {
    this.after = after;
    this.last = after;
    this.#path = join(folder, `${after}.jsonl`);
  }

  /** The place that a file's events come behind, by its name; null for other files. */
  static placeOf(file: string): string | null {
    return filePattern.exec(file)?.[1] ?? null;
  }

  /** For appending, without what lies behind its whole lines. */
  async openForWriting(): Promise<FileHandle> {
    const file = await open(this.#path, 'a');
    await file.truncate(this.bytes);
    return file;
  }

  /** Looks at all that is there; done once, before anything else. */
  async scan(): Promise<void> {
    await readLines(this.#path, 0, Number.POSITIVE_INFINITY, ({ id, start, end }) => {
      // A line that does not go on where the last one ended is what a crash has left.
      if (!idPattern.test(id) || id <= this.last) return 'enough';
      this.#note(id, start, end);
      return 'more';
    });
  }

  /** Writes events at the end. Should that fail, the segment is as it was before. */
  async append(file: FileHandle, events: readonly FleetEvent[]): Promise<void> {
    const lines = events.map((event) => `${JSON.stringify(event)}\n`);
    await file.appendFile(lines.join(''));
    for (const [index, { id }] of events.entries()) {
      this.#note(id, this.bytes, this.bytes + Buffer.byteLength(lines[index] ?? ''));
    }
  }

  /** At most `limit` of the events behind this place. */
  async read(place: string, limit: number): Promise<FleetEvent[]> {
    const events: FleetEvent[] = [];
    if (place >= this.last) return events;
    await readLines(this.#path, this.#offsetBefore(place), this.bytes, ({ id, bytes }) => {
      const event = id <= place ? null : parsed(bytes.toString());
      if (event !== null) events.push(event);
      return events.length < limit ? 'more' : 'enough';
    });
    return events;
  }

  async remove(): Promise<void> {
    await unlink(this.#path);
  }

  #note(id: string, start: number, end: number): void {
    if (this.count % indexEvery === 0) this.#marks.push({ id, offset: start });
    this.count += 1;
    this.bytes = end;
    this.last = id;
  }

  #offsetBefore(place: string): number {
    return this.#marks.findLast(({ id }) => id <= place)?.offset ?? 0;
  }
}

interface Line {
  readonly id: string;
  readonly start: number;
  /** Behind its end of line. */
  readonly end: number;
  /** Without the latter. */
  readonly bytes: Buffer;
}

/** Shows the whole lines between two places in a file, until it is enough. */
async function readLines(
  path: string,
  from: number,
  to: number,
  see: (line: Line) => 'more' | 'enough',
): Promise<void> {
  const file = await open(path, 'r');
  try {
    let position = from;
    let rest = Buffer.alloc(0);
    while (position < to) {
      const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, to - position));
      const { bytesRead } = await file.read(chunk, 0, chunk.length, position);
      if (bytesRead === 0) return;
      const bytes = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
      const offset = position - rest.length;
      position += bytesRead;
      let start = 0;
      for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, start)) {
        const id = bytes.toString('latin1', start + lineStart.length, start + lineStart.length + idLength);
        const line = { id, start: offset + start, end: offset + end + 1, bytes: bytes.subarray(start, end) };
        if (see(line) === 'enough') return;
        start = end + 1;
      }
      rest = bytes.subarray(start);
    }
  } finally {
    await file.close();
  }
}

/** Null for what a power cut has spoilt. */
function parsed(text: string): FleetEvent | null {
  try {
    return JSON.parse(text) as FleetEvent;
  } catch {
    return null;
  }
}
