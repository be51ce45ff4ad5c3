// One transaction on one connection: runs writes one behind the other, some of which may refuse themselves without spoiling the rest.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Statement, type StatementName, type StatementText, type Write, writingStatements } from './statements.ts';

/** What came of a write: a refusal by its n-th statement, a value it returned, or plain success. */
export type Answer = { readonly refusedBy: number } | { readonly value: number } | null;

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
  #position = 0;

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
      this.#position = 0;
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
    const [first] = fragments;
    const [statement, another] = first?.statements ?? [];
    if (fragments.length === 1 && statement !== undefined && another === undefined && first?.refusable === false) {
      // A statement alone is its own transaction.
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
    this.#position += 1;
    if (definition.kind === 'returns') return { value: Number(statement.get(...values)?.['value']) };
    const { changes } = statement.run(...values);
    return definition.kind === 'must_change' && Number(changes) === 0 ? { refusedBy: this.#position - 1 } : null;
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
      statement = this.#database.prepare(sql);
      this.#prepared.set(key, statement);
    }
    return statement;
  }
}

function wholeFragment(write: Write): Fragment {
  return { opens: true, closes: true, refusable: write.refusable, statements: [...write.statements()] };
}

function isRefusal(answer: Answer): boolean {
  return answer !== null && 'refusedBy' in answer;
}
