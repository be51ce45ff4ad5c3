// A named statement on its way through the driver: prepared and described once on each connection, then only bound and executed.

import type { Connection } from 'pg';
import { type Column, columnOf, parameter, type Row, type Value } from './values.ts';

/** A statement that is prepared once on each connection and then known by its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

interface Answer {
  readonly rows: readonly Row[];
}

/** What the driver's connection can do beyond its types. */
interface PreparingConnection extends Connection {
  readonly parsedStatements: Readonly<Record<string, string | undefined>>;
}

/** The columns of the statements that each connection has described. The driver's own query has them described, and read, every time. */
const described = new WeakMap<Connection, Map<string, readonly Column[]>>();

/** What the driver calls a submittable: it is told what the server says. */
export class NamedQuery {
  readonly name: string;
  readonly text: string;
  /** The driver's to set and to replace. */
  callback?: (error: Error | null, answer?: Answer) => void;
  readonly #values: readonly Value[];
  readonly #rows: Row[] = [];
  #columns: readonly Column[] | undefined;

  constructor({ name, text }: Statement, values: readonly Value[]) {
    this.name = name;
    this.text = text;
    this.#values = values;
  }

  submit(connection: PreparingConnection): null {
    const { name, text } = this;
    this.#columns = described.get(connection)?.get(name);
    // Leave together.
    connection.stream.cork();
    try {
      if (connection.parsedStatements[name] === undefined) connection.parse({ name, text, types: [] }, true);
      connection.bind({ portal: '', statement: name, values: this.#values.map(parameter), binary: '' }, true);
      if (this.#columns === undefined) connection.describe({ type: 'P', name: '' }, true);
      connection.execute({ portal: '', rows: '' }, true);
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
    return null;
  }

  handleRowDescription({ fields }: { readonly fields: readonly { readonly dataTypeID: number }[] }): void {
    this.#columns = fields.map(({ dataTypeID }) => columnOf(dataTypeID));
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const columns = this.#columns ?? [];
    this.#rows.push(fields.map((text, index) => (text === null ? null : (columns[index]?.(text) ?? text))));
  }

  handleCommandComplete(_message: unknown, connection: Connection): void {
    const known = described.get(connection) ?? new Map<string, readonly Column[]>();
    if (!known.has(this.name)) described.set(connection, known.set(this.name, this.#columns ?? []));
  }

  handleError(error: Error): void {
    this.callback?.(error);
  }

  handleReadyForQuery(): void {
    this.callback?.(null, { rows: this.#rows });
  }
}
