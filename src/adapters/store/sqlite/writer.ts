// The one way into the database: groups the writes of a turn, does short ones here and long ones on the writing thread, in order.

import type { DatabaseSync } from 'node:sqlite';
import { Failure } from '../../../errors.ts';
import { isInMemory, type SqliteLocation } from './connection.ts';
import { ThreadHandle } from './thread-handle.ts';
import { type Answer, Transaction } from './transaction.ts';
import { nothing, type Write } from './write.ts';

export interface WriterLimits {
  /** A group of more work than this goes to the writing thread: about a millisecond. */
  readonly statementsHere: number;
  /** One transaction takes no further write once it has this many statements. */
  readonly statementsPerTransaction: number;
  /** With so many statements waiting, further writes fail with `limit_reached`. */
  readonly statementsWaiting: number;
  /** The log is moved into the database when it has grown to this many pages. */
  readonly logPages: number;
}

export const writerLimits: WriterLimits = {
  statementsHere: 64,
  statementsPerTransaction: 20_000,
  statementsWaiting: 1_000_000,
  logPages: 4_000,
};

/** Looking at the length of the log costs a few microseconds: not after every short transaction. */
const transactionsPerLook = 32;

interface Job {
  readonly write: Write;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Failure) => void;
}

export class Writer {
  readonly #limits: WriterLimits;
  readonly #here: Transaction;
  readonly #thread: ThreadHandle;
  readonly #inMemory: boolean;
  readonly #everythingOnThread: boolean;
  readonly #logPages: () => number;
  #waiting: Job[] = [];
  #statementsWaiting = 0;
  #scheduled = false;
  /** The writing thread has the database for itself. */
  #busy = false;
  #checkpoint: 'none' | 'under_way' | 'restart_due' = 'none';
  #untilLook = transactionsPerLook;
  #closed = false;
  #idle: (() => void) | null = null;

  constructor(database: DatabaseSync, location: SqliteLocation, limits: WriterLimits = writerLimits) {
    this.#limits = limits;
    this.#here = new Transaction(database);
    this.#thread = new ThreadHandle(location);
    this.#inMemory = isInMemory(location);
    this.#everythingOnThread = location.synchronous === 'full' && !this.#inMemory;
    const look = database.prepare('PRAGMA wal_checkpoint(NOOP)');
    this.#logPages = () => Number(look.get()?.['log'] ?? 0);
  }

  /** Resolves when the write is durable or was refused; writes are done in the order of the calls. */
  write(write: Write): Promise<Answer> {
    if (this.#closed) return Promise.reject(new Failure('store_closed'));
    if (this.#statementsWaiting > 0 && this.#statementsWaiting + write.size > this.#limits.statementsWaiting) {
      return Promise.reject(new Failure('limit_reached', 'too many writes are waiting for the store'));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ write, resolve, reject });
      this.#statementsWaiting += write.size;
      this.#schedule();
    });
  }

  /** Resolves when everything asked for before has been written or has failed. */
  async settled(): Promise<void> {
    if (this.#busy || this.#waiting.length > 0) await this.write(nothing);
  }

  /** Writes what was asked for, and no more. */
  async close(): Promise<void> {
    this.#closed = true;
    if (!this.#isIdle()) {
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    }
    await this.#thread.close().catch((cause: unknown) => {
      throw new Failure('store_failed', undefined, { cause });
    });
  }

  #schedule(): void {
    if (this.#scheduled || this.#busy) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#next();
    });
  }

  #next(): void {
    if (this.#busy) return;
    if (this.#checkpoint === 'restart_due') {
      void this.#restartLog();
      return;
    }
    const { jobs, size } = this.#take();
    if (size === 0) {
      for (const job of jobs) job.resolve(null);
    } else if (this.#inMemory || (size <= this.#limits.statementsHere && !this.#everythingOnThread)) {
      this.#runHere(jobs);
      this.#untilLook -= 1;
      if (this.#untilLook <= 0) this.#lookAtLog();
    } else {
      void this.#runOnThread(jobs);
      return;
    }
    if (this.#waiting.length > 0) this.#schedule();
    else if (this.#isIdle()) this.#idle?.();
  }

  #take(): { readonly jobs: readonly Job[]; readonly size: number } {
    let size = 0;
    let count = 0;
    for (const { write } of this.#waiting) {
      if (count > 0 && size + write.size > this.#limits.statementsPerTransaction) break;
      size += write.size;
      count += 1;
    }
    this.#statementsWaiting -= size;
    return { jobs: this.#waiting.splice(0, count), size };
  }

  #runHere(jobs: readonly Job[]): void {
    try {
      settle(jobs, this.#here.whole(jobs.map((job) => job.write)));
    } catch (error) {
      // One bad write must not take its neighbours with it.
      if (jobs.length > 1) for (const job of jobs) this.#runHere([job]);
      else fail(jobs, error);
    }
  }

  async #runOnThread(jobs: readonly Job[]): Promise<void> {
    this.#busy = true;
    await this.#tryOnThread(jobs);
    this.#busy = false;
    this.#lookAtLog();
    this.#next();
  }

  async #tryOnThread(jobs: readonly Job[]): Promise<void> {
    try {
      settle(jobs, await this.#thread.write(jobs.map((job) => job.write)));
    } catch (error) {
      if (jobs.length > 1) for (const job of jobs) await this.#tryOnThread([job]);
      else fail(jobs, error);
    }
  }

  #lookAtLog(): void {
    this.#untilLook = transactionsPerLook;
    if (this.#inMemory || this.#checkpoint !== 'none' || this.#logPages() < this.#limits.logPages) return;
    this.#checkpoint = 'under_way';
    // While it is under way others write; what they added makes the log's new beginning wait for a short moment alone.
    this.#thread.checkpoint('passive').then(
      () => {
        this.#checkpoint = 'restart_due';
        this.#next();
      },
      () => this.#endCheckpoint(),
    );
  }

  async #restartLog(): Promise<void> {
    this.#busy = true;
    // A checkpoint that fails loses nothing: the log grows on, and the next look asks again.
    await this.#thread.checkpoint('restart').catch(() => {});
    this.#busy = false;
    this.#endCheckpoint();
  }

  #endCheckpoint(): void {
    this.#checkpoint = 'none';
    this.#next();
  }

  #isIdle(): boolean {
    return this.#waiting.length === 0 && !this.#busy && this.#checkpoint === 'none';
  }
}

function settle(jobs: readonly Job[], answers: readonly Answer[]): void {
  for (const [index, job] of jobs.entries()) job.resolve(answers[index] ?? null);
}

function fail(jobs: readonly Job[], cause: unknown): void {
  for (const job of jobs) job.reject(new Failure('store_failed', undefined, { cause }));
}
