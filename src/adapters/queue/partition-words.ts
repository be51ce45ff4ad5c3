// The messages of one partition, brought to its owner by a consumer that outlives owners.

import { setTimeout as delay } from 'node:timers/promises';
import { AckPolicy, type ConsumerMessages, type JsMsg } from '@nats-io/jetstream';
import type { Nats } from '../nats/connection.ts';
import type { Word } from './hand-over.ts';

export interface PartitionWordsParts {
  readonly nats: Nats;
  readonly stream: string;
  /** Of the messages, with a star for the charger. */
  readonly subject: string;
  /** The consumer. */
  readonly name: string;
  readonly came: (word: Word) => void;
  /** Makes the stream, should it be missing. */
  readonly ensureStream: () => Promise<unknown>;
  readonly gate: Gate;
}

/** After so long, what was not acknowledged comes again: to a new owner, mostly. */
const repeatAfterMs = 30_000;
const mostUnacknowledged = 10_000;
const atOnce = 200;
/** Half of this without a sign of life of the consumer, twice in a row, and it is looked whether it is still there. */
const askEveryMs = 10_000;
const retryMs = 1_000;

/** Lets only so many do something at the same time: the server has to write a file for each consumer. */
export class Gate {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(width: number) {
    this.#free = width;
  }

  async pass<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#free -= 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}

export class PartitionWords {
  readonly #parts: PartitionWordsParts;
  #messages: ConsumerMessages | null = null;
  #isStopped = false;

  constructor(parts: PartitionWordsParts) {
    this.#parts = parts;
    void this.#insist();
  }

  stop(): void {
    this.#isStopped = true;
    this.#messages?.stop();
  }

  /** Whatever happens to server, stream or consumer: without it the owner is only slower to learn of commands. */
  async #insist(): Promise<void> {
    while (!this.#isStopped) {
      await this.#consume().catch(() => {});
      if (!this.#isStopped) await delay(retryMs, undefined, { ref: false });
    }
  }

  async #consume(): Promise<void> {
    const { nats, stream, name, subject, gate, ensureStream, came } = this.#parts;
    if (!nats.isConnected) return;
    const consumer = await gate.pass(async () => {
      if (this.#isStopped) return null;
      const { consumers } = await nats.manager();
      const config = {
        durable_name: name,
        filter_subject: subject,
        ack_policy: AckPolicy.Explicit,
        ack_wait: repeatAfterMs * 1e6,
        max_ack_pending: mostUnacknowledged,
      };
      await consumers.add(stream, config).catch(async () => {
        await ensureStream();
        await consumers.add(stream, config);
      });
      return nats.stream.consumers.get(stream, name);
    });
    if (consumer === null) return;
    this.#messages = await consumer.consume({
      max_messages: atOnce,
      expires: askEveryMs,
      abort_on_missing_resource: true,
      callback: (message) => came(wordOf(message)),
    });
    if (this.#isStopped) this.#messages.stop();
    await this.#messages.closed();
  }
}

function wordOf(message: JsMsg): Word {
  return {
    id: message.string(),
    chargerId: message.subject.slice(message.subject.lastIndexOf('.') + 1),
    isRepeated: message.redelivered,
    acknowledge: () => {
      try {
        message.ack();
      } catch {
        // The connection is closed for good: it comes again, to the next owner.
      }
    },
  };
}
