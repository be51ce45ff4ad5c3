// Brings chargers and commands to the fleet: everything that is stored at the start, and whatever the queue brings after that.

import { endedEvent } from '../commands/command-ended.ts';
import { Failure, isFailure } from '../errors.ts';
import type { AnswerTo, Ask, FleetCensus, Question, Questions, Statuses } from '../ports/ask.ts';
import type { Clock } from '../ports/clock.ts';
import type { NewFleetEvent } from '../ports/feed.ts';
import { type Partitions, partitionOf, type Tenure } from '../ports/partition.ts';
import type { Queue, QueueItem } from '../ports/queue.ts';
import type { ChargerRecord, EndedCommand, FleetMember, Store } from '../ports/store.ts';
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
  /** Where several processes own chargers: then those of the partitions that are open are brought, and no others. */
  readonly partitions?: Partitions;
  readonly onTrouble?: (error: unknown) => void;
}

/** What makes a charger ours: a tenure, or that one process owns all. */
type Claim = Tenure | 'all';

type MemberDelivery = Extract<Delivery, { kind: 'member' }>;

const pageSize = 500;
const askTimeoutMs = 5_000;
const retryMs = 50;
const censusTimeoutMs = 1_000;
const partitionsAtOnce = 8;
/** A store that cannot be reached is asked again. */
const insistMs = 500;

const restarting = Symbol('the process is being restarted');

function unlessRestarting(error: unknown): typeof restarting {
  if (isFailure(error, 'process_restarting')) return restarting;
  throw error;
}

export class Dispatcher implements Ask {
  readonly #parts: DispatcherParts;
  /** Everything goes through here one after the other, so that nothing overtakes. */
  #chain: Promise<void> = Promise.resolve();
  /** Stored chargers are still being brought: who only looks does not wait for all of them. */
  #isStarting = false;
  #stopped = false;
  readonly #open = new Map<number, Tenure>();

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    parts.queue.subscribe((items) => {
      // Under which claim they came: with the next one they come again.
      const claimed = items.map((item) => ({ item, claim: this.#claimOf(idOf(item)) }));
      void this.#enchain(() => this.#insist(() => this.#bring(claimed))).catch(() => {});
    });
  }

  /** These partitions are ours from now on. Resolves when all their chargers are with the fleet, or have been lost again. */
  open(tenures: readonly Tenure[]): Promise<void> {
    for (const tenure of tenures) this.#open.set(tenure.partition, tenure);
    return this.#enchain(async () => {
      const left = tenures.filter((tenure) => this.#isStill(tenure));
      await this.#parts.queue.open(left);
      const work = left[Symbol.iterator]();
      const lane = async (): Promise<void> => {
        for (const tenure of work) await this.#takeOverPartition(tenure);
      };
      await Promise.all(Array.from({ length: partitionsAtOnce }, lane));
    });
  }

  /** Nothing of these is brought any more. Resolves when nothing is under way. */
  close(tenures: readonly Tenure[]): Promise<void> {
    for (const tenure of tenures) if (this.#isStill(tenure)) this.#open.delete(tenure.partition);
    this.#parts.queue.close(tenures);
    return this.#chain;
  }

  /** Resolves when every stored charger is with the fleet. */
  async start(): Promise<void> {
    this.#isStarting = true;
    const started = this.#enchain(async () => {
      let last: string | null = null;
      while (!this.#stopped) {
        const members: readonly FleetMember[] = await this.#parts.store.fleetAfter(last, pageSize);
        if (members.length === 0) return;
        last = members.at(-1)?.record.id ?? null;
        await this.#takeOver('all', members);
        // A page at a time: the fleet answers questions between them, and what is on its way takes little memory.
        await this.#parts.fleet.statuses(last === null ? [] : [last]);
      }
    });
    await started.finally(() => {
      this.#isStarting = false;
    });
  }

  /** Chargers that were lost, with their process or by themselves, start again from what is stored. */
  takeOver(chargerIds: readonly string[]): void {
    for (let from = 0; from < chargerIds.length; from += pageSize) {
      const ids = chargerIds.slice(from, from + pageSize);
      void this.#enchain(async () => {
        for (const [claim, own] of this.#byClaim(ids)) {
          await this.#insist(async () => this.#takeOver(claim, await this.#members(own)));
        }
      }).catch(() => {});
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
        const isLook = question.kind === 'live' || question.kind === 'logs';
        const answered = this.#turn(isLook).then(() => fleet.ask(chargerId, question));
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
    const answered = this.#turn(true).then(() => this.#parts.fleet.statuses(chargerIds));
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

  /** When a question may be asked. */
  #turn(isLook: boolean): Promise<void> {
    return isLook && this.#isStarting ? Promise.resolve() : this.#chain;
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

  /** Word of a command comes once for each tenure: what it needs of the store is asked for until it is there. */
  async #insist(work: () => Promise<void>): Promise<void> {
    if (this.#parts.partitions === undefined) return work();
    for (let isTold = false; !this.#stopped; isTold = true) {
      try {
        return await work();
      } catch (error) {
        if (!isTold) this.#parts.onTrouble?.(error);
        await this.#after(insistMs, undefined);
      }
    }
  }

  async #takeOverPartition(tenure: Tenure): Promise<void> {
    const { partitions } = this.#parts;
    let last: string | null = '';
    while (last !== null && this.#isStill(tenure) && !this.#stopped) {
      await this.#insist(async () => {
        const members = (await partitions?.partitionAfter(tenure.partition, last, pageSize)) ?? [];
        if (members.length > 0) await this.#takeOver(tenure, members);
        last = members.at(-1)?.record.id ?? null;
      });
    }
  }

  async #takeOver(claim: Claim, members: readonly FleetMember[]): Promise<void> {
    const { clock, publish } = this.#parts;
    const atMs = clock.nowMs();
    const interrupted = await this.#interrupt(claim, idsOf(members), atMs);
    if (interrupted === null) return;
    if (interrupted.length > 0) publish(interrupted.map((ended) => endedEvent(ended, atMs)));
    this.#deliver(claim, await this.#deliveries(claim, members));
  }

  /** Null when they are somebody else's now. */
  async #interrupt(claim: Claim, ids: readonly string[], atMs: number): Promise<readonly EndedCommand[] | null> {
    const { store, partitions } = this.#parts;
    if (claim === 'all' || partitions === undefined) return store.interrupt(ids, atMs);
    try {
      return await partitions.interruptOwned(claim, ids, atMs);
    } catch (error) {
      if (isFailure(error, 'fenced')) return null;
      throw error;
    }
  }

  async #bring(claimed: readonly { readonly item: QueueItem; readonly claim: Claim | null }[]): Promise<void> {
    const byId = new Map<string, MemberDelivery>();
    const refreshes = claimed.filter(({ item }) => item.kind === 'refresh');
    for (const [claim, own] of Map.groupBy(refreshes, (each) => each.claim)) {
      const refreshed = own.map(({ item }) => idOf(item));
      if (claim === null || !this.#isStill(claim)) continue;
      const deliveries = await this.#deliveries(claim, await this.#members([...new Set(refreshed)]));
      for (const delivery of deliveries) byId.set(delivery.member.record.id, delivery);
    }
    const deliveries = claimed.flatMap(({ item, claim }): Delivery[] => {
      if (claim === null || !this.#isStill(claim)) return [];
      if (item.kind === 'command') return [item];
      return [byId.get(item.chargerId) ?? { kind: 'gone', chargerId: item.chargerId }];
    });
    this.#parts.fleet.deliver(deliveries);
  }

  #claimOf(chargerId: string): Claim | null {
    return this.#parts.partitions === undefined ? 'all' : (this.#open.get(partitionOf(chargerId)) ?? null);
  }

  #byClaim(chargerIds: readonly string[]): ReadonlyMap<Claim, readonly string[]> {
    const groups = Map.groupBy(chargerIds, (id) => this.#claimOf(id));
    groups.delete(null);
    return groups as ReadonlyMap<Claim, readonly string[]>;
  }

  #isStill(claim: Claim): boolean {
    return claim === 'all' || this.#open.get(claim.partition) === claim;
  }

  #deliver(claim: Claim, deliveries: readonly Delivery[]): void {
    if (this.#isStill(claim)) this.#parts.fleet.deliver(deliveries);
  }

  async #members(ids: readonly string[]): Promise<readonly FleetMember[]> {
    const members = await Promise.all(ids.map((id) => this.#parts.store.fleetMember(id)));
    return members.filter((member) => member !== null);
  }

  async #deliveries(claim: Claim, members: readonly FleetMember[]): Promise<readonly MemberDelivery[]> {
    if (members.length === 0) return [];
    const waiting = Map.groupBy(await this.#parts.queue.pending(idsOf(members)), ({ chargerId }) => chargerId);
    return members.map((member) => ({
      kind: 'member',
      member,
      url: this.#parts.urlOf(member.record),
      pending: waiting.get(member.record.id) ?? [],
      ...(claim === 'all' ? {} : { epoch: claim.epoch }),
    }));
  }
}

const idsOf = (members: readonly FleetMember[]): readonly string[] => members.map(({ record }) => record.id);

const idOf = (item: QueueItem): string => (item.kind === 'command' ? item.command.chargerId : item.chargerId);
