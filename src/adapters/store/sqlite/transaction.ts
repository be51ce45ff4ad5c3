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

export class Transaction {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();
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
  run(fragment: Fragment): void {
    if (fragment.opens) {
      this.#answer = null;
      if (fragment.refusable) this.#control('SAVEPOINT write');
    }
    for (const statement of fragment.statements) {
      if (isRefusal(this.#answer)) break;
      this.#answer = this.#execute(statement) ?? this.#answer;
    }
    if (fragment.closes) {
      if (fragment.refusable) {
        if (isRefusal(this.#answer)) this.#control('ROLLBACK TO write');
        this.#control('RELEASE write');
      }
      this.#answers.push(this.#answer);
    }
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
    const fragments = writes.map(wholeFragment);
    const [statement, another] = fragments[0]?.statements ?? [];
    if (fragments.length === 1 && statement !== undefined && another === undefined) {
      // A statement alone is its own transaction, and one that refuses has changed nothing.
      this.#answer = null;
      return [this.#execute(statement)];
    }
    try {
      this.begin();
      for (const fragment of fragments) this.run(fragment);
      return this.commit();
    } catch (error) {
      this.rollback();
      throw error;
    }
  }

  #execute([name, values]: Statement): Answer {
    const statement = this.#prepare(name);
    const definition: StatementText = writingStatements[name];
    const before = this.#answer !== null && 'rows' in this.#answer ? this.#answer : { rows: [], count: 0 };
    if (definition.kind === 'returns' || definition.kind === 'lists') {
      const rows = statement.all(...values) as unknown as readonly Row[];
      if (definition.kind === 'returns' && rows.length === 0) return refusal(name, definition, values);
      return { ...before, rows: before.rows.length === 0 ? rows : [...before.rows, ...rows] };
    }
    const changes = Number(statement.run(...values).changes);
    if (definition.kind === 'must_change' && changes === 0) return refusal(name, definition, values);
    return definition.kind === 'counts' ? { ...before, count: before.count + changes } : null;
  }

  #prepare(name: StatementName): StatementSync {
    return this.#statement(name, writingStatements[name].sql);
  }

  #control(sql: string): void {
    this.#statement(sql, sql).run();
  }

  #statement(key: string, sql: string): StatementSync {
    let statement = this.#prepared.get(key);
    if (statement === undefined) {
      statement = this.#database.prepare(sql, { returnArrays: true });
      this.#prepared.set(key, statement);
    }
    return statement;
  }
}

function wholeFragment(write: Write): Fragment {
  return { opens: true, closes: true, refusable: write.refusable, statements: [...write.statements()] };
}

function refusal(refusedBy: StatementName, { names }: StatementText, values: readonly SQLInputValue[]): Answer {
  return { refusedBy, named: (names === undefined ? undefined : values[names]) ?? null };
}

function isRefusal(answer: Answer): boolean {
  return answer !== null && 'refusedBy' in answer;
}
