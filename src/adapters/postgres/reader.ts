// The one way out of the database: a few connections for everything that only reads.

import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'pg';
import { Failure } from '../../errors.ts';
import { NamedQuery, type Statement } from './named-query.ts';
import { type ConnectionLimits, ConnectionLost, clientSettings, failureOf, isAnswer } from './session.ts';
import { parameter, type Row, type Value } from './values.ts';

const pauseMs = 100;
/** A new connection costs more than a hundred reads. */
const defaultIdleMs = 60_000;

export class Reader {
  readonly #pool: Pool;
  readonly #patienceMs: number;
  #closing: Promise<void> | null = null;

  constructor(url: string, connections: number, limits: ConnectionLimits, patienceMs: number, idleMs = defaultIdleMs) {
    this.#pool = new Pool({
      ...clientSettings(url, 'chargesim reader', limits),
      max: connections,
      idleTimeoutMillis: idleMs,
      // A process that has nothing else to do may end.
      allowExitOnIdle: true,
    });
    this.#patienceMs = patienceMs;
    // A connection that is lost while nobody uses it is replaced when somebody needs one.
    this.#pool.on('error', () => {});
  }

  /** Asks again as long as there is patience: what only reads can be asked twice. */
  async all(statement: string | Statement, values: readonly Value[]): Promise<readonly Row[]> {
    const untilMs = performance.now() + this.#patienceMs;
    for (;;) {
      if (this.#closing !== null) throw new Failure('store_closed');
      try {
        return await this.#ask(statement, values);
      } catch (error) {
        if (isAnswer(error)) throw failureOf(error);
        if (performance.now() + pauseMs > untilMs) throw failureOf(new ConnectionLost(error));
        await delay(pauseMs);
      }
    }
  }

  async get(statement: string | Statement, values: readonly Value[]): Promise<Row | undefined> {
    const [row] = await this.all(statement, values);
    return row;
  }

  /** From now on every read fails with `store_closed`; those under way are answered. */
  close(): Promise<void> {
    this.#closing ??= this.#pool.end();
    return this.#closing;
  }

  async #ask(statement: string | Statement, values: readonly Value[]): Promise<readonly Row[]> {
    if (typeof statement !== 'string') {
      // The pool awaits it as it does its own, which its types do not say.
      const answer = this.#pool.query(new NamedQuery(statement, values)) as unknown;
      return (await (answer as Promise<{ readonly rows: readonly Row[] }>)).rows;
    }
    const query = { text: statement, values: values.map(parameter), rowMode: 'array' } as const;
    const { rows } = await this.#pool.query<Row[]>(query);
    return rows as unknown as readonly Row[];
  }
}
