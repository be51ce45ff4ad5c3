// Where the members of one lease meet: what a technology must be able to do so that they can share something out.

import type { Table } from './shares.ts';

export interface Board {
  /** Shows that this member is there. When it resolves, every `sign` asked for from now on is another than before. */
  renew(member: string): Promise<void>;

  /** Takes the member's sign away. */
  withdraw(member: string): Promise<void>;

  /** Something that differs after each renewal, never out of date; null when there is none. */
  sign(member: string): Promise<number | null>;

  /** The table with a number that differs after each change; null when there is none yet. */
  read(): Promise<{ readonly table: Table; readonly revision: number } | null>;

  /** False, and nothing done, unless the table is still of this revision (null: there is none). */
  write(table: Table, revision: number | null): Promise<boolean>;

  /** Calls soon after somebody has renewed (with its name and sign) or the table has changed (with null); may miss some. */
  listen(hear: (member: string | null, sign: number | null) => void): () => void;
}
