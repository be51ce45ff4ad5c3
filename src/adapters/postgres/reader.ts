// The one way out of the database: a few connections for everything that only reads.

import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'pg';
import { Failure } from '../../errors.ts';
import {
  type ConnectionLimits,
  ConnectionLost,
  clientSettings,
  failureOf,
  isAnswer,
  type Statement,
} from './session.ts';
import { type Row, storable, type Value } from './values.ts';

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
    const { rows } = await this.#pool.query<Row[]>({
      ...(typeof statement === 'string' ? { text: statement } : statement),
      values: values.map((value) => (typeof value === 'string' ? storable(value) : value)),
      rowMode: 'array',
    });
    return rows as unknown as readonly Row[];
  }
}
