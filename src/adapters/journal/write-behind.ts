// The work for the disk, done step by step behind the appends: pages to write, segments to end, marks to reach.

import { close, ftruncate, write } from 'node:fs';
import { promisify } from 'node:util';
import { createPage, type Page } from './record.ts';
import type { SegmentName } from './segment-folder.ts';

export interface OpenSegment {
  readonly name: SegmentName;
  readonly file: number;
  /** Where the next page starts. */
  bytes: number;
}

export interface WriteBehindOwner {
  /** Nothing is left to do: the owner may queue a page that is due. */
  lineIsIdle(): void;
  /** A write is about to fail everything behind it: the owner queues what it still holds. */
  writeFailed(): void;
  /** These records were not written and never will be. Pages come newest first. */
  pageLost(page: Page, used: number): void;
  /** The segment is written and closed; `snapshot` is null when it no longer holds. */
  segmentEnded(segment: OpenSegment, snapshot: Buffer | null): Promise<void>;
}

interface WriteStep {
  readonly kind: 'write';
  readonly segment: OpenSegment;
  readonly page: Page;
  readonly used: number;
  readonly start: number;
}

type Step =
  | WriteStep
  | { readonly kind: 'end'; readonly segment: OpenSegment; snapshot: Buffer | null }
  | { readonly kind: 'mark'; readonly reached: () => void };

const PAGE_BYTES = 256 * 1024;
const FREE_PAGES_KEPT = 2;

const writeBytes = promisify(write);
const truncateFile = promisify(ftruncate);
const closeFile = promisify(close);

export class WriteBehind {
  readonly #owner: WriteBehindOwner;
  readonly #onError: (error: Error) => void;
  readonly #steps: Step[] = [];
  readonly #freePages: Page[] = [];
  #working = false;
  #waitingBytes = 0;
  #failing = false;
  #failures = 0;

  constructor(owner: WriteBehindOwner, onError: (error: Error) => void) {
    this.#owner = owner;
    this.#onError = onError;
  }

  /** What the pages that wait to be written take. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  get failures(): number {
    return this.#failures;
  }

  get isIdle(): boolean {
    return !this.#working;
  }

  /** A page with this much room, used again after it was written. */
  takePage(room: number): Page {
    const free = room <= PAGE_BYTES ? this.#freePages.pop() : undefined;
    return free ?? createPage(Math.max(room, PAGE_BYTES));
  }

  /** Queues a page for the end of the segment. The page is no longer the caller's. */
  write(segment: OpenSegment, page: Page, used: number): void {
    this.#steps.push({ kind: 'write', segment, page, used, start: segment.bytes });
    segment.bytes += used;
    this.#waitingBytes += page.bytes.length;
    this.work();
  }

  end(segment: OpenSegment, snapshot: Buffer): void {
    this.#steps.push({ kind: 'end', segment, snapshot });
    this.work();
  }

  /** Resolves when everything queued before is done, or lost. */
  mark(): Promise<void> {
    return new Promise((reached) => {
      this.#steps.push({ kind: 'mark', reached });
      this.work();
    });
  }

  work(): void {
    if (this.#working) return;
    this.#working = true;
    void this.#workOff();
  }

  /** Counts a failure; only the first of a row is reported. */
  fail(error: unknown): void {
    this.#failures++;
    if (this.#failing) return;
    this.#failing = true;
    this.#onError(error instanceof Error ? error : new Error(String(error)));
  }

  async #workOff(): Promise<void> {
    for (;;) {
      if (this.#steps.length === 0) this.#owner.lineIsIdle();
      const step = this.#steps.shift();
      if (step === undefined) break;
      try {
        await this.#perform(step);
      } catch (error) {
        this.fail(error);
        if (step.kind === 'write') await this.#takeBack(step);
      }
    }
    this.#working = false;
  }

  async #perform(step: Step): Promise<void> {
    if (step.kind === 'mark') {
      step.reached();
    } else if (step.kind === 'write') {
      await writeAll(step);
      this.#failing = false;
      this.#release(step.page);
    } else {
      await closeFile(step.segment.file);
      await this.#owner.segmentEnded(step.segment, step.snapshot);
    }
  }

  /**
   * Records behind a failed write are linked to those that it lost, so all of them are dropped, newest first, and the segments go back to
   * where they were. What comes next is linked to what is really there.
   */
  async #takeBack(failed: WriteStep): Promise<void> {
    this.#owner.writeFailed();
    const writes = [failed, ...this.#steps.filter((step) => step.kind === 'write')];
    for (const { page, used, segment, start } of writes.reverse()) {
      this.#owner.pageLost(page, used);
      segment.bytes = start;
      this.#release(page);
    }
    const rest = this.#steps.filter((step) => step.kind !== 'write');
    for (const step of rest) {
      // Taken before the loss, it points at records that are not there.
      if (step.kind === 'end') step.snapshot = null;
    }
    this.#steps.splice(0, this.#steps.length, ...rest);
    await truncateFile(failed.segment.file, failed.start).catch(() => {});
  }

  #release(page: Page): void {
    this.#waitingBytes -= page.bytes.length;
    if (page.bytes.length === PAGE_BYTES && this.#freePages.length < FREE_PAGES_KEPT) this.#freePages.push(page);
  }
}

async function writeAll({ segment, page, used, start }: WriteStep): Promise<void> {
  let written = 0;
  while (written < used) {
    const { bytesWritten } = await writeBytes(segment.file, page.bytes, written, used - written, start + written);
    written += bytesWritten;
  }
}
