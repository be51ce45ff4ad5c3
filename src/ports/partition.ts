// The parts of a fleet that processes share out among themselves, and what a store promises to the owner of a part.

import type { Commit, EndedCommand, FleetMember } from './store.ts';

/** Never changes: every charger that is stored has its partition kept beside it. */
export const partitionCount = 256;

/** Which part of the fleet a charger belongs to, from 0 on: always the same for the same id, and about as many in each. */
export function partitionOf(chargerId: string): number {
  // FNV-1a over the UTF-16 units, folded to a byte.
  let hash = 0x811c9dc5;
  for (let index = 0; index < chargerId.length; index += 1) {
    hash = Math.imul(hash ^ chargerId.charCodeAt(index), 0x01000193);
  }
  return (hash ^ (hash >>> 8) ^ (hash >>> 16) ^ (hash >>> 24)) & (partitionCount - 1);
}

/** An owner's time with a partition. Each new one has a greater epoch, also when the owner is the same process as before. */
export interface Tenure {
  readonly partition: number;
  readonly epoch: number;
}

/** A commit with the epoch of the tenure under which its charger was taken over, not of whichever is held when it is written. */
export interface OwnedCommit extends Commit {
  readonly epoch: number;
}

/**
 * What a store promises beyond `Store` when several processes own chargers. A lease says who should own a partition; the store has
 * the last word, because a lease can run out while its holder is held up and does not know: whoever takes a partition over raises
 * its epoch here first, and from then on whatever was begun under an older one is refused.
 */
export interface Partitions {
  /** The epoch of every partition, 0 for one that nobody has owned yet. A new tenure must have a greater one. */
  epochs(): Promise<readonly number[]>;

  /**
   * Begins a tenure. False, and nothing done, unless its epoch is greater than the present one: somebody else was faster. When it
   * resolves, what former owners have committed can be read, and nothing of theirs comes after.
   */
  beginTenure(tenure: Tenure): Promise<boolean>;

  /** The chargers of a partition in the order of their ids, `limit` at a time, after the id given; as `Store.fleetAfter`. */
  partitionAfter(partition: number, id: string | null, limit: number): Promise<readonly FleetMember[]>;

  /**
   * As `Store.commit`, for owners: commits under an epoch that is not the present one of their charger's partition are left out
   * whole, and their chargers are the answer. Nothing that they have done may be told to anybody.
   */
  commitOwned(commits: readonly OwnedCommit[]): Promise<readonly string[]>;

  /** As `Store.interrupt`, for chargers of this partition; rejected with `fenced`, and nothing done, when the tenure is over. */
  interruptOwned(tenure: Tenure, chargerIds: readonly string[], atMs: number): Promise<readonly EndedCommand[]>;
}
