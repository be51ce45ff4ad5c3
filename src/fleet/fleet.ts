// Many chargers in one process: finds the runner of each, keeps what they leave behind in batches, wakes them in time.

import type { BootReason } from '../charger/report.ts';
import { Failure } from '../errors.ts';
import type { Act, Turn } from '../ocpp/conversation.ts';
import type { Dialect } from '../ocpp/dialect.ts';
import type { AnswerTo, FleetCensus, Question, Questions, Statuses } from '../ports/ask.ts';
import type { Clock } from '../ports/clock.ts';
import type { NewFleetEvent } from '../ports/feed.ts';
import type { JournalWriter } from '../ports/journal.ts';
import type { Link } from '../ports/link.ts';
import type { QueuedCommand } from '../ports/queue.ts';
import type { ChargerRecord, Commit } from '../ports/store.ts';
import { provisioned } from '../provisioning/provisioning.ts';
import { type ErrandPorts, Errands } from './errands.ts';
import type { FleetHandle, FleetHost, FleetProblem } from './host.ts';
import { eventOf, type Kept } from './kept.ts';
import { type Delivery, defaultVersion } from './member.ts';
import { Runner } from './runner.ts';
import { Wheel } from './wheel.ts';

export interface FleetParts {
  readonly clock: Clock;
  readonly link: Link;
  readonly journal: JournalWriter;
  readonly host: FleetHost;
  readonly loadDialect: (version: string) => Promise<Dialect>;
  readonly errands: ErrandPorts;
}

type Member = Extract<Delivery, { kind: 'member' }>;

/** How long what need not be kept at once may wait. */
const soonMs = 1_000;
/** How long a charger that could not be kept is away. */
const comeBackMs = 5_000;
/** How long a shutdown waits for commands that still await an answer. */
const drainMs = 3_000;

/** What becomes durable together, and what waits for it. */
interface Batch {
  readonly commits: Commit[];
  /** What may be told once they are durable. */
  readonly events: NewFleetEvent[];
  readonly waiting: { readonly runner: Runner; readonly acts: readonly Act[]; readonly atMs: number }[];
}

export class Fleet implements FleetHandle {
  readonly clock: Clock;
  readonly link: Link;
  readonly journal: JournalWriter;
  readonly wheel: Wheel;
  readonly errands: Errands;
  readonly #host: FleetHost;
  readonly #loadDialect: FleetParts['loadDialect'];
  readonly #dialects = new Map<string, Dialect>();
  readonly #runners = new Map<string, Runner>();
  /** Deployments to follow when the runner of before has stopped. */
  readonly #next = new Map<string, Member>();
  /** Commands that came with their charger when it started: the queue may bring them a second time. */
  readonly #replayed = new Map<string, Set<string>>();
  /** Chargers that have just stopped, until what they leave behind is on record; and whether they shall start again then. */
  readonly #resting = new Map<string, { readonly batch: Batch; again: boolean }>();
  readonly #onStopped = new Map<string, (() => void)[]>();
  /** Numbers the commands that somebody waits for. */
  asked = 0;
  framesIn = 0;
  framesOut = 0;
  /** The youngest batch that each runner waits for; while it does, none of its acts may overtake. */
  readonly #lastBatch = new Map<Runner, Batch>();
  #open: Batch | null = null;
  readonly #dirty = new Set<Runner>();
  #events: NewFleetEvent[] = [];
  #chain: Promise<void> = Promise.resolve();
  #asleep = false;

  constructor({ clock, link, journal, host, loadDialect, errands }: FleetParts) {
    this.clock = clock;
    this.link = link;
    this.journal = journal;
    this.wheel = new Wheel(clock);
    this.errands = new Errands(errands, journal, clock);
    this.#host = host;
    this.#loadDialect = loadDialect;
  }

  get size(): number {
    return this.#runners.size;
  }

  /** In order, one batch after the other: a charger's dialect may have to be loaded first. */
  deliver(deliveries: readonly Delivery[]): void {
    this.#chain = this.#chain.then(async () => {
      for (const delivery of deliveries) {
        if (delivery.kind === 'member') await this.#dialect(delivery.member.record);
        if (!this.#asleep) this.#take(delivery);
      }
    });
  }

  async statuses(chargerIds: readonly string[]): Promise<readonly (readonly [string, Statuses])[]> {
    await this.#chain;
    return chargerIds.flatMap((id) => {
      const runner = this.#runners.get(id);
      // What an offline charger shows is nobody's knowledge.
      return runner?.isConnected ? [[id, runner.statuses] as const] : [];
    });
  }

  async census(): Promise<FleetCensus> {
    let connected = 0;
    for (const runner of this.#runners.values()) if (runner.isConnected) connected++;
    const { framesIn, framesOut } = this;
    return { processes: { alive: 1, expected: 1 }, running: this.#runners.size, connected, framesIn, framesOut };
  }

  async ask<Kind extends keyof Questions>(
    chargerId: string,
    question: Extract<Question, { kind: Kind }>,
  ): Promise<AnswerTo<Kind>> {
    // What was delivered before the question is seen by it.
    await this.#chain;
    return (await this.#answer(chargerId, question)) as AnswerTo<Kind>;
  }

  async sleep(): Promise<void> {
    await this.#chain;
    const untilMs = this.clock.nowMs() + drainMs;
    while (this.clock.nowMs() < untilMs && [...this.#runners.values()].some((runner) => runner.isBusy)) {
      await new Promise<void>((resolve) => this.clock.at(this.clock.nowMs() + 20, resolve));
    }
    this.#asleep = true;
    this.wheel.stop();
    const runners = [...this.#runners.values()];
    for (const runner of runners) runner.freeze();
    // What the last turns left behind goes first: the memory of the sleeping charger must be the last word.
    await this.#closeBatch();
    await this.#host.commit(runners.map((runner) => runner.asleep()));
    await this.journal.close();
  }

  isKeeping(runner: Runner): boolean {
    return this.#lastBatch.has(runner);
  }

  /** Keeps what a turn left behind and lets its acts follow, behind those of the runner's earlier turns. */
  keep(runner: Runner, turn: Turn, kept: Kept | null): void {
    const waitsFor = turn.keep === 'now' ? this.#openBatch() : this.#lastBatch.get(runner);
    if (kept !== null) this.commit(kept);
    if (turn.keep === 'now') this.#dirty.delete(runner);
    else if (turn.keep === 'soon') this.#keepSoon(runner);
    if (waitsFor === undefined) {
      runner.perform(turn.acts, turn.atMs);
      return;
    }
    waitsFor.waiting.push({ runner, acts: turn.acts, atMs: turn.atMs });
    this.#lastBatch.set(runner, waitsFor);
  }

  /** Keeps something that no act waits for. */
  commit({ commit, events }: Kept): void {
    const batch = this.#openBatch();
    batch.commits.push(commit);
    for (const event of events) batch.events.push(event);
  }

  /** A runner that was told to stop has stopped. */
  retired(runner: Runner): void {
    const { id } = runner.record;
    if (this.#runners.get(id) !== runner) return;
    const memory = runner.memory();
    this.#drop(runner);
    this.commit({ commit: memory, events: [] });
    const next = this.#next.get(id);
    this.#next.delete(id);
    if (next !== undefined) {
      this.#tellStopped(id);
      this.#start(next, memory.memory ?? null, 'LocalReset', runner.waiting);
    } else {
      // What still waits for it is on the queue, and comes back with it.
      this.#replayed.delete(id);
      this.#resting.set(id, { batch: this.#openBatch(), again: false });
    }
  }

  publish(record: ChargerRecord, type: string, data: Readonly<Record<string, unknown>>, atMs: number): void {
    if (this.#events.length === 0) setImmediate(() => this.#publishAll());
    this.#events.push(eventOf(record, type, data, atMs));
  }

  /** What nobody waited for could not be kept. */
  unkept(chargerIds: readonly string[], error: unknown): void {
    for (const id of chargerIds) this.#lose(id, error);
  }

  complain(problem: FleetProblem): void {
    this.#host.complain(problem);
  }

  async #dialect(record: ChargerRecord): Promise<void> {
    const version = record.ocppVersion ?? defaultVersion;
    if (!this.#dialects.has(version)) this.#dialects.set(version, await this.#loadDialect(version));
  }

  #take(delivery: Delivery): void {
    switch (delivery.kind) {
      case 'member':
        this.#follow(delivery);
        return;
      case 'gone':
        this.#forget(delivery.chargerId);
        return;
      case 'command':
        this.#run(delivery.command);
    }
  }

  /** Makes what runs agree with the deployment. */
  #follow(member: Member): void {
    const { record, memory } = member.member;
    const runner = this.#runners.get(record.id);
    const resting = this.#resting.get(record.id);
    if (record.desired === 'stopped') {
      if (resting !== undefined) resting.again = false;
      this.#next.delete(record.id);
      if (runner?.isCrashed) {
        this.#drop(runner);
        this.#tellStopped(record.id);
      } else if (runner !== undefined) {
        runner.record = record;
        runner.retire();
      }
    } else if (resting !== undefined) {
      // What was read from the store is older than what it leaves behind.
      resting.again = true;
    } else if (runner === undefined) {
      this.#start(member, memory, 'PowerUp', this.#replay(member));
    } else if (runner.isCrashed) {
      // Its own state is not to be trusted: what is stored is.
      this.#drop(runner);
      this.#start(member, memory, 'PowerUp', this.#replay(member));
    } else if (runner.isStopping || runner.record.generation !== record.generation || runner.url !== member.url) {
      this.#next.set(record.id, member);
      runner.retire();
    } else {
      runner.record = record;
    }
  }

  #replay({ member: { record }, pending }: Member): readonly QueuedCommand[] {
    if (pending.length > 0) this.#replayed.set(record.id, new Set(pending.map(({ id }) => id)));
    return pending;
  }

  #start(
    { member: { record }, url }: Member,
    memory: string | null,
    reason: BootReason,
    waiting: readonly QueuedCommand[],
  ): void {
    const dialect = this.#dialects.get(record.ocppVersion ?? defaultVersion);
    if (dialect === undefined) throw new Error(`bug: the dialect of ${record.identity} is not loaded`);
    try {
      this.#runners.set(record.id, new Runner(this, { record, url, dialect, memory, reason, waiting }));
    } catch (error) {
      const sentence = `charger ${record.identity} could not be started`;
      const detail = error instanceof Error ? (error.stack ?? '') : String(error);
      this.complain({ chargerId: record.id, sentence, detail });
      const stuck = provisioned(record.provisioning, { kind: 'not_started', error: sentence }, this.clock.nowMs());
      this.commit({ commit: { chargerId: record.id, provisioning: stuck }, events: [] });
    }
  }

  /** For a charger that does not run it stays on the queue, and comes with it when it is started. */
  #run(command: QueuedCommand): void {
    if (this.#replayed.get(command.chargerId)?.delete(command.id)) return;
    this.#runners.get(command.chargerId)?.run(command);
  }

  /** Deleted: nothing of it is kept. */
  #forget(chargerId: string): void {
    this.#next.delete(chargerId);
    this.#replayed.delete(chargerId);
    this.#resting.delete(chargerId);
    const runner = this.#runners.get(chargerId);
    runner?.leave(1000, 'the charger is deleted');
    if (runner !== undefined) this.#drop(runner);
    this.#tellStopped(chargerId);
  }

  #drop(runner: Runner): void {
    const { id } = runner.record;
    this.#runners.delete(id);
    this.#dirty.delete(runner);
  }

  #tellStopped(chargerId: string): void {
    for (const resolve of this.#onStopped.get(chargerId) ?? []) resolve();
    this.#onStopped.delete(chargerId);
  }

  async #answer(chargerId: string, question: Question): Promise<AnswerTo<keyof Questions>> {
    // A log can be read of a charger that does not run.
    if (question.kind === 'logs') return await this.journal.read(chargerId, question.query);
    const runner = this.#runners.get(chargerId);
    if (question.kind === 'stopped') {
      // It has stopped when all that it did is on record.
      if (runner !== undefined || this.#resting.has(chargerId)) await this.#stopped(chargerId);
      return true;
    }
    if (runner === undefined) throw new Failure('not_running');
    return question.kind === 'run' ? runner.answer(question) : runner.live();
  }

  #stopped(chargerId: string): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#onStopped.get(chargerId);
      if (waiting === undefined) this.#onStopped.set(chargerId, [resolve]);
      else waiting.push(resolve);
    });
  }

  #openBatch(): Batch {
    if (this.#open === null) {
      this.#open = { commits: [], events: [], waiting: [] };
      setImmediate(() => void this.#closeBatch());
    }
    return this.#open;
  }

  async #closeBatch(): Promise<void> {
    const batch = this.#open;
    this.#open = null;
    if (batch === null) return;
    const failed = await this.#commitAll(batch);
    for (const { runner, acts, atMs } of batch.waiting) {
      if (this.#lastBatch.get(runner) === batch) this.#lastBatch.delete(runner);
      if (!failed.has(runner.record.id)) runner.perform(acts, atMs);
    }
    for (const [id, error] of failed) this.#lose(id, error);
    this.#wakeRested(batch);
  }

  #wakeRested(batch: Batch): void {
    for (const { chargerId } of batch.commits) {
      const resting = this.#resting.get(chargerId);
      if (resting?.batch !== batch) continue;
      this.#resting.delete(chargerId);
      this.#tellStopped(chargerId);
      if (resting.again) this.#host.lost([chargerId]);
    }
  }

  /** All together, or where that fails each charger's by itself: one charger's trouble is not its neighbours'. */
  async #commitAll({ commits, events, waiting }: Batch): Promise<ReadonlyMap<string, unknown>> {
    const failed = new Map<string, unknown>();
    const isAwaited = waiting.length > 0 || commits.some(({ chargerId }) => this.#resting.has(chargerId));
    try {
      await this.#host.commit(commits, events, !isAwaited);
    } catch (error) {
      const perCharger = Map.groupBy(commits, ({ chargerId }) => chargerId);
      if (perCharger.size === 1) return new Map([...perCharger.keys()].map((id) => [id, error]));
      for (const [id, own] of perCharger) {
        const told = events.filter(({ chargerId }) => chargerId === id);
        await this.#host.commit(own, told).catch((reason: unknown) => failed.set(id, reason));
      }
    }
    return failed;
  }

  /** Nothing of what could not be kept may be said: it stops as if its power had failed, and comes back from what was kept. */
  #lose(chargerId: string, error: unknown): void {
    const runner = this.#runners.get(chargerId);
    if (runner === undefined || runner.isCrashed) return;
    runner.fall(error);
    this.clock.at(this.clock.nowMs() + comeBackMs, () => {
      if (!this.#asleep) this.#host.lost([chargerId]);
    });
  }

  #keepSoon(runner: Runner): void {
    if (this.#dirty.size === 0) this.clock.at(this.clock.nowMs() + soonMs, () => this.#keepDirty());
    this.#dirty.add(runner);
  }

  #keepDirty(): void {
    if (this.#asleep) return;
    for (const runner of this.#dirty) this.#openBatch().commits.push(runner.memory());
    this.#dirty.clear();
  }

  #publishAll(): void {
    const events = this.#events;
    this.#events = [];
    this.#host.publish(events);
  }
}
