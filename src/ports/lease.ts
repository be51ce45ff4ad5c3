// Who of several processes may act on what: the partitions of the fleet shared out evenly, and tasks that one alone does.

import type { Tenure } from './partition.ts';

/**
 * A process that takes part. What it holds can be lost at any moment, also while it drains: it must be able to stop at once. It is
 * told in time, before anybody else is given the same, unless the whole process was held up: then the store refuses its writes.
 */
export interface Holder {
  /** These partitions are its own from now on. Their tenures have begun in the store: former owners can write nothing any more. */
  acquired(tenures: readonly Tenure[]): void;

  /**
   * Another is to have this partition. Resolves when nothing here acts for it any more and what it was is kept: then it is given
   * away. It stays its own until then. One that cannot be drained (the promise is rejected) is given away all the same.
   */
  release(tenure: Tenure): Promise<void>;

  /** These are its own no longer: nothing may be done, told or written for them any more. */
  lost(tenures: readonly Tenure[]): void;
}

/** The same for a task of which there is only one. */
export interface SoleHolder {
  acquired(): void;
  release(): Promise<void>;
  lost(): void;
}

export interface Membership {
  /** How it is known to the others: the name with something that tells this life of it from all others. */
  readonly id: string;

  /** For how many milliseconds more what it holds is surely its own, should it not come to renew again; none when not positive. */
  readonly leftMs: number;

  /** Lets everything go as by `release`, all at once, then tells the others. When the others cannot be told they find out by themselves. */
  leave(): Promise<void>;
}

/**
 * The epoch of a tenure is decided in the store; a lease only says who may try. Members have nearly equally many partitions: the
 * difference is one at most. When one comes or goes, no more move than must.
 */
export interface Lease {
  /**
   * Takes part in owning the fleet. Returns at once: partitions come as they become free. A member that cannot reach the others for
   * some seconds has lost everything, and takes part again when it can.
   */
  join(name: string, holder: Holder): Membership;

  /** Stands for a task of this name, of which one process at a time has charge; whoever has it keeps it. */
  stand(task: string, name: string, holder: SoleHolder): Membership;
}

/** What a process has of the fleet, and how that came about since it was started. */
export interface Share {
  readonly partitions: number;
  /** Tenures begun: each has raised the epoch of its partition. */
  readonly begun: number;
  /** Of these, handed on in good order. */
  readonly released: number;
  readonly lost: number;
}
