// What a fleet needs of the process around it, and what that process can do with a fleet. The same in one process and over IPC.

import type { AnswerTo, FleetCensus, Question, Questions, Statuses } from '../ports/ask.ts';
import type { NewFleetEvent } from '../ports/feed.ts';
import type { Commit } from '../ports/store.ts';
import type { Delivery } from './member.ts';

export interface FleetHost {
  /**
   * Resolves when all of it is durable; calls are carried out in order. The events tell of it, and are published then. `unawaited`:
   * nobody waits for it, and it may resolve before; should it fail, the fleet hears of it by `unkept`. The answer names the
   * chargers whose commits were left out because another process owns them now: nothing of what they have done may be told.
   */
  commit(
    commits: readonly Commit[],
    events?: readonly NewFleetEvent[],
    unawaited?: boolean,
  ): Promise<readonly string[]>;
  publish(events: readonly NewFleetEvent[]): void;
  /** These could not be kept running: they are to be delivered again, from what is stored. */
  lost(chargerIds: readonly string[]): void;
  /** Something went wrong that a person should see. */
  complain(problem: FleetProblem): void;
}

export interface FleetProblem {
  readonly chargerId: string | null;
  readonly sentence: string;
  readonly detail: string;
}

export interface FleetHandle {
  deliver(deliveries: readonly Delivery[]): void;
  /** Rejects with `not_running` for a charger that it does not run. */
  ask<Kind extends keyof Questions>(
    chargerId: string,
    question: Extract<Question, { kind: Kind }>,
  ): Promise<AnswerTo<Kind>>;
  /** Of those that it runs. */
  statuses(chargerIds: readonly string[]): Promise<readonly (readonly [chargerId: string, Statuses])[]>;
  census(): Promise<FleetCensus>;
  /**
   * Until when it may act, by the clock that all processes of a machine share and nobody sets: a process that was held up for
   * longer must not say another word, because others may run its chargers. Without an end until it is told one.
   */
  hold(untilSteadyMs: number): void;
  /** Puts the chargers of these partitions to sleep, so that they go on where they were at their next owner. */
  release(partitions: readonly number[]): Promise<void>;
  /** Those of these partitions are run by others: they end at once, and nothing of them is kept or told. */
  abandon(partitions: readonly number[]): void;
  /** Puts every charger to sleep so that it goes on where it was when it is run again; closes all lines. */
  sleep(): Promise<void>;
}
