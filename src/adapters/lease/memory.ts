// The lease among members of one process: for tests, and for a machine of one's own.

import type { Clock } from '../../ports/clock.ts';
import type { Partitions } from '../../ports/partition.ts';
import type { Board } from './board.ts';
import { BoardLease } from './board-lease.ts';
import type { LeaseLimits } from './member.ts';
import type { Table } from './shares.ts';

export class MemoryBoard implements Board {
  readonly #signs = new Map<string, number>();
  readonly #hearers = new Set<{ readonly hear: (member: string | null, sign: number | null) => void }>();
  #count = 0;
  #kept: { readonly table: Table; readonly revision: number } | null = null;

  async renew(member: string): Promise<void> {
    this.#signs.set(member, ++this.#count);
    this.#tell(member);
  }

  async withdraw(member: string): Promise<void> {
    this.#signs.delete(member);
  }

  async sign(member: string): Promise<number | null> {
    return this.#signs.get(member) ?? null;
  }

  async read(): Promise<{ readonly table: Table; readonly revision: number } | null> {
    return this.#kept;
  }

  async write(table: Table, revision: number | null): Promise<boolean> {
    if ((this.#kept?.revision ?? null) !== revision) return false;
    this.#kept = { table, revision: ++this.#count };
    this.#tell(null);
    return true;
  }

  listen(hear: (member: string | null, sign: number | null) => void): () => void {
    const hearer = { hear };
    this.#hearers.add(hearer);
    return () => void this.#hearers.delete(hearer);
  }

  #tell(member: string | null): void {
    const sign = member === null ? null : (this.#signs.get(member) ?? null);
    for (const { hear } of this.#hearers) queueMicrotask(() => hear(member, sign));
  }
}

export interface MemoryLeaseOptions {
  /** The boards where the members meet, by name; made when they are missing. */
  readonly boards: Map<string, Board>;
  readonly partitions: Pick<Partitions, 'epochs' | 'beginTenure'>;
  readonly clock: Clock;
  readonly limits?: Partial<LeaseLimits>;
}

export function memoryLease({ boards, clock, ...parts }: MemoryLeaseOptions): BoardLease {
  const board = (topic: string): Board => {
    const found = boards.get(topic) ?? new MemoryBoard();
    boards.set(topic, found);
    return found;
  };
  return new BoardLease({ ...parts, board, clock, steadyMs: () => clock.nowMs() });
}
