// A statement of the driver that ends in COPY FROM STDIN, and the bytes that it is given.

import { type Connection, Query } from 'pg';

/** What the driver's connection can do beyond its types. */
interface CopyingConnection extends Connection {
  sendCopyFromChunk(chunk: Uint8Array): void;
  endCopyFrom(): void;
}

export class CopyIn extends Query {
  readonly #bytes: Uint8Array;

  constructor(sql: string, bytes: Uint8Array, done: (error: Error | undefined) => void) {
    super(sql, done);
    this.#bytes = bytes;
  }

  /** Called by the driver when the server is ready to take them. */
  handleCopyInResponse(connection: CopyingConnection): void {
    connection.sendCopyFromChunk(this.#bytes);
    connection.endCopyFrom();
  }
}
