// Many chargers in one process: finds the runner of each, keeps what they leave behind in batches, wakes them in time.

import type { BootReason } from '../charger/report.ts';
import { Failure } from '../errors.ts';
import type { Dialect } from '../ocpp/dialect.ts';
import type { AnswerTo, FleetCensus, Question, Questions, Statuses } from '../ports/ask.ts';
import type { Clock } from '../ports/clock.ts';
import type { JournalWriter } from '../ports/journal.ts';
import type { Link } from '../ports/link.ts';
import { partitionOf } from '../ports/partition.ts';
import type { QueuedCommand } from '../ports/queue.ts';
import type { ChargerRecord, Commit } from '../ports/store.ts';
import { provisioned } from '../provisioning/provisioning.ts';
import type { Batch } from './batch.ts';
import { type ErrandPorts, Errands } from './errands.ts';
import type { FleetHandle, FleetHost, FleetProblem } from './host.ts';
import { Keeper } from './keeper.ts';
import { eventOf } from './kept.ts';
import { handOnLog } from './logs.ts';
import { type Delivery, defaultVersion } from './member.ts';
import { Runner } from './runner.ts';
import { steadyMs } from './steady.ts';
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

/** How long a charger that could not be kept is away. */
const comeBackMs = 5_000;
/** How long a shutdown waits for commands that still await an answer. */
const drainMs = 3_000;

export class Fleet implements FleetHandle {
  readonly clock: Clock;
  readonly link: Link;
  readonly journal: JournalWriter;
  readonly wheel: Wheel;
  readonly errands: Errands;
  readonly #host: FleetHost;
  readonly keeper: Keeper;
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
  #chain: Promise<void> = Promise.resolve();
  #asleep = false;
  #holdsUntilMs = Number.POSITIVE_INFINITY;

  constructor({ clock, link, journal, host, loadDialect, errands }: FleetParts) {
    this.clock = clock;
    this.link = link;
    this.journal = journal;
    this.wheel = new Wheel(clock);
    this.errands = new Errands(errands, journal, clock);
    this.#host = host;
    this.keeper = new Keeper({
      clock,
      host,
      isAwaited: (chargerId) => this.#resting.has(chargerId),
      fenced: (commits) => this.fenced(commits),
      closed: (batch, failed) => {
        for (const [id, error] of failed) this.#lose(id, error);
        this.#wakeRested(batch);
      },
    });
    this.#loadDialect = loadDialect;
  }

  /** In order, one batch after the other: a charger's dialect may have to be loaded first. */
  deliver(deliveries: readonly Delivery[]): void {
    this.#chain = this.#chain.then(async () => {
      for (const delivery of deliveries) {
        if (delivery.kind === 'member') await this.#dialect(delivery.member.record);
        if (!this.#asleep && this.#isStillOurs(delivery)) this.#take(delivery);
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

  hold(untilSteadyMs: number): void {
    this.#holdsUntilMs = untilSteadyMs;
  }

  /** Whether its chargers are surely its own. When they are not it has none from then on, and asks for them again. */
  mayAct(): boolean {
    if (this.#holdsUntilMs === Number.POSITIVE_INFINITY || steadyMs() < this.#holdsUntilMs) return true;
    const chargerIds = [...this.#runners.keys()];
    this.#abandon(() => true);
    if (chargerIds.length > 0) this.#comeBack(chargerIds);
    return false;
  }

  async release(partitions: readonly number[]): Promise<void> {
    const released = new Set(partitions);
    await this.#putToSleep((id) => released.has(partitionOf(id)));
    await handOnLog(this.journal, this.clock);
  }

  abandon(partitions: readonly number[]): void {
    const abandoned = new Set(partitions);
    const isAbandoned = (id: string): boolean => abandoned.has(partitionOf(id));
    this.#abandon(isAbandoned);
    // Also what was delivered before and still waits for its dialect.
    this.#chain = this.#chain.then(() => this.#abandon(isAbandoned));
  }

  /** These commits of chargers were left out, because another process owns them now. */
  fenced(commits: readonly Pick<Commit, 'chargerId' | 'epoch'>[]): void {
    for (const { chargerId, epoch } of commits) {
      // It may be back meanwhile, under a tenure of its own.
      if (this.#runners.get(chargerId)?.epoch === epoch) this.#abandon((id) => id === chargerId, [chargerId]);
    }
  }

  async sleep(): Promise<void> {
    await this.#putToSleep(
      () => true,
      () => {
        this.#asleep = true;
        this.wheel.stop();
      },
    );
    await this.journal.close();
  }

  async #putToSleep(isConcerned: (chargerId: string) => boolean, begin: () => void = () => {}): Promise<void> {
    await this.#chain;
    const concerned = (): readonly Runner[] =>
      [...this.#runners.values()].filter(({ record: { id } }) => isConcerned(id));
    const untilMs = this.clock.nowMs() + drainMs;
    while (this.clock.nowMs() < untilMs && concerned().some((runner) => runner.isBusy)) {
      await new Promise<void>((resolve) => this.clock.at(this.clock.nowMs() + 20, resolve));
    }
    begin();
    const runners = concerned();
    for (const runner of runners) {
      runner.freeze();
      this.keeper.forget(runner);
    }
    try {
      // What the last turns left behind goes first: the memory of the sleeping charger must be the last word.
      await this.keeper.close();
      await this.#host.commit(runners.map((runner) => runner.asleep()));
    } finally {
      for (const runner of runners) if (this.#runners.get(runner.record.id) === runner) this.#forget(runner.record.id);
    }
  }

  #abandon(isConcerned: (chargerId: string) => boolean, among: Iterable<string> = [...this.#runners.keys()]): void {
    for (const id of among) {
      const runner = this.#runners.get(id);
      if (runner === undefined || !isConcerned(id)) continue;
      runner.abandon();
      this.#drop(runner);
    }
    for (const id of [
      ...this.#next.keys(),
      ...this.#replayed.keys(),
      ...this.#resting.keys(),
      ...this.#onStopped.keys(),
    ]) {
      if (!isConcerned(id)) continue;
      for (const kept of [this.#next, this.#replayed, this.#resting, this.#onStopped]) kept.delete(id);
    }
  }

  /** A runner that was told to stop has stopped. */
  retired(runner: Runner): void {
    const { id } = runner.record;
    if (this.#runners.get(id) !== runner) return;
    const memory = runner.memory();
    this.#drop(runner);
    this.keeper.commit({ commit: memory, events: [] });
    const next = this.#next.get(id);
    this.#next.delete(id);
    if (next !== undefined) {
      this.#tellStopped(id);
      this.#start({ ...next, epoch: runner.epoch }, memory.memory ?? null, 'LocalReset', runner.waiting);
    } else {
      // What still waits for it is on the queue, and comes back with it.
      this.#replayed.delete(id);
      this.#resting.set(id, { batch: this.keeper.open(), again: false });
    }
  }

  publish(record: ChargerRecord, type: string, data: Readonly<Record<string, unknown>>, atMs: number): void {
    this.keeper.publish(eventOf(record, type, data, atMs));
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

  #isStillOurs(delivery: Delivery): boolean {
    if (this.mayAct()) return true;
    if (delivery.kind === 'member') this.#comeBack([delivery.member.record.id]);
    return false;
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
    { member: { record }, url, epoch }: Member,
    memory: string | null,
    reason: BootReason,
    waiting: readonly QueuedCommand[],
  ): void {
    const dialect = this.#dialects.get(record.ocppVersion ?? defaultVersion);
    if (dialect === undefined) throw new Error(`bug: the dialect of ${record.identity} is not loaded`);
    try {
      this.#runners.set(record.id, new Runner(this, { record, url, dialect, memory, reason, waiting, epoch }));
    } catch (error) {
      const sentence = `charger ${record.identity} could not be started`;
      const detail = error instanceof Error ? (error.stack ?? '') : String(error);
      this.complain({ chargerId: record.id, sentence, detail });
      const stuck = provisioned(record.provisioning, { kind: 'not_started', error: sentence }, this.clock.nowMs());
      const signature = { chargerId: record.id, ...(epoch === undefined ? {} : { epoch }) };
      this.keeper.commit({ commit: { ...signature, provisioning: stuck }, events: [] });
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
    this.keeper.forget(runner);
  }

  #tellStopped(chargerId: string): void {
    for (const resolve of this.#onStopped.get(chargerId) ?? []) resolve();
    this.#onStopped.delete(chargerId);
  }

  async #answer(chargerId: string, question: Question): Promise<AnswerTo<keyof Questions>> {
    // A log can be read of a charger that does not run.
    if (question.kind === 'logs') return await this.journal.read(chargerId, question.query);
    if (question.kind === 'logged') {
      await this.journal.flush();
      return true;
    }
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

  #wakeRested(batch: Batch): void {
    for (const { chargerId } of batch.commits) {
      const resting = this.#resting.get(chargerId);
      if (resting?.batch !== batch) continue;
      this.#resting.delete(chargerId);
      this.#tellStopped(chargerId);
      if (resting.again) this.#host.lost([chargerId]);
    }
  }

  /** Nothing of what could not be kept may be said: it stops as if its power had failed, and comes back from what was kept. */
  #lose(chargerId: string, error: unknown): void {
    const runner = this.#runners.get(chargerId);
    if (runner === undefined || runner.isCrashed) return;
    runner.fall(error);
    this.#comeBack([chargerId]);
  }

  #comeBack(chargerIds: readonly string[]): void {
    this.clock.at(this.clock.nowMs() + comeBackMs, () => {
      if (!this.#asleep) this.#host.lost(chargerIds);
    });
  }
}
