// Delivers to one webhook: page by page, several chargers at a time, the events of each charger in order.

import { eventView } from '../events/event.ts';
import { isOfInterest } from '../events/interest.ts';
import type { Clock } from '../ports/clock.ts';
import type { Feed, FleetEvent } from '../ports/feed.ts';
import type { WebhookProgress, WebhookRecord } from '../ports/store.ts';
import type { Courier } from '../ports/webhooks.ts';
import { afterFailure, afterSuccess, complaintOf, newProgress, retryDelayMs } from './progress.ts';

export interface SenderParts {
  readonly feed: Feed;
  readonly courier: Courier;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly chance: () => number;
  /** Without one success for so long, a webhook is disabled. */
  readonly disableAfterMs: number;
  /** Makes the progress durable. */
  keep(webhookId: string, progress: WebhookProgress): Promise<void>;
  /** Hears what should be in the log. */
  complain(webhookId: string, sentence: string): void;
}

/** So many events are looked at in one go. */
const pageSize = 256;
/** So many chargers' events are under way at the same time. */
const lanes = 16;
/** While deliveries fail only one is tried, with few behind it, until the receiver is back. */
const probePageSize = 16;
/** The progress is kept so often at most; a crash repeats what was delivered in between. */
const keepEveryMs = 1_000;

/** After a failure of our own the next turn waits. */
const disturbedMs = 10_000;

const missedSentence =
  'events were forgotten before they could be delivered: deliveries went on with the oldest that was kept';

export class Sender {
  readonly #record: WebhookRecord;
  readonly #parts: SenderParts;
  #progress: WebhookProgress;
  #kept: WebhookProgress;
  /** Events behind `#progress.after` that have been delivered before their turn. */
  #ahead = new Set<string>();
  /** Another one whenever somebody wants events again: what is under way then counts no more. */
  #course = 0;
  #retryAtMs = 0;
  #hasNews = false;
  #isStopped = false;
  #wake: () => void = () => {};
  #cancelKeeping: (() => void) | null = null;
  #keeping: Promise<void> = Promise.resolve();
  readonly #running: Promise<void>;

  constructor(record: WebhookRecord, parts: SenderParts) {
    this.#record = record;
    this.#parts = parts;
    this.#progress = record.progress;
    this.#kept = record.progress;
    this.#running = this.#run();
  }

  /** There is more to read. */
  tell(): void {
    this.#hasNews = true;
    if (this.#retryAtMs === 0) this.#wake();
  }

  async redeliver(after: string): Promise<WebhookRecord> {
    this.#course++;
    this.#ahead = new Set();
    this.#retryAtMs = 0;
    this.#progress = { ...newProgress(after), deliveredAtMs: this.#progress.deliveredAtMs };
    const progress = this.#progress;
    this.#wake();
    await this.#keep();
    return { ...this.#record, progress };
  }

  /** Resolves when nothing is under way any more and the progress is kept. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#wake();
    await this.#running;
    await this.#keep();
  }

  async #run(): Promise<void> {
    const { clock, complain } = this.#parts;
    while (!this.#isStopped) {
      if (this.#progress.state === 'disabled') await this.#sleep(null);
      else if (this.#retryAtMs > clock.nowMs()) await this.#sleep(this.#retryAtMs);
      else {
        await this.#turn().catch((error: unknown) => {
          complain(this.#record.id, `deliveries to a webhook were disturbed: ${String(error)}`);
          this.#retryAtMs = clock.nowMs() + disturbedMs;
        });
      }
    }
  }

  /** Reads a page and delivers what is wanted of it; waits when there is none. */
  async #turn(): Promise<void> {
    this.#hasNews = false;
    this.#retryAtMs = 0;
    const course = this.#course;
    const { after, failures } = this.#progress;
    const page = await this.#parts.feed.read(after, failures > 0 ? probePageSize : pageSize);
    if (course !== this.#course || this.#isStopped) return;
    if (page.events.length === 0) {
      if (!this.#hasNews) await this.#sleep(null);
      return;
    }
    // Whoever wants everything that is kept misses nothing.
    if (page.missed && after !== '') this.#change({ ...this.#progress, lastError: missedSentence });
    await this.#deliver(page.events, failures > 0 ? 1 : lanes);
  }

  async #deliver(events: readonly FleetEvent[], width: number): Promise<void> {
    const course = this.#course;
    const { clock, disableAfterMs } = this.#parts;
    const open = new Set(events.filter((event) => isOfInterest(this.#interest, event) && !this.#ahead.has(event.id)));
    const ofCharger = Map.groupBy(open, ({ chargerId }) => chargerId).values();
    let complaint: ReturnType<typeof complaintOf> = null;
    const isOver = (): boolean => complaint !== null || this.#isStopped || course !== this.#course;

    const lane = async (): Promise<void> => {
      for (const chain of ofCharger) {
        for (const event of chain) {
          if (isOver()) return;
          const found = complaintOf(await this.#send(event));
          if (course !== this.#course) return;
          if (found !== null) {
            complaint ??= found;
            return;
          }
          open.delete(event);
          this.#ahead.add(event.id);
          this.#change(afterSuccess(this.#advanced(events, open), clock.nowMs()));
        }
      }
    };
    await Promise.all(Array.from({ length: width }, lane));
    if (course !== this.#course) return;
    this.#change(this.#advanced(events, open));
    // What fails because everything is being closed is no fault of the receiver.
    if (complaint === null || this.#isStopped) return;
    this.#fail(afterFailure(this.#progress, complaint, clock.nowMs(), disableAfterMs));
  }

  #fail(progress: WebhookProgress): void {
    const { clock, chance, complain } = this.#parts;
    this.#change(progress);
    this.#retryAtMs = clock.nowMs() + retryDelayMs(progress.failures, chance());
    if (progress.state === 'active') return;
    complain(this.#record.id, `the webhook was disabled: ${progress.lastError}`);
    void this.#keep();
  }

  #send(event: FleetEvent) {
    const { courier, clock } = this.#parts;
    const { url, secret } = this.#record;
    return courier.deliver({ url, secret, id: event.id, atMs: clock.nowMs(), body: JSON.stringify(eventView(event)) });
  }

  /** With everything behind it that need not be delivered any more. */
  #advanced(events: readonly FleetEvent[], open: ReadonlySet<FleetEvent>): WebhookProgress {
    let { after } = this.#progress;
    for (const event of events) {
      if (open.has(event)) break;
      if (event.id <= after) continue;
      after = event.id;
      this.#ahead.delete(event.id);
    }
    return after === this.#progress.after ? this.#progress : { ...this.#progress, after };
  }

  get #interest() {
    return this.#record;
  }

  #change(progress: WebhookProgress): void {
    if (progress === this.#progress) return;
    this.#progress = progress;
    const { clock } = this.#parts;
    this.#cancelKeeping ??= clock.at(clock.nowMs() + keepEveryMs, () => void this.#keep());
  }

  /** One at a time; what is kept already is not kept again. */
  #keep(): Promise<void> {
    this.#cancelKeeping?.();
    this.#cancelKeeping = null;
    this.#keeping = this.#keeping.then(async () => {
      const progress = this.#progress;
      if (progress === this.#kept) return;
      try {
        await this.#parts.keep(this.#record.id, progress);
        this.#kept = progress;
      } catch (error) {
        // The next change brings it along; until then a crash would repeat deliveries.
        this.#parts.complain(this.#record.id, `the progress of a webhook could not be kept: ${String(error)}`);
      }
    });
    return this.#keeping;
  }

  #sleep(untilMs: number | null): Promise<void> {
    return new Promise((resolve) => {
      const cancel = untilMs === null ? () => {} : this.#parts.clock.at(untilMs, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }
}
