// Many chargers in one process: finds the runner of each, keeps what they leave behind in batches, wakes them in time.

import { Failure } from '../errors.ts';
import type { Act, Turn } from '../ocpp/conversation.ts';
import type { Dialect } from '../ocpp/dialect.ts';
import type { AnswerTo, Question, Questions } from '../ports/ask.ts';
import type { Clock } from '../ports/clock.ts';
import type { NewFleetEvent } from '../ports/feed.ts';
import type { JournalWriter } from '../ports/journal.ts';
import type { Link } from '../ports/link.ts';
import type { ChargerRecord, Commit } from '../ports/store.ts';
import type { FleetHandle, FleetHost, FleetProblem } from './host.ts';
import { type Delivery, defaultVersion } from './member.ts';
import { Runner } from './runner.ts';
import { Wheel } from './wheel.ts';

export interface FleetParts {
  readonly clock: Clock;
  readonly link: Link;
  readonly journal: JournalWriter;
  readonly host: FleetHost;
  readonly loadDialect: (version: string) => Promise<Dialect>;
}

/** How long what need not be kept at once may wait. */
const soonMs = 1_000;
/** How long a shutdown waits for commands that still await an answer. */
const drainMs = 3_000;

/** What becomes durable together, and what waits for it. */
interface Batch {
  readonly commits: Commit[];
  readonly waiting: { readonly runner: Runner; readonly acts: readonly Act[]; readonly atMs: number }[];
}

export class Fleet implements FleetHandle {
  readonly clock: Clock;
  readonly link: Link;
  readonly journal: JournalWriter;
  readonly wheel: Wheel;
  readonly #host: FleetHost;
  readonly #loadDialect: FleetParts['loadDialect'];
  readonly #dialects = new Map<string, Dialect>();
  readonly #runners = new Map<string, Runner>();
  /** The youngest batch that each runner waits for; while it does, none of its acts may overtake. */
  readonly #lastBatch = new Map<Runner, Batch>();
  #open: Batch | null = null;
  readonly #dirty = new Set<Runner>();
  #events: NewFleetEvent[] = [];
  #chain: Promise<void> = Promise.resolve();
  #asleep = false;

  constructor({ clock, link, journal, host, loadDialect }: FleetParts) {
    this.clock = clock;
    this.link = link;
    this.journal = journal;
    this.wheel = new Wheel(clock);
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
    const commits = [...this.#runners.values()].map((runner) => runner.sleep());
    await this.#host.commit(commits);
    await this.journal.close();
  }

  isKeeping(runner: Runner): boolean {
    return this.#lastBatch.has(runner);
  }

  /** Keeps what a turn left behind and lets its acts follow, behind those of the runner's earlier turns. */
  keep(runner: Runner, turn: Turn, commit: Commit | null): void {
    const waitsFor = turn.keep === 'now' ? this.#openBatch() : this.#lastBatch.get(runner);
    if (commit !== null) this.#openBatch().commits.push(commit);
    if (turn.keep === 'now') this.#dirty.delete(runner);
    else if (turn.keep === 'soon') this.#keepSoon(runner);
    if (waitsFor === undefined) {
      runner.perform(turn.acts, turn.atMs);
      return;
    }
    waitsFor.waiting.push({ runner, acts: turn.acts, atMs: turn.atMs });
    this.#lastBatch.set(runner, waitsFor);
  }

  publish(record: ChargerRecord, type: string, data: Readonly<Record<string, unknown>>, atMs: number): void {
    if (this.#events.length === 0) setImmediate(() => this.#publishAll());
    const { org, id, identity, locationId } = record;
    this.#events.push({ org, type, atMs, chargerId: id, identity, locationId, data });
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
        this.#run(delivery);
        return;
      case 'gone':
        this.#forget(delivery.chargerId);
        return;
      case 'command':
        this.#runners.get(delivery.command.chargerId)?.run(delivery.command);
    }
  }

  #run({ member, url }: Extract<Delivery, { kind: 'member' }>): void {
    const { record, memory } = member;
    if (record.desired === 'stopped') {
      this.#forget(record.id);
      return;
    }
    // Already running: nothing that a deployment says today can change under a running charger.
    if (this.#runners.has(record.id)) return;
    const dialect = this.#dialects.get(record.ocppVersion ?? defaultVersion);
    if (dialect === undefined) throw new Error(`bug: the dialect of ${record.identity} is not loaded`);
    try {
      this.#runners.set(record.id, new Runner(this, record, url, dialect, memory));
    } catch (error) {
      const detail = error instanceof Error ? (error.stack ?? '') : String(error);
      this.complain({ chargerId: record.id, sentence: `charger ${record.identity} could not be started`, detail });
    }
  }

  #forget(chargerId: string): void {
    const runner = this.#runners.get(chargerId);
    if (runner === undefined) return;
    this.#runners.delete(chargerId);
    this.#dirty.delete(runner);
    runner.stop();
  }

  async #answer(chargerId: string, question: Question): Promise<AnswerTo<keyof Questions>> {
    // A log can be read of a charger that does not run.
    if (question.kind === 'logs') return await this.journal.read(chargerId, question.query);
    const runner = this.#runners.get(chargerId);
    if (runner === undefined) throw new Failure('not_running');
    return runner.live();
  }

  #openBatch(): Batch {
    if (this.#open === null) {
      this.#open = { commits: [], waiting: [] };
      setImmediate(() => void this.#closeBatch());
    }
    return this.#open;
  }

  async #closeBatch(): Promise<void> {
    const batch = this.#open;
    this.#open = null;
    if (batch === null) return;
    try {
      await this.#host.commit(batch.commits);
    } catch (error) {
      // Nothing of it may be said: these chargers stop as if their power had failed, and come back from what was kept.
      for (const { runner } of batch.waiting) runner.crash(error);
      return;
    }
    for (const { runner, acts, atMs } of batch.waiting) {
      if (this.#lastBatch.get(runner) === batch) this.#lastBatch.delete(runner);
      runner.perform(acts, atMs);
    }
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
