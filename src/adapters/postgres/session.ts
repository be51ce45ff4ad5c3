// One connection to PostgreSQL: runs statements, and knows of each failure whether the connection is lost with it.

import { Client, DatabaseError } from 'pg';
import { Failure } from '../../errors.ts';
import { CopyIn } from './copy-in.ts';
import { NamedQuery, type Statement } from './named-query.ts';
import { columnOf, parameter, type Row, type Value } from './values.ts';

export interface ConnectionLimits {
  /** For a connection to come about. */
  readonly connectMs: number;
  /** For one statement, on the server. */
  readonly statementMs: number;
  /** For an answer: longer, so that a server that is only slow says so itself. */
  readonly answerMs: number;
}

export const connectionLimits: ConnectionLimits = { connectMs: 5_000, statementMs: 15_000, answerMs: 20_000 };

/** The connection is gone, or cannot be had: nobody knows whether what was asked last has been done. */
export class ConnectionLost extends Error {
  constructor(cause: unknown) {
    super('the connection to the database is lost', { cause });
  }
}

/** What a transaction answers that shall leave nothing behind. */
export class Refused<Answer> {
  readonly answer: Answer;

  constructor(answer: Answer) {
    this.answer = answer;
  }
}

export class Session {
  readonly #client: Client;
  #isLost = false;
  /** Whether something may have become durable that nobody has confirmed yet. */
  #mayHaveDone = false;
  #inTransaction = false;

  private constructor(client: Client) {
    this.#client = client;
    // The failure of a statement is told to whoever waits for it; between two statements there is nobody to tell.
    client.on('error', () => {
      this.#isLost = true;
    });
    client.on('end', () => {
      this.#isLost = true;
    });
  }

  static async open(url: string, name: string, limits: ConnectionLimits): Promise<Session> {
    const session = new Session(new Client(clientSettings(url, name, limits)));
    try {
      await session.#client.connect();
      return session;
    } catch (error) {
      session.abandon();
      throw lossOf(error);
    }
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  get mayHaveDone(): boolean {
    return this.#mayHaveDone;
  }

  /** One statement, whose rows are the answer; outside of a transaction it is one by itself. */
  async run(statement: string | Statement, values: readonly Value[] = []): Promise<readonly Row[]> {
    this.#mayHaveDone ||= !this.#inTransaction;
    const { rows } = await (typeof statement === 'string'
      ? this.#ask({ text: statement, values: values.map(parameter) })
      : this.#send(() => named(this.#client, statement, values)));
    if (!this.#inTransaction) this.#mayHaveDone = false;
    return rows;
  }

  /** Statements without values, the last one a COPY FROM STDIN that is given these bytes: one transaction, one round trip. */
  async copy(sql: string, bytes: Uint8Array): Promise<void> {
    this.#mayHaveDone = true;
    await this.#send(
      () =>
        new Promise<void>((resolve, reject) => {
          this.#client.query(new CopyIn(sql, bytes, (error) => (error ? reject(error) : resolve())));
        }),
    );
    this.#mayHaveDone = false;
  }

  /** Several statements without values. */
  async script(sql: string): Promise<void> {
    await this.#ask({ text: sql });
  }

  /** All that the work does, or nothing when it throws or answers with a `Refused`. */
  async transaction<Answer>(work: () => Promise<Answer | Refused<Answer>>): Promise<Answer> {
    await this.#ask({ text: 'BEGIN' });
    this.#inTransaction = true;
    try {
      const answer = await work();
      if (answer instanceof Refused) {
        await this.#ask({ text: 'ROLLBACK' });
        return answer.answer;
      }
      this.#mayHaveDone = true;
      await this.#ask({ text: 'COMMIT' });
      this.#mayHaveDone = false;
      return answer;
    } catch (error) {
      if (!this.#isLost) await this.#ask({ text: 'ROLLBACK' });
      throw error;
    } finally {
      this.#inTransaction = false;
    }
  }

  async end(): Promise<void> {
    if (!this.#isLost) await this.#client.end().catch(() => {});
  }

  /** Without a farewell: a server that is gone has none. */
  abandon(): void {
    this.#isLost = true;
    this.#client.end().catch(() => {});
  }

  #ask(query: { readonly text: string; readonly values?: Value[] }): Promise<{
    readonly rows: readonly Row[];
  }> {
    return this.#send(() => this.#client.query({ ...query, rowMode: 'array' }));
  }

  async #send<Answer>(send: () => Promise<Answer>): Promise<Answer> {
    if (this.#isLost) throw new ConnectionLost(null);
    try {
      return await send();
    } catch (error) {
      if (isAnswer(error)) {
        this.#mayHaveDone = false;
        throw error;
      }
      this.abandon();
      throw new ConnectionLost(error);
    }
  }
}

function named(client: Client, statement: Statement, values: readonly Value[]): Promise<{ rows: readonly Row[] }> {
  return new Promise((resolve, reject) => {
    const query = new NamedQuery(statement, values);
    query.callback = (error, answer) => (answer === undefined ? reject(error) : resolve(answer));
    client.query(query);
  });
}

export function clientSettings(url: string, name: string, { connectMs, statementMs, answerMs }: ConnectionLimits) {
  return {
    connectionString: url,
    application_name: name,
    types: { getTypeParser: columnOf },
    keepAlive: true,
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    query_timeout: answerMs,
    // Should the process be held up in the middle of a transaction, others do not wait for it for long.
    idle_in_transaction_session_timeout: answerMs,
  };
}

/** Whether an error is the server's answer to a statement; any other means that the connection is gone. */
export function isAnswer(error: unknown): error is DatabaseError {
  // 08: connection exceptions; 57P: the server shuts down, has crashed or is just starting; 53300: it has too many connections;
  // 25P03: it has ended a transaction that was held up.
  return error instanceof DatabaseError && !/^(08|57P|53300|25P03)/.test(error.code ?? '08');
}

/** A failure to connect: what the server refuses for good is said at once, anything else may pass. */
export function lossOf(error: unknown): Error {
  if (!isAnswer(error)) return new ConnectionLost(error);
  return new Failure('store_failed', `the database refuses the connection: ${error.message}`, { cause: error });
}

/** In the product's words. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof ConnectionLost) return new Failure('store_unreachable', undefined, { cause: error.cause });
  // 57014: a statement that took too long. It passes, as an absence does.
  const isSlow = error instanceof DatabaseError && error.code === '57014';
  if (isSlow) return new Failure('store_unreachable', 'the database took too long', { cause: error });
  // 42P01, 42703: a table or a column is not there. A newer program has taken it away, and left this one running.
  const isOtherShape = error instanceof DatabaseError && /^42(P01|703)$/.test(error.code ?? '');
  const sentence = isOtherShape
    ? 'the database has another shape than this program knows: run a newer version of it'
    : undefined;
  return new Failure('store_failed', sentence, { cause: error });
}

/** Another transaction was in the way, and this one was undone for it: it can be done again. */
export function isInTheWay(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === '40P01' || error.code === '40001');
}

/** A connection whose name no other has: what a lost one of that name was doing must not come after what this one will do. */
export async function openSole(url: string, name: string, limits: ConnectionLimits): Promise<Session> {
  const session = await Session.open(url, name, limits);
  try {
    const ended = await session.run(
      'SELECT pg_terminate_backend(pid, $2) FROM pg_stat_activity WHERE application_name = $1 AND pid <> pg_backend_pid()',
      [name, limits.statementMs],
    );
    if (ended.some(([isGone]) => isGone === 'f')) throw new ConnectionLost(new Error('a lost connection does not end'));
    return session;
  } catch (error) {
    session.abandon();
    throw error;
  }
}
