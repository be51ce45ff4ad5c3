// Owns a share of the fleet: takes partitions over, hands them on, lets them go at once, and keeps what their chargers do.

import type { Clock } from '../ports/clock.ts';
import type { NewFleetEvent } from '../ports/feed.ts';
import type { Holder, Membership, Share } from '../ports/lease.ts';
import { type OwnedCommit, type Partitions, partitionOf, type Tenure } from '../ports/partition.ts';
import type { Queue } from '../ports/queue.ts';
import type { Commit } from '../ports/store.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { FleetHandle } from './host.ts';
import { steadyMs } from './steady.ts';

export interface OwnerParts {
  readonly clock: Clock;
  readonly partitions: Partitions;
  readonly queue: Queue;
  readonly publish: (events: readonly NewFleetEvent[]) => void;
}

/** Who answers questions about the chargers of a partition. */
export interface Answers {
  open(tenures: readonly Tenure[]): void;
  close(tenures: readonly Tenure[]): void;
}

export interface OwnedParts {
  readonly fleet: FleetHandle;
  readonly dispatcher: Dispatcher;
  readonly answers: Answers;
}

const holdEveryMs = 300;

export class Owner implements Holder {
  readonly #parts: OwnerParts;
  #owned: OwnedParts | null = null;
  /** Epochs by partition, until everything of a tenure is kept. */
  readonly #held = new Map<number, number>();
  /** Those that are handed on together. */
  #leaving: { readonly partitions: number[]; readonly left: Promise<void> } | null = null;
  #membership: Membership | null = null;
  readonly #counts = { begun: 0, released: 0, lost: 0 };
  #cancelHold = (): void => {};

  constructor(parts: OwnerParts) {
    this.#parts = parts;
  }

  get share(): Share {
    return { partitions: this.#held.size, ...this.#counts };
  }

  /** The fleet needs the owner to keep what it does, and the owner the fleet: it is told of it here. */
  begin(owned: OwnedParts, join: (holder: Holder) => Membership): void {
    this.#owned = owned;
    this.#membership = join(this);
    this.#hold();
  }

  /** Hands everything on. */
  async leave(): Promise<void> {
    await this.#membership?.leave();
    this.#cancelHold();
  }

  acquired(tenures: readonly Tenure[]): void {
    const { answers, dispatcher } = this.#ready;
    for (const { partition, epoch } of tenures) this.#held.set(partition, epoch);
    this.#counts.begun += tenures.length;
    this.#tellHold();
    answers.open(tenures);
    void dispatcher.open(tenures);
  }

  async release(tenure: Tenure): Promise<void> {
    const { answers, dispatcher } = this.#ready;
    const closed = dispatcher.close([tenure]);
    // Those that are let go in one moment are put to sleep in one.
    if (this.#leaving === null) {
      const partitions: number[] = [];
      const left = Promise.resolve().then(async () => {
        this.#leaving = null;
        await closed;
        await this.#ready.fleet.release(partitions);
      });
      this.#leaving = { partitions, left };
    }
    this.#leaving.partitions.push(tenure.partition);
    try {
      await this.#leaving.left;
    } finally {
      // Whether or not all of it could be kept: it is given away, and the next owner goes on from what was.
      if (this.#isHeld(tenure)) {
        this.#held.delete(tenure.partition);
        this.#counts.released += 1;
        answers.close([tenure]);
      }
    }
  }

  lost(tenures: readonly Tenure[]): void {
    const { answers, dispatcher, fleet } = this.#ready;
    const lost = tenures.filter((tenure) => this.#isHeld(tenure));
    for (const { partition } of lost) this.#held.delete(partition);
    this.#counts.lost += lost.length;
    void dispatcher.close(lost);
    answers.close(lost);
    fleet.abandon(lost.map(({ partition }) => partition));
  }

  /** The chargers whose commits were left out, because they are another's. */
  async commit(commits: readonly Commit[], events: readonly NewFleetEvent[] = []): Promise<readonly string[]> {
    const { partitions, queue, publish } = this.#parts;
    const own = commits.filter((commit): commit is OwnedCommit => this.#isOwn(commit));
    const fenced = new Set(commits.filter((commit) => !this.#isOwn(commit)).map(({ chargerId }) => chargerId));
    if (own.length > 0) for (const id of await partitions.commitOwned(own)) fenced.add(id);
    const kept = own.filter(({ chargerId }) => !fenced.has(chargerId));
    const settled = kept.flatMap(({ applied = [], outcomes = [] }) => [...applied, ...outcomes]);
    if (settled.length > 0) queue.settled(settled.map(({ commandId }) => commandId));
    const told = fenced.size === 0 ? events : events.filter(({ chargerId }) => !fenced.has(chargerId));
    if (told.length > 0) publish(told);
    return [...fenced];
  }

  publish(events: readonly NewFleetEvent[]): void {
    const own = events.filter(({ chargerId }) => this.#held.has(partitionOf(chargerId)));
    if (own.length > 0) this.#parts.publish(own);
  }

  get #ready(): OwnedParts {
    if (this.#owned === null) throw new Error('bug: nothing is owned before there is a fleet');
    return this.#owned;
  }

  #isHeld({ partition, epoch }: Tenure): boolean {
    return this.#held.get(partition) === epoch;
  }

  #isOwn({ chargerId, epoch }: Commit): boolean {
    return epoch !== undefined && this.#held.get(partitionOf(chargerId)) === epoch;
  }

  #hold(): void {
    const { clock } = this.#parts;
    this.#tellHold();
    this.#cancelHold = clock.at(clock.nowMs() + holdEveryMs, () => this.#hold());
  }

  #tellHold(): void {
    const leftMs = this.#membership?.leftMs ?? 0;
    if (leftMs > 0) this.#ready.fleet.hold(steadyMs() + leftMs);
  }
}
