// Has what chargers leave behind kept in batches, and lets their acts follow once it is durable.

import type { Turn } from '../ocpp/conversation.ts';
import type { Clock } from '../ports/clock.ts';
import type { NewFleetEvent } from '../ports/feed.ts';
import type { Commit } from '../ports/store.ts';
import { type Batch, commitBatch } from './batch.ts';
import type { FleetHost } from './host.ts';
import type { Kept } from './kept.ts';
import type { Runner } from './runner.ts';

export interface KeeperParts {
  readonly clock: Clock;
  readonly host: FleetHost;
  /** Whether somebody waits for what this charger leaves behind. */
  readonly isAwaited: (chargerId: string) => boolean;
  /** These were left out, because another process owns their chargers now. */
  readonly fenced: (commits: readonly Commit[]) => void;
  readonly closed: (batch: Batch, failed: ReadonlyMap<string, unknown>) => void;
}

/** How long what need not be kept at once may wait. */
const soonMs = 1_000;
/** How long an answer may take before the sample that it is for is kept. */
const answerMs = 3_000;

export class Keeper {
  readonly #parts: KeeperParts;
  #open: Batch | null = null;
  readonly #dirty = new Set<Runner>();
  /** Of these only what has moved was kept, and a sample was on its way: if nobody has answered it, all is kept. */
  readonly #moved = new Set<Runner>();
  #isSweepDue = false;
  #events: NewFleetEvent[] = [];

  constructor(parts: KeeperParts) {
    this.#parts = parts;
  }

  /** Keeps what a turn left behind and lets its acts follow, behind those of the runner's earlier turns. */
  keep(runner: Runner, turn: Turn, kept: Kept | null): void {
    const waitsFor = turn.keep === 'now' ? this.open() : runner.waitsFor;
    if (kept !== null) this.commit(kept);
    if (kept?.commit.addendum !== undefined) this.#keepSoon(runner, this.#moved);
    else if (turn.keep === 'now') this.forget(runner);
    else if (turn.keep === 'soon') this.#keepSoon(runner, this.#dirty);
    if (waitsFor === null) {
      runner.perform(turn.acts, turn.atMs);
      return;
    }
    this.#await(waitsFor, { runner, acts: turn.acts, atMs: turn.atMs });
  }

  #await(batch: Batch, waiting: Batch['waiting'][number]): void {
    batch.waiting.push(waiting);
    waiting.runner.waitsFor = batch;
  }

  /** Keeps something that no act waits for. */
  commit({ commit, events }: Kept): void {
    const batch = this.open();
    batch.commits.push(commit);
    for (const event of events) batch.events.push(event);
  }

  publish(event: NewFleetEvent): void {
    if (this.#events.length === 0) setImmediate(() => this.#publishAll());
    this.#events.push(event);
  }

  /** What it was need not be kept any more. */
  forget(runner: Runner): void {
    this.#dirty.delete(runner);
    this.#moved.delete(runner);
  }

  open(): Batch {
    if (this.#open === null) {
      this.#open = { commits: [], events: [], waiting: [] };
      setImmediate(() => void this.close());
    }
    return this.#open;
  }

  async close(): Promise<void> {
    const batch = this.#open;
    this.#open = null;
    if (batch === null) return;
    const { host, isAwaited, fenced, closed } = this.#parts;
    const isSomeAwaited = batch.waiting.length > 0 || batch.commits.some(({ chargerId }) => isAwaited(chargerId));
    const unkept = await commitBatch(host, batch, isSomeAwaited);
    const { failed } = unkept;
    const others = new Set(unkept.fenced);
    if (others.size > 0) fenced(batch.commits.filter(({ chargerId }) => others.has(chargerId)));
    for (const { runner, acts, atMs } of batch.waiting) {
      const { id } = runner.record;
      if (runner.waitsFor === batch) runner.waitsFor = null;
      if (!failed.has(id) && !others.has(id)) runner.perform(acts, atMs);
    }
    closed(batch, failed);
  }

  #keepSoon(runner: Runner, among: Set<Runner>): void {
    among.add(runner);
    if (this.#isSweepDue) return;
    const { clock } = this.#parts;
    this.#isSweepDue = true;
    clock.at(clock.nowMs() + soonMs, () => this.#sweep());
  }

  #sweep(): void {
    this.#isSweepDue = false;
    const nowMs = this.#parts.clock.nowMs();
    const moved = [...this.#moved];
    this.#moved.clear();
    for (const runner of moved) {
      const sinceMs = runner.owedSinceMs;
      if (sinceMs === null) continue;
      this.#keepSoon(runner, nowMs - sinceMs < answerMs ? this.#moved : this.#dirty);
    }
    for (const runner of this.#dirty) {
      const batch = this.open();
      batch.commits.push(runner.memory());
      this.#await(batch, { runner, acts: [], atMs: nowMs });
    }
    this.#dirty.clear();
  }

  #publishAll(): void {
    const events = this.#events;
    this.#events = [];
    this.#parts.host.publish(events);
  }
}
