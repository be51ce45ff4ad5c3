// Brings chargers and commands to the fleet: everything that is stored at the start, and whatever the queue brings after that.

import { endedEvent } from '../commands/command-ended.ts';
import { Failure, isFailure } from '../errors.ts';
import type { AnswerTo, Ask, FleetCensus, Question, Questions, Statuses } from '../ports/ask.ts';
import type { Clock } from '../ports/clock.ts';
import type { NewFleetEvent } from '../ports/feed.ts';
import type { Queue, QueueItem } from '../ports/queue.ts';
import type { ChargerRecord, FleetMember, Store } from '../ports/store.ts';
import type { FleetHandle } from './host.ts';
import type { Delivery } from './member.ts';

export interface DispatcherParts {
  readonly store: Store;
  readonly queue: Queue;
  readonly clock: Clock;
  readonly fleet: FleetHandle;
  /** The whole address of a charger's CSMS. */
  readonly urlOf: (record: ChargerRecord) => string;
  readonly publish: (events: readonly NewFleetEvent[]) => void;
}

type MemberDelivery = Extract<Delivery, { kind: 'member' }>;

const pageSize = 500;
const askTimeoutMs = 5_000;
const retryMs = 50;
const censusTimeoutMs = 1_000;

const restarting = Symbol('the process is being restarted');

function unlessRestarting(error: unknown): typeof restarting {
  if (isFailure(error, 'process_restarting')) return restarting;
  throw error;
}

export class Dispatcher implements Ask {
  readonly #parts: DispatcherParts;
  /** Everything goes through here one after the other, so that nothing overtakes. */
  #chain: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    parts.queue.subscribe((items) => this.#enchain(() => this.#bring(items)));
  }

  /** Resolves when every stored charger is with the fleet. */
  start(): Promise<void> {
    return this.#enchain(async () => {
      let last: string | null = null;
      while (!this.#stopped) {
        const members: readonly FleetMember[] = await this.#parts.store.fleetAfter(last, pageSize);
        if (members.length === 0) return;
        last = members.at(-1)?.record.id ?? null;
        await this.#takeOver(members);
      }
    });
  }

  /** Chargers that were lost, with their process or by themselves, start again from what is stored. */
  takeOver(chargerIds: readonly string[]): void {
    for (let from = 0; from < chargerIds.length; from += pageSize) {
      const ids = chargerIds.slice(from, from + pageSize);
      void this.#enchain(async () => this.#takeOver(await this.#members(ids)));
    }
  }

  async ask<Kind extends keyof Questions>(
    chargerId: string,
    question: Extract<Question, { kind: Kind }>,
    timeoutMs: number = askTimeoutMs,
  ): Promise<AnswerTo<Kind>> {
    const { clock, fleet } = this.#parts;
    let cancel = (): void => {};
    const timeout = new Promise<never>((_, reject) => {
      cancel = clock.at(clock.nowMs() + timeoutMs, () => reject(new Failure('no_answer')));
    });
    try {
      for (;;) {
        // A charger just created is seen by the first question about it.
        const answered = this.#chain.then(() => fleet.ask(chargerId, question));
        const answer = await Promise.race([answered.catch(unlessRestarting), timeout]);
        if (answer !== restarting) return answer;
        // Nobody knows whether it was run: it must not be run again.
        if (question.kind === 'run') throw new Failure('no_answer');
        await Promise.race([new Promise<void>((resolve) => clock.at(clock.nowMs() + retryMs, resolve)), timeout]);
      }
    } finally {
      cancel();
    }
  }

  async statuses(chargerIds: readonly string[]): Promise<ReadonlyMap<string, Statuses>> {
    const answered = this.#chain.then(() => this.#parts.fleet.statuses(chargerIds));
    return new Map(await Promise.race([answered, this.#after(askTimeoutMs, [])]));
  }

  async census(): Promise<FleetCensus> {
    const nobody = { processes: { alive: 0, expected: 1 }, running: 0, connected: 0, framesIn: 0, framesOut: 0 };
    return Promise.race([this.#parts.fleet.census(), this.#after(censusTimeoutMs, nobody)]);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#chain;
    await this.#parts.fleet.sleep();
  }

  #enchain(work: () => Promise<void>): Promise<void> {
    const done = this.#chain.then(() => (this.#stopped ? undefined : work()));
    this.#chain = done.catch(() => {});
    return done;
  }

  #after<Value>(ms: number, value: Value): Promise<Value> {
    const { clock } = this.#parts;
    return new Promise((resolve) => clock.at(clock.nowMs() + ms, () => resolve(value)));
  }

  async #takeOver(members: readonly FleetMember[]): Promise<void> {
    const { store, clock, fleet, publish } = this.#parts;
    const atMs = clock.nowMs();
    const interrupted = await store.interrupt(idsOf(members), atMs);
    if (interrupted.length > 0) publish(interrupted.map((ended) => endedEvent(ended, atMs)));
    fleet.deliver(await this.#deliveries(members));
  }

  async #bring(items: readonly QueueItem[]): Promise<void> {
    const changed = [...new Set(items.flatMap((item) => (item.kind === 'refresh' ? [item.chargerId] : [])))];
    const members = await this.#deliveries(await this.#members(changed));
    const byId = new Map(members.map((delivery) => [delivery.member.record.id, delivery]));
    const deliveries = items.map((item): Delivery => {
      if (item.kind === 'command') return item;
      return byId.get(item.chargerId) ?? { kind: 'gone', chargerId: item.chargerId };
    });
    this.#parts.fleet.deliver(deliveries);
  }

  async #members(ids: readonly string[]): Promise<readonly FleetMember[]> {
    const members = await Promise.all(ids.map((id) => this.#parts.store.fleetMember(id)));
    return members.filter((member) => member !== null);
  }

  async #deliveries(members: readonly FleetMember[]): Promise<readonly MemberDelivery[]> {
    const waiting = Map.groupBy(await this.#parts.queue.pending(idsOf(members)), ({ chargerId }) => chargerId);
    return members.map((member) => ({
      kind: 'member',
      member,
      url: this.#parts.urlOf(member.record),
      pending: waiting.get(member.record.id) ?? [],
    }));
  }
}

const idsOf = (members: readonly FleetMember[]): readonly string[] => members.map(({ record }) => record.id);
