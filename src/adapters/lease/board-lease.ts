// The lease over any board: what every technology has in common.

import { randomUUID } from 'node:crypto';
import type { Clock } from '../../ports/clock.ts';
import type { Holder, Lease, Membership, SoleHolder } from '../../ports/lease.ts';
import { type Partitions, partitionCount, type Tenure } from '../../ports/partition.ts';
import type { Board } from './board.ts';
import { type LeaseLimits, leaseLimits, Member } from './member.ts';

export interface BoardLeaseParts {
  /** Those who share something out meet at the board of its name. */
  readonly board: (topic: string) => Board;
  /** The store, which has the last word. */
  readonly partitions: Pick<Partitions, 'epochs' | 'beginTenure'>;
  readonly clock: Clock;
  readonly steadyMs: () => number;
  readonly limits?: Partial<LeaseLimits>;
  /** Hears why the others, or the store, cannot be reached: once, and again only when it had gone well in between. */
  readonly onTrouble?: (error: unknown) => void;
}

export class BoardLease implements Lease {
  readonly #parts: BoardLeaseParts;

  constructor(parts: BoardLeaseParts) {
    this.#parts = parts;
  }

  join(name: string, holder: Holder): Membership {
    const begin = (parts: readonly number[]) => this.#begin(parts);
    return this.#member(name, 'partitions', partitionCount, begin, holder);
  }

  stand(task: string, name: string, holder: SoleHolder): Membership {
    const sole: Tenure = { partition: 0, epoch: 0 };
    return this.#member(name, `task-${task}`, 1, async () => [sole], {
      acquired: () => holder.acquired(),
      release: () => holder.release(),
      lost: () => holder.lost(),
    });
  }

  #member(
    name: string,
    topic: string,
    parts: number,
    begin: (parts: readonly number[]) => Promise<readonly Tenure[]>,
    holder: Holder,
  ): Membership {
    const { board, clock, steadyMs, limits, onTrouble = () => {} } = this.#parts;
    return new Member({
      id: `${name.replace(/[^\w-]/g, '_')}-${randomUUID().slice(0, 8)}`,
      board: board(topic),
      parts,
      begin,
      holder,
      clock,
      steadyMs,
      limits: { ...leaseLimits, ...limits },
      onTrouble,
    });
  }

  async #begin(parts: readonly number[]): Promise<readonly Tenure[]> {
    const { partitions } = this.#parts;
    const epochs = await partitions.epochs();
    const tenures = parts.map((partition) => ({ partition, epoch: (epochs[partition] ?? 0) + 1 }));
    const begun = await Promise.all(tenures.map((tenure) => partitions.beginTenure(tenure)));
    return tenures.filter((_, index) => begun[index]);
  }
}
