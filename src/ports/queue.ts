// The durable queue of commands: what was accepted runs, once, in the order accepted for each charger.

import type { Tenure } from './partition.ts';
import type { Receipt } from './store.ts';

export interface QueuedCommand {
  readonly id: string;
  readonly org: string;
  readonly chargerId: string;
  readonly identity: string;
  readonly ocppVersion: string;
  readonly eventType: string;
  /** The command's event with its defaults filled in. */
  readonly payload: Readonly<Record<string, unknown>>;
  readonly acceptedAtMs: number;
}

/** What reaches the owner of a charger, in order: a command to run, or word that the charger's deployment has changed. */
export type QueueItem =
  | { readonly kind: 'command'; readonly command: QueuedCommand }
  | { readonly kind: 'refresh'; readonly chargerId: string };

export interface Queue {
  /**
   * All or none. When it resolves the commands survive a crash, can be read in the store as `queued`, and are on their way to the
   * owner of their charger, or with it already when that is this process. Of one charger they keep the order of the calls. A `receipt` becomes durable with them, also when there are none;
   * when one of the same org and key is kept already, nothing is enqueued and the call is rejected with `receipt_taken`.
   */
  enqueue(commands: readonly QueuedCommand[], receipt?: Receipt): Promise<void>;

  /** Those of the chargers that have `depth` commands or more that have not ended. */
  crowded(chargerIds: readonly string[], depth: number): Promise<ReadonlySet<string>>;

  /**
   * Tells the owner of each charger to read its deployment again, behind the commands enqueued before. When it resolves the owner
   * has been told; one that cannot be reached is told as soon as it can. Not kept over a crash, because an owner reads everything when
   * it takes a charger over.
   */
  refresh(chargerIds: readonly string[]): Promise<void>;

  /** The commands of these chargers that were accepted and not yet applied, oldest first. For an owner that takes them over. */
  pending(chargerIds: readonly string[]): Promise<readonly QueuedCommand[]>;

  /**
   * At most one subscriber, who subscribes, and opens its partitions, before it asks for `pending`: what comes while nobody listens is
   * not kept here. Items come in batches, after they are durable. Of a partition that is open each command comes once, also one that
   * `pending` has told: there the id decides.
   */
  subscribe(take: (items: readonly QueueItem[]) => void): void;

  /**
   * This process owns these partitions: what waits for their chargers, and what comes, is handed to the subscriber until they are
   * closed. Succeeds whatever the state of the network. Where one process owns all chargers, they are always open.
   */
  open(tenures: readonly Tenure[]): Promise<void>;

  /** Nothing of these partitions is handed over any more, from this moment on. */
  close(tenures: readonly Tenure[]): void;

  /** What these commands have done is durable, or they have ended otherwise: nobody needs to be told of them again. */
  settled(commandIds: readonly string[]): void;
}
