// Asking over NATS: the question goes to whoever owns the charger's partition at the moment.

import { createInbox, type Msg, type Subscription } from '@nats-io/transport-node';
import { Failure } from '../../errors.ts';
import type { AnswerTo, Ask, FleetCensus, Question, Questions, Statuses } from '../../ports/ask.ts';
import type { Clock } from '../../ports/clock.ts';
import { partitionCount, partitionOf } from '../../ports/partition.ts';
import type { Nats } from '../nats/connection.ts';
import { Parcels, sendParcel } from './parcels.ts';
import {
  type Answering,
  type Asking,
  askSubject,
  type CensusAnswering,
  censusSubject,
  type StatusesAnswering,
  type StatusesAsking,
  statusesSubject,
} from './wire.ts';

export interface NatsAskOptions {
  readonly nats: Nats;
  readonly clock: Clock;
}

const askTimeoutMs = 5_000;
const statusesTimeoutMs = 2_000;
const censusTimeoutMs = 1_000;
/** The owner may change while it is asked: then the next one is. */
const attemptMs = 2_000;
const retryMs = 100;
const chargersPerMessage = 5_000;

/** What has come of a question: an answer, that nobody is there to hear it, or nothing in time. */
type Reply = { readonly kind: 'said'; readonly content: unknown } | { readonly kind: 'nobody' | 'silence' };

export class NatsAsk implements Ask {
  readonly #nats: Nats;
  readonly #clock: Clock;
  readonly #inbox = createInbox();
  readonly #answers: Subscription;
  readonly #parcels = new Parcels();
  readonly #waiting = new Map<string, (reply: Reply) => void>();
  #lastNumber = 0;

  constructor({ nats, clock }: NatsAskOptions) {
    this.#nats = nats;
    this.#clock = clock;
    this.#answers = nats.connection.subscribe(`${this.#inbox}.*`, { callback: (_, message) => this.#hear(message) });
  }

  async ask<Kind extends keyof Questions>(
    chargerId: string,
    question: Extract<Question, { kind: Kind }>,
    timeoutMs: number = askTimeoutMs,
  ): Promise<AnswerTo<Kind>> {
    const untilMs = this.#clock.nowMs() + timeoutMs;
    const subject = askSubject(this.#nats.prefix, partitionOf(chargerId));
    // Nobody knows whether it was run: it must not be run again.
    const isRun = question.kind === 'run';
    for (;;) {
      const leftMs = untilMs - this.#clock.nowMs();
      if (leftMs <= 0) throw new Failure('no_answer');
      const waitMs = isRun ? leftMs : Math.min(leftMs, attemptMs);
      const asking: Asking = { chargerId, question, timeoutMs: waitMs };
      const reply = await this.#put(subject, asking, waitMs);
      if (reply.kind === 'said') {
        const said = reply.content as Answering;
        if ('answer' in said) return said.answer as AnswerTo<Kind>;
        const isPassing = said.failed === 'no_answer' || said.failed === 'process_restarting';
        if (isRun || !isPassing) throw new Failure(said.failed, said.sentence);
      } else if (reply.kind === 'nobody') {
        await this.#pause(Math.min(retryMs, leftMs));
      }
    }
  }

  async statuses(chargerIds: readonly string[]): Promise<ReadonlyMap<string, Statuses>> {
    const statuses = new Map<string, Statuses>();
    for (let at = 0; at < chargerIds.length; at += chargersPerMessage) {
      const asking: StatusesAsking = { chargerIds: chargerIds.slice(at, at + chargersPerMessage) };
      const left = new Set(asking.chargerIds.map(partitionOf));
      await this.#putToAll(statusesSubject(this.#nats.prefix), asking, statusesTimeoutMs, (content) => {
        const said = content as StatusesAnswering;
        for (const partition of said.partitions) left.delete(partition);
        for (const [id, outlets] of said.statuses) statuses.set(id, outlets);
        return left.size === 0;
      });
    }
    return statuses;
  }

  async census(): Promise<FleetCensus> {
    const censuses: FleetCensus[] = [];
    let owned = 0;
    await this.#putToAll(censusSubject(this.#nats.prefix), {}, censusTimeoutMs, (content) => {
      const { partitions, census } = content as CensusAnswering;
      censuses.push(census);
      owned += partitions;
      return owned >= partitionCount;
    });
    const sum = (of: (census: FleetCensus) => number): number => censuses.reduce((total, each) => total + of(each), 0);
    return {
      processes: {
        alive: sum(({ processes }) => processes.alive),
        // Somebody should have the partitions that nobody has.
        expected: sum(({ processes }) => processes.expected) + (owned < partitionCount ? 1 : 0),
      },
      running: sum(({ running }) => running),
      connected: sum(({ connected }) => connected),
      framesIn: sum(({ framesIn }) => framesIn),
      framesOut: sum(({ framesOut }) => framesOut),
      partitions: owned,
    };
  }

  stop(): void {
    this.#answers.unsubscribe();
    for (const resolve of [...this.#waiting.values()]) resolve({ kind: 'silence' });
  }

  async #put(subject: string, content: unknown, timeoutMs: number): Promise<Reply> {
    let reply: Reply = { kind: 'silence' };
    await this.#exchange(subject, content, timeoutMs, (came) => {
      reply = came;
      return true;
    });
    return reply;
  }

  async #putToAll(
    subject: string,
    content: unknown,
    timeoutMs: number,
    hear: (content: unknown) => boolean,
  ): Promise<void> {
    await this.#exchange(subject, content, timeoutMs, (came) => came.kind !== 'said' || hear(came.content));
  }

  /** Until what has come is enough, or it takes too long. */
  #exchange(subject: string, content: unknown, timeoutMs: number, isEnough: (reply: Reply) => boolean): Promise<void> {
    if (!this.#nats.isConnected) {
      isEnough({ kind: 'nobody' });
      return Promise.resolve();
    }
    const inbox = `${this.#inbox}.${++this.#lastNumber}`;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#clock.at(this.#clock.nowMs() + timeoutMs, resolve);
    this.#waiting.set(inbox, (reply) => {
      if (isEnough(reply)) resolve();
    });
    sendParcel(this.#nats.connection, subject, content, inbox);
    return promise.finally(() => {
      cancel();
      this.#waiting.delete(inbox);
    });
  }

  #hear(message: Msg): void {
    const tell = this.#waiting.get(message.subject);
    if (tell === undefined) return;
    if (message.headers?.code === 503) {
      tell({ kind: 'nobody' });
      return;
    }
    const content = this.#parcels.add(message);
    if (content !== undefined) tell({ kind: 'said', content });
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#clock.at(this.#clock.nowMs() + ms, resolve));
  }
}
