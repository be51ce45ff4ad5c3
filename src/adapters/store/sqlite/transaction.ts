// One transaction on one connection: runs writes one behind the other, some of which may refuse themselves without spoiling the rest.

import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Row } from './rows.ts';
import { type StatementName, type StatementText, writingStatements } from './statements.ts';
import type { Statement, Write } from './write.ts';

/** What came of a write: a refusal by one of its statements, or the rows that its statements returned and how many they counted. */
export type Answer =
  | { readonly refusedBy: StatementName; readonly named: SQLInputValue }
  | { readonly rows: readonly Row[]; readonly count: number }
  | null;

/** A write, or a piece of one that is too long for one message. */
export interface Fragment {
  readonly opens: boolean;
  readonly closes: boolean;
  readonly refusable: boolean;
  readonly statements: readonly Statement[];
}

interface Prepared {
  readonly statement: StatementSync;
  readonly definition: StatementText;
}

export class Transaction {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, Prepared>();
  #answers: Answer[] = [];
  #answer: Answer = null;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  begin(): void {
    this.#answers = [];
    this.#control('BEGIN IMMEDIATE');
  }

  /** Throws when the database does; then nothing but `rollback` is left to do. */
  run({ opens, closes, refusable, statements }: Fragment): void {
    if (opens) this.#open(refusable);
    this.#execute(statements);
    if (closes) this.#close(refusable);
  }

  /** The answers of the writes in their order, all durable now. */
  commit(): readonly Answer[] {
    this.#control('COMMIT');
    return this.#answers;
  }

  rollback(): void {
    try {
      // Some failures, a full disk among them, have already ended the transaction.
      if (this.#database.isTransaction) this.#control('ROLLBACK');
    } catch {
      // What made it necessary says more than why it could not be done, and the next `begin` fails if it matters.
    }
  }

  /** All of these writes, or a throw and none of them. */
  whole(writes: readonly Write[]): readonly Answer[] {
    const sole = writes.length === 1 ? writes[0]?.statements() : undefined;
    if (Array.isArray(sole) && sole.length === 1) {
      // A statement alone is its own transaction, and one that refuses has changed nothing.
      this.#answer = null;
      this.#execute(sole);
      return [this.#answer];
    }
    try {
      this.begin();
      for (const { refusable, statements } of writes) {
        this.#open(refusable);
        this.#execute(sole ?? statements());
        this.#close(refusable);
      }
      return this.commit();
    } catch (error) {
      this.rollback();
      throw error;
    }
  }

  #open(refusable: boolean): void {
    this.#answer = null;
    if (refusable) this.#control('SAVEPOINT write');
  }

  /** Until one of them refuses. */
  #execute(statements: Iterable<Statement>): void {
    for (const [name, values] of statements) {
      if (isRefusal(this.#answer)) return;
      const { statement, definition } = this.#prepare(name, writingStatements[name]);
      switch (definition.kind) {
        case undefined:
          statement.run(...values);
          break;
        case 'must_change':
          if (Number(statement.run(...values).changes) === 0) this.#answer = refusal(name, definition, values);
          break;
        case 'counts':
          this.#add([], Number(statement.run(...values).changes));
          break;
        case 'returns':
        case 'lists': {
          const rows = statement.all(...values) as unknown as readonly Row[];
          if (definition.kind === 'returns' && rows.length === 0) this.#answer = refusal(name, definition, values);
          else this.#add(rows, 0);
        }
      }
    }
  }

  #add(rows: readonly Row[], count: number): void {
    const before = this.#answer !== null && 'rows' in this.#answer ? this.#answer : { rows: [], count: 0 };
    const all = before.rows.length === 0 ? rows : [...before.rows, ...rows];
    this.#answer = { rows: all, count: before.count + count };
  }

  #close(refusable: boolean): void {
    if (refusable) {
      if (isRefusal(this.#answer)) this.#control('ROLLBACK TO write');
      this.#control('RELEASE write');
    }
    this.#answers.push(this.#answer);
  }

  #control(sql: string): void {
    this.#prepare(sql, { sql }).statement.run();
  }

  #prepare(key: string, definition: StatementText): Prepared {
    let prepared = this.#prepared.get(key);
    if (prepared === undefined) {
      prepared = { statement: this.#database.prepare(definition.sql, { returnArrays: true }), definition };
      this.#prepared.set(key, prepared);
    }
    return prepared;
  }
}

function refusal(refusedBy: StatementName, { names }: StatementText, values: readonly SQLInputValue[]): Answer {
  return { refusedBy, named: (names === undefined ? undefined : values[names]) ?? null };
}

function isRefusal(answer: Answer): boolean {
  return answer !== null && 'refusedBy' in answer;
}
