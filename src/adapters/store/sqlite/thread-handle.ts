// The gateway's hold on the writing thread: started when first needed, and started anew should it ever die.

import { getCompileCacheDir } from 'node:module';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { SqliteLocation } from './connection.ts';
import type { ThreadReply, ThreadRequest } from './thread-messages.ts';
import type { Answer, Fragment } from './transaction.ts';
import { type Statement, type Write, workOf } from './write.ts';

/** A long batch goes over in pieces of about so many statements' work, one in each turn of the event loop. */
const workPerPiece = 250;

interface Waiting {
  readonly resolve: (reply: ThreadReply) => void;
  readonly reject: (error: Error) => void;
}

export class ThreadHandle {
  readonly #location: SqliteLocation;
  #worker: Worker | null = null;
  /** Who awaits a reply, in the order of the requests. */
  #waiting: Waiting[] = [];

  constructor(location: SqliteLocation) {
    this.#location = location;
  }

  /** All of these writes in one transaction, or a rejection and none of them. One call at a time. */
  async write(writes: readonly Write[]): Promise<readonly Answer[]> {
    const worker = this.#start();
    let begun = false;
    let piece: readonly Fragment[] = [];
    try {
      for (const next of pieces(writes)) {
        if (piece.length > 0) {
          worker.postMessage({ kind: 'batch', first: !begun, last: false, fragments: piece } satisfies ThreadRequest);
          begun = true;
          await nextTurn();
          if (this.#worker !== worker) throw new Error('the writing thread ended while it was given a batch');
        }
        piece = next;
      }
    } catch (error) {
      // What cannot be put into words, say a value that is no JSON, shows only when its piece is made.
      if (begun && this.#worker === worker) await this.#ask({ kind: 'abandon' });
      throw error;
    }
    const reply = await this.#ask({ kind: 'batch', first: !begun, last: true, fragments: piece });
    if (reply.kind !== 'answers') throw new Error('the writing thread did not answer a batch');
    return reply.answers;
  }

  /** `passive` while others write; `restart` needs the database for itself and begins the log anew. */
  async checkpoint(mode: 'passive' | 'restart'): Promise<void> {
    await this.#ask({ kind: 'checkpoint', mode });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === null) return;
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    await this.#ask({ kind: 'close' });
    worker.ref();
    await ended;
  }

  async #ask(request: ThreadRequest): Promise<ThreadReply> {
    const worker = this.#start();
    const reply = await new Promise<ThreadReply>((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      // A thread at rest does not keep the process alive, one at work does.
      worker.ref();
      worker.postMessage(request);
    });
    if (reply.kind === 'failed') throw new Error(reply.message);
    return reply;
  }

  #start(): Worker {
    if (this.#worker !== null) return this.#worker;
    // A thread uses the process's compile cache only when told so; without it, reading TypeScript costs 15 MB and 40 ms more.
    const cache = getCompileCacheDir();
    const worker = new Worker(new URL('./thread.ts', import.meta.url), {
      name: 'store',
      workerData: this.#location,
      env: cache === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: cache },
    });
    worker.on('message', (reply: ThreadReply) => {
      this.#waiting.shift()?.resolve(reply);
      if (this.#waiting.length === 0) worker.unref();
    });
    worker.on('error', (error) => this.#lose(worker, error instanceof Error ? error : new Error(String(error))));
    worker.on('exit', () => this.#lose(worker, new Error('the writing thread ended')));
    worker.unref();
    this.#worker = worker;
    return worker;
  }

  #lose(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { reject } of waiting) reject(error);
  }
}

/** The writes cut into pieces, made one at a time. */
function* pieces(writes: readonly Write[]): Iterable<readonly Fragment[]> {
  let piece: Fragment[] = [];
  let room = workPerPiece;
  for (const { refusable, statements } of writes) {
    let opens = true;
    let part: Statement[] = [];
    for (const statement of statements()) {
      if (room <= 0) {
        if (part.length > 0) {
          piece.push({ opens, closes: false, refusable, statements: part });
          opens = false;
          part = [];
        }
        yield piece;
        piece = [];
        room = workPerPiece;
      }
      part.push(statement);
      room -= workOf(statement);
    }
    piece.push({ opens, closes: true, refusable, statements: part });
  }
  yield piece;
}
