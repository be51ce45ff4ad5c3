// The feed of a gateway: its newest events in memory, a bounded history behind them in append-only files.

import { type FileHandle, mkdir, readdir } from 'node:fs/promises';
import { Failure } from '../../errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Feed, FeedPage, FleetEvent, NewFleetEvent } from '../../ports/feed.ts';
import { Bell } from './bell.ts';
import { eventId, forgottenBefore, placeOf } from './event-id.ts';
import { RecentEvents } from './recent-events.ts';
import { Segment } from './segment.ts';

export interface SegmentFeedOptions {
  /** Made when it is missing. One feed at a time may use it. */
  readonly folder: string;
  readonly clock: Clock;
  /** Which life of the feed this is, counted from 1: a greater one each time, so that ids never repeat nor sort before earlier ones. */
  readonly epoch: number;
  /** How many events are kept at least; a tenth more may be. */
  readonly keep?: number;
  /** How many of them are in memory too. */
  readonly recent?: number;
  /** Hears of a disk that fails: once, and again only when it had worked in between. */
  readonly onError?: (error: unknown) => void;
}

/** An event waits this long at most before it is given to the operating system. */
const flushAfterMs = 50;
/** So many are written in one go: turning them into text must not hold up the others. */
const eventsPerWrite = 1_000;
/** The history is in so many files, which are forgotten one by one. */
const mostSegments = 10;
/** However many events are to be kept, the files take no more than this together. */
const mostBytes = 1024 ** 3;
/** With so many waiting for a disk that is too slow, the oldest of them are not written any more. */
const mostWaiting = 50_000;

export async function openSegmentFeed(options: SegmentFeedOptions): Promise<SegmentFeed> {
  const { folder } = options;
  try {
    await mkdir(folder, { recursive: true });
    const places = (await readdir(folder)).map(Segment.placeOf).filter((place) => place !== null);
    const segments = places.sort().map((place) => new Segment(folder, place));
    for (const segment of segments) await segment.scan();
    return new SegmentFeed(options, segments);
  } catch (error) {
    throw new Failure('store_failed', `the folder of events ${folder} cannot be used`, { cause: error });
  }
}

export class SegmentFeed implements Feed {
  readonly #options: Required<SegmentFeedOptions>;
  readonly #bell = new Bell();
  readonly #recent: RecentEvents;
  #published = 0;
  /** Oldest first; the last one is written to, as long as `#file` is open. */
  readonly #segments: Segment[];
  #file: FileHandle | null = null;
  /** Up to here everything is written, or lost to the files. */
  #writtenTo: string;
  #cancelFlush: (() => void) | null = null;
  #flushing: Promise<void> = Promise.resolve();
  #isFailing = false;
  #isClosed = false;

  constructor(options: SegmentFeedOptions, segments: readonly Segment[]) {
    this.#options = { keep: 100_000, recent: 4_096, onError: () => {}, ...options };
    this.#segments = [...segments];
    this.#writtenTo = segments.at(-1)?.last ?? forgottenBefore(options.epoch);
    this.#recent = new RecentEvents(this.#writtenTo);
  }

  publish(events: readonly NewFleetEvent[]): void {
    if (this.#isClosed || events.length === 0) return;
    const { epoch, clock } = this.#options;
    for (const event of events) this.#recent.add({ id: eventId(epoch, ++this.#published), ...event });
    this.#forgetRecent();
    this.#cancelFlush ??= clock.at(clock.nowMs() + flushAfterMs, () => {
      this.#cancelFlush = null;
      void this.#flush();
    });
    this.#bell.ring();
  }

  async newest(): Promise<string> {
    return eventId(this.#options.epoch, this.#published);
  }

  async read(after: string, limit: number): Promise<FeedPage> {
    const place = placeOf(after);
    if (place < this.#recent.after) {
      for (const segment of this.#segments.filter(({ last }) => last > place)) {
        // What has been forgotten meanwhile, or cannot be read, is missed: the next one goes on behind it.
        const events = await segment.read(place, limit).catch(() => []);
        if (events.length > 0) return { events, missed: place < segment.after };
      }
    }
    const events = this.#recent.behind(place, limit);
    return { events, missed: events.length > 0 && place < this.#recent.after };
  }

  subscribe(tell: () => void): () => void {
    return this.#bell.subscribe(tell);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelFlush?.();
    await this.#flush();
    await this.#endFile();
  }

  /** One at a time, each with all that has been published until its turn. */
  #flush(): Promise<void> {
    this.#flushing = this.#flushing.then(async () => {
      for (;;) {
        const events = this.#recent.behind(this.#writtenTo, eventsPerWrite);
        if (events.length === 0) return;
        await this.#write(events);
        this.#forgetRecent();
      }
    });
    return this.#flushing;
  }

  async #write(events: readonly FleetEvent[]): Promise<void> {
    // Those that were too many to wait are not in the files: these do not go on where the last ones ended.
    if (this.#recent.after > this.#writtenTo) this.#writtenTo = this.#recent.after;
    let written = events;
    try {
      const { segment, file } = await this.#openSegment();
      written = events.slice(0, this.#perSegment - segment.count);
      await segment.append(file, written);
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#options.onError(error);
      this.#isFailing = true;
      await this.#endFile();
      if (this.#segments.at(-1)?.count === 0) this.#segments.pop();
    }
    this.#writtenTo = written.at(-1)?.id ?? this.#writtenTo;
  }

  get #perSegment(): number {
    return Math.ceil(this.#options.keep / mostSegments);
  }

  /** The last one, when it goes on here and has room; otherwise a new one. */
  async #openSegment(): Promise<{ segment: Segment; file: FileHandle }> {
    let segment = this.#segments.at(-1);
    if (segment === undefined || segment.last !== this.#writtenTo || this.#isFull(segment)) {
      await this.#endFile();
      segment = new Segment(this.#options.folder, this.#writtenTo);
      this.#segments.push(segment);
      await this.#forgetOld();
    }
    this.#file ??= await segment.openForWriting();
    return { segment, file: this.#file };
  }

  #isFull({ count, bytes }: Segment): boolean {
    return count >= this.#perSegment || bytes >= mostBytes / mostSegments;
  }

  async #endFile(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    await file?.close().catch(() => {});
  }

  async #forgetOld(): Promise<void> {
    const { keep, onError } = this.#options;
    for (;;) {
      const [oldest, next] = this.#segments;
      if (oldest === undefined || next === undefined) return;
      const sum = (of: (segment: Segment) => number) => this.#segments.reduce((total, each) => total + of(each), 0);
      const isDispensable = sum(({ count }) => count) - oldest.count >= keep || sum(({ bytes }) => bytes) > mostBytes;
      if (!isDispensable) return;
      this.#segments.shift();
      await oldest.remove().catch(onError);
    }
  }

  /** What is in the files need not be here, save the newest. */
  #forgetRecent(): void {
    const { recent } = this.#options;
    const excess = this.#recent.count - recent;
    // A quarter more may stay, so that moving the rest is rare.
    if (excess <= recent / 4) return;
    const waiting = this.#recent.countBehind(this.#writtenTo);
    const dispensable = this.#recent.count - waiting + Math.max(0, waiting - mostWaiting);
    const surplus = Math.min(dispensable, excess);
    if (surplus > recent / 4) this.#recent.forget(surplus);
  }
}
