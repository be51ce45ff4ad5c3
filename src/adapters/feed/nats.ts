// The feed of many processes: a bounded stream in NATS has the history, each process that reads has the newest of it in memory.

import type { ConsumerMessages, JsMsg, StreamInfo } from '@nats-io/jetstream';
import { Failure } from '../../errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Feed, FeedPage, FleetEvent, NewFleetEvent } from '../../ports/feed.ts';
import { type Nats, reasonOf } from '../nats/connection.ts';
import { Bell } from './bell.ts';
import { beginning, eventId, placeOf } from './event-id.ts';
import { NatsOutbox } from './nats-outbox.ts';
import { RecentEvents } from './recent-events.ts';

export interface NatsFeedOptions {
  readonly nats: Nats;
  readonly clock: Clock;
  /** How many events are kept. */
  readonly keep?: number;
  /** How many of them each process that reads has in memory. */
  readonly recent?: number;
  /** Hears what goes wrong: once, and again only when it had gone well in between. */
  readonly onTrouble?: (error: unknown) => void;
}

/** However many events are to be kept, they take no more than this together. */
const mostBytes = 512 * 1024 ** 2;
const retryMs = 500;
/** How long a reader waits for what this process itself has published to come round. */
const roundTripMs = 2_000;
const historyMs = 2_000;

export async function openNatsFeed(options: NatsFeedOptions): Promise<NatsFeed> {
  const feed = new NatsFeed(options);
  await feed.ensureStream().catch((error: unknown) => {
    throw new Failure('broker_failed', `the stream of events cannot be made: ${reasonOf(error)}`, { cause: error });
  });
  return feed;
}

export class NatsFeed implements Feed {
  readonly #options: Required<NatsFeedOptions>;
  readonly #stream: string;
  readonly #subject: string;
  readonly #outbox: NatsOutbox;
  readonly #bell = new Bell();
  /** Which life of the stream this is: one that was deleted and made again counts from 1 again. */
  #epoch = 0;
  #recent = new RecentEvents(beginning);
  #lastSeen = 0;
  #following: Promise<void> | null = null;
  #messages: ConsumerMessages | null = null;
  #arrivals: { readonly sequence: number; readonly resolve: () => void }[] = [];
  #isClosed = false;
  readonly #forgetConnection: () => void;

  constructor(options: NatsFeedOptions) {
    this.#options = { keep: 100_000, recent: 4_096, onTrouble: () => {}, ...options };
    const { nats, clock, onTrouble } = this.#options;
    this.#stream = `${nats.prefix}-events`;
    this.#subject = `${nats.prefix}.event`;
    this.#outbox = new NatsOutbox({
      nats,
      clock,
      subject: this.#subject,
      onTrouble,
      ensureStream: () => this.ensureStream(),
    });
    // What could not be read while it was away can be now.
    this.#forgetConnection = nats.onConnected(() => this.#bell.ring());
  }

  ensureStream(): Promise<StreamInfo> {
    const { nats, keep } = this.#options;
    const subjects = [this.#subject];
    return nats.ensureStream({
      name: this.#stream,
      subjects,
      keeps: 'the_newest',
      mostMessages: keep,
      mostBytes,
    });
  }

  publish(events: readonly NewFleetEvent[]): void {
    if (!this.#isClosed) this.#outbox.add(events);
  }

  async newest(): Promise<string> {
    await this.#ownComeRound();
    const { nats } = this.#options;
    if (nats.isConnected) {
      const info = await nats
        .manager()
        .then(({ streams }) => streams.info(this.#stream))
        .catch(() => null);
      if (info !== null) return eventId(epochOf(info), info.state.last_seq);
    }
    return eventId(this.#epoch, this.#lastSeen);
  }

  async read(after: string, limit: number): Promise<FeedPage> {
    await this.#ownComeRound();
    const place = placeOf(after);
    if (place < this.#recent.after) {
      const old = await this.#history(place, limit).catch(() => null);
      // It is not gone, it only cannot be reached: readers are told when it can.
      if (old === null) return { events: [], missed: false };
      if (old.events.length > 0) return old;
    }
    const events = this.#recent.behind(place, limit);
    const isBefore = place < this.#recent.after || this.#isOfEarlierLife(place);
    return { events, missed: events.length > 0 && isBefore };
  }

  subscribe(tell: () => void): () => void {
    void this.#follow();
    return this.#bell.subscribe(tell);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#outbox.close();
    this.#forgetConnection();
    this.#messages?.stop();
  }

  /** Resolves when this process hears what comes from now on; at once when it has before, or cannot. */
  #follow(): Promise<void> {
    if (this.#following === null) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#following = promise;
      void this.#insist(resolve);
    }
    return this.#following;
  }

  async #insist(begun: () => void): Promise<void> {
    const { nats, clock } = this.#options;
    while (!this.#isClosed) {
      if (nats.isConnected) await this.#consume(begun).catch(() => {});
      begun();
      if (!this.#isClosed) await new Promise<void>((resolve) => void clock.at(clock.nowMs() + retryMs, resolve));
    }
  }

  async #consume(begun: () => void): Promise<void> {
    const { nats } = this.#options;
    const info = await this.ensureStream();
    const isOther = epochOf(info) !== this.#epoch || info.state.last_seq < this.#lastSeen;
    if (isOther) this.#beginAt(epochOf(info), info.state.last_seq);
    const consumer = await nats.stream.consumers.get(this.#stream, { opt_start_seq: this.#lastSeen + 1 });
    this.#messages = await consumer.consume({
      max_messages: 1_000,
      expires: 10_000,
      abort_on_missing_resource: true,
      callback: (message) => this.#hear(message),
    });
    begun();
    if (this.#isClosed) this.#messages.stop();
    await this.#messages.closed();
  }

  #beginAt(epoch: number, sequence: number): void {
    this.#epoch = epoch;
    this.#lastSeen = sequence;
    this.#recent = new RecentEvents(sequence === 0 ? beginning : eventId(epoch, sequence));
  }

  #hear(message: JsMsg): void {
    if (message.seq <= this.#lastSeen) return;
    // Too slow for the stream's limits: what lies between is neither here nor there.
    if (message.seq > this.#lastSeen + 1) this.#beginAt(this.#epoch, message.seq - 1);
    this.#lastSeen = message.seq;
    const event = this.#eventOf(message);
    if (event !== null) this.#recent.add(event);
    const { recent } = this.#options;
    const surplus = this.#recent.count - recent;
    // A quarter more may stay, so that moving the rest is rare.
    if (surplus > recent / 4) this.#recent.forget(surplus);
    this.#bell.ring();
    this.#tellArrivals();
  }

  #eventOf(message: JsMsg): FleetEvent | null {
    try {
      return { id: eventId(this.#epoch, message.seq), ...message.json<NewFleetEvent>() };
    } catch {
      return null;
    }
  }

  /** From the stream, up to what is in memory. */
  async #history(place: string, limit: number): Promise<FeedPage> {
    const before = eventId(this.#epoch, 0);
    const start = place < before ? 0 : Number.parseInt(place.slice(before.lastIndexOf('-') + 1), 36) || 0;
    const last = this.#lastSeen;
    if (start >= last) return { events: [], missed: false };
    const consumer = await this.#options.nats.stream.consumers.get(this.#stream, { opt_start_seq: start + 1 });
    const events: FleetEvent[] = [];
    let first = Number.POSITIVE_INFINITY;
    try {
      const messages = await consumer.fetch({ max_messages: Math.min(limit, last - start), expires: historyMs });
      for await (const message of messages) {
        first = Math.min(first, message.seq);
        const event = message.seq > last ? null : this.#eventOf(message);
        if (event !== null) events.push(event);
        if (message.seq >= last) break;
      }
    } finally {
      await consumer.delete().catch(() => {});
    }
    return { events, missed: first > start + 1 || this.#isOfEarlierLife(place) };
  }

  #isOfEarlierLife(place: string): boolean {
    return place > beginning && place < eventId(this.#epoch, 0);
  }

  /** What this process has published before can be read when this resolves, unless the server is away. */
  async #ownComeRound(): Promise<void> {
    await this.#follow();
    const { nats, clock } = this.#options;
    if (!nats.isConnected || this.#outbox.isInStream(this.#lastSeen)) return;
    let cancel = (): void => {};
    const late = new Promise<void>((resolve) => {
      cancel = clock.at(clock.nowMs() + roundTripMs, resolve);
    });
    await Promise.race([this.#outbox.sent().then((sequence) => this.#arrived(sequence)), late]);
    cancel();
  }

  #arrived(sequence: number): Promise<void> {
    if (this.#lastSeen >= sequence) return Promise.resolve();
    return new Promise((resolve) => void this.#arrivals.push({ sequence, resolve }));
  }

  #tellArrivals(): void {
    if (this.#arrivals.length === 0) return;
    for (const { sequence, resolve } of this.#arrivals) if (sequence <= this.#lastSeen) resolve();
    this.#arrivals = this.#arrivals.filter(({ sequence }) => sequence > this.#lastSeen);
  }
}

/** When the stream was made: no two lives of it share that. Always as many digits, until 2109. */
function epochOf({ created }: StreamInfo): number {
  return Date.parse(created) - Date.UTC(2020, 0);
}
