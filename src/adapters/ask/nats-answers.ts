// The owner's end of asking over NATS: brings questions about its chargers to the fleet, and the answers back.

import type { Msg, Subscription } from '@nats-io/transport-node';
import { isFailure } from '../../errors.ts';
import type { Ask } from '../../ports/ask.ts';
import { partitionOf, type Tenure } from '../../ports/partition.ts';
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

export interface NatsAnswersOptions {
  readonly nats: Nats;
  /** Those who run in this process. */
  readonly fleet: Ask;
}

export class NatsAnswers {
  readonly #nats: Nats;
  readonly #fleet: Ask;
  readonly #parcels = new Parcels();
  readonly #open = new Map<number, Subscription>();
  readonly #general: readonly Subscription[];

  constructor({ nats, fleet }: NatsAnswersOptions) {
    this.#nats = nats;
    this.#fleet = fleet;
    const { connection, prefix } = nats;
    this.#general = [
      connection.subscribe(statusesSubject(prefix), { callback: (_, message) => this.#hear(message, this.#statuses) }),
      connection.subscribe(censusSubject(prefix), { callback: (_, message) => this.#hear(message, this.#census) }),
    ];
  }

  /** From now on this process answers for these partitions. */
  open(tenures: readonly Tenure[]): void {
    this.close(tenures);
    const { connection, prefix } = this.#nats;
    for (const { partition } of tenures) {
      const callback = (_: Error | null, message: Msg) => this.#hear(message, this.#ask);
      this.#open.set(partition, connection.subscribe(askSubject(prefix, partition), { callback }));
    }
  }

  close(tenures: readonly Tenure[]): void {
    for (const { partition } of tenures) {
      this.#open.get(partition)?.unsubscribe();
      this.#open.delete(partition);
    }
  }

  stop(): void {
    for (const subscription of [...this.#general, ...this.#open.values()]) subscription.unsubscribe();
    this.#open.clear();
  }

  #hear<Content>(message: Msg, answer: (content: Content) => Promise<unknown>): void {
    const { reply } = message;
    if (reply === undefined) return;
    const content = this.#parcels.add(message);
    if (content === undefined) return;
    const said = answer(content as Content).then((words) => {
      if (words !== null && !this.#nats.connection.isClosed()) this.#say(reply, words);
    });
    // Whoever asks in words that are not ours gets no answer.
    said.catch(() => {});
  }

  #say(reply: string, said: unknown): void {
    try {
      sendParcel(this.#nats.connection, reply, said);
    } catch (error) {
      sendParcel(this.#nats.connection, reply, failed(error));
    }
  }

  readonly #ask = async ({ chargerId, question, timeoutMs }: Asking): Promise<Answering> => {
    try {
      return { answer: await this.#fleet.ask(chargerId, question, timeoutMs) };
    } catch (error) {
      return failed(error);
    }
  };

  readonly #statuses = async ({ chargerIds }: StatusesAsking): Promise<StatusesAnswering | null> => {
    const owned = chargerIds.filter((id) => this.#open.has(partitionOf(id)));
    if (owned.length === 0) return null;
    const statuses = await this.#fleet.statuses(owned).catch(() => new Map<string, never>());
    return { partitions: [...new Set(owned.map(partitionOf))], statuses: [...statuses] };
  };

  readonly #census = async (): Promise<CensusAnswering | null> => {
    const census = await this.#fleet.census().catch(() => null);
    return census === null ? null : { partitions: this.#open.size, census };
  };
}

function failed(error: unknown): Answering {
  const failure = isFailure(error) ? error.code : 'no_answer';
  return { failed: failure, sentence: error instanceof Error ? error.message : String(error) };
}
