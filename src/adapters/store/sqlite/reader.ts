// The one way out of the database: prepared statements on the gateway's own thread, and failures in the product's words.

import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Failure } from '../../../errors.ts';
import type { Row } from './rows.ts';
import { idLists } from './write.ts';

export class Reader {
  readonly #database: DatabaseSync;
  // Kept by their text, of which there are few: at most every combination of filters.
  readonly #prepared = new Map<string, StatementSync>();
  #closed = false;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  get(sql: string, values: readonly SQLInputValue[]): Row | undefined {
    return this.#read(sql, (statement) => statement.get(...values) as Row | undefined);
  }

  all(sql: string, values: readonly SQLInputValue[]): readonly Row[] {
    return this.#read(sql, (statement) => statement.all(...values) as unknown as readonly Row[]);
  }

  /** Asks for many ids with a statement whose last value is a JSON list; lets others have the thread between the lists. */
  async allOf(sql: string, values: readonly SQLInputValue[], ids: readonly string[]): Promise<readonly Row[]> {
    const found: Row[] = [];
    let first = true;
    for (const list of idLists(ids)) {
      if (!first) await nextTurn();
      first = false;
      for (const row of this.all(sql, [...values, list])) found.push(row);
    }
    return found;
  }

  /** From now on every read fails with `store_closed`. */
  close(): void {
    this.#closed = true;
  }

  #read<Result>(sql: string, read: (statement: StatementSync) => Result): Result {
    if (this.#closed) throw new Failure('store_closed');
    try {
      let statement = this.#prepared.get(sql);
      if (statement === undefined) {
        statement = this.#database.prepare(sql, { returnArrays: true });
        this.#prepared.set(sql, statement);
      }
      return read(statement);
    } catch (error) {
      throw new Failure('store_failed', undefined, { cause: error });
    }
  }
}
