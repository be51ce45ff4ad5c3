// Events on their way into the stream: in order, a batch at a time, until the server says that it has them.

import { randomUUID } from 'node:crypto';
import { PubHeaders } from '@nats-io/jetstream';
import { headers } from '@nats-io/transport-node';
import type { Clock } from '../../ports/clock.ts';
import type { NewFleetEvent } from '../../ports/feed.ts';
import type { Nats } from '../nats/connection.ts';

export interface NatsOutboxParts {
  readonly nats: Nats;
  readonly clock: Clock;
  readonly subject: string;
  readonly onTrouble: (error: unknown) => void;
  /** Makes the stream, should it be missing. */
  readonly ensureStream: () => Promise<unknown>;
}

const eventsPerBatch = 500;
/** So long an event waits for others: a message that must be answered costs as much as many that need not be. */
const gatherMs = 20;
/** With so many waiting for a server that is away, the oldest are lost. */
const mostWaiting = 50_000;
const retryMs = 250;
const closeMs = 2_000;
const envelopeBytes = 4_096;

interface Letter {
  /** The same each time it is sent: the server keeps it once. */
  readonly id: string;
  readonly event: NewFleetEvent;
}

export class NatsOutbox {
  readonly #parts: NatsOutboxParts;
  readonly #name = randomUUID();
  #letters: Letter[] = [];
  #count = 0;
  /** How many of all are sent or lost, and the sequence of the last that the server has. */
  #done = 0;
  #sequence = 0;
  #waiting: { readonly count: number; readonly resolve: (sequence: number) => void }[] = [];
  #isRunning = false;
  #isTroubled = false;
  #isClosed = false;

  constructor(parts: NatsOutboxParts) {
    this.#parts = parts;
  }

  add(events: readonly NewFleetEvent[]): void {
    for (const event of events) this.#letters.push({ id: `${this.#name}-${++this.#count}`, event });
    const surplus = this.#letters.length - mostWaiting;
    // An eighth at a time, so that moving the rest is rare.
    if (surplus > mostWaiting / 8) this.#lose(surplus);
    if (this.#isRunning || this.#letters.length === 0) return;
    this.#isRunning = true;
    const { clock } = this.#parts;
    clock.at(clock.nowMs() + gatherMs, () => void this.#run());
  }

  /** Whether everything added so far has a sequence up to this one. */
  isInStream(sequence: number): boolean {
    return this.#done >= this.#count && this.#sequence <= sequence;
  }

  /** Resolves when everything added before is in the stream, or lost; with the sequence of the last. */
  sent(): Promise<number> {
    if (this.#done >= this.#count) return Promise.resolve(this.#sequence);
    return new Promise((resolve) => void this.#waiting.push({ count: this.#count, resolve }));
  }

  /** Sends what waits, for a short while. */
  async close(): Promise<void> {
    const { clock } = this.#parts;
    let cancel = (): void => {};
    const late = new Promise<void>((resolve) => {
      cancel = clock.at(clock.nowMs() + closeMs, resolve);
    });
    await Promise.race([this.sent(), late]);
    cancel();
    this.#isClosed = true;
  }

  async #run(): Promise<void> {
    const { nats, clock, ensureStream } = this.#parts;
    while (this.#letters.length > 0 && !this.#isClosed) {
      const batch = this.#letters.slice(0, eventsPerBatch);
      try {
        if (!nats.isConnected) throw new Error('not connected');
        this.#sequence = await this.#send(batch);
        this.#isTroubled = false;
        // Some may have been lost meanwhile, from the front.
        this.#drop(this.#letters.indexOf(batch.at(-1) as Letter) + 1);
      } catch (error) {
        this.#complain(error);
        if (nats.isConnected) await ensureStream().catch(() => {});
        await new Promise<void>((resolve) => void clock.at(clock.nowMs() + retryMs, resolve));
      }
    }
    this.#isRunning = false;
  }

  /** The server takes what comes over one connection in order: it has all of them when it has the last. */
  async #send(batch: readonly Letter[]): Promise<number> {
    const { nats, subject } = this.#parts;
    const last = batch.at(-1);
    for (const letter of batch) {
      if (letter === last) continue;
      const named = headers();
      named.set(PubHeaders.MsgIdHdr, letter.id);
      nats.connection.publish(subject, this.#text(letter.event), { headers: named });
    }
    if (last === undefined) return this.#sequence;
    const { seq } = await nats.stream.publish(subject, this.#text(last.event), { msgID: last.id, retries: 1 });
    return seq;
  }

  #text(event: NewFleetEvent): string {
    const text = JSON.stringify(event);
    const mostBytes = (this.#parts.nats.connection.info?.max_payload ?? 1024 ** 2) - envelopeBytes;
    // That it happened matters more than what exactly.
    return Buffer.byteLength(text) <= mostBytes ? text : JSON.stringify({ ...event, data: {} });
  }

  #lose(count: number): void {
    this.#complain(new Error(`${count} events were lost: the message server has been away for too long`));
    this.#drop(count);
  }

  #drop(count: number): void {
    this.#letters = this.#letters.slice(count);
    this.#done = this.#count - this.#letters.length;
    for (const { count: until, resolve } of this.#waiting) if (until <= this.#done) resolve(this.#sequence);
    this.#waiting = this.#waiting.filter(({ count: until }) => until > this.#done);
  }

  #complain(error: unknown): void {
    if (!this.#isTroubled) this.#parts.onTrouble(error);
    this.#isTroubled = true;
  }
}
