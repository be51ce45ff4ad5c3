// The one way into the database for a process: writes go in the order of the calls, those that fit together in one statement.

import { randomUUID } from 'node:crypto';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { Failure } from '../../../errors.ts';
import {
  type ConnectionLimits,
  ConnectionLost,
  failureOf,
  isInTheWay,
  openSole,
  type Session,
} from '../../postgres/session.ts';

/** A way of writing. */
export interface Work<Content, Answer> {
  /** Begins to gather what is written together. The first is always taken; false when another must wait for the next batch. */
  batch(): { add(content: Content): boolean };
  /** Writes them in one transaction; as many answers, in their order. */
  write(session: Session, contents: readonly Content[]): Promise<readonly Answer[]>;
  /**
   * After a connection was lost in the middle: what to answer when it was done all the same, or `again` when it must be written
   * (again). Without this, the caller hears that nobody knows.
   */
  recall?(session: Session, content: Content): Promise<Answer | 'again'>;
}

export interface LaneLimits {
  /** How long a call may wait for a database that cannot be reached. */
  readonly patienceMs: number;
  /** With so many calls waiting, further ones fail with `limit_reached`. */
  readonly callsWaiting: number;
}

export const laneLimits: LaneLimits = { patienceMs: 10_000, callsWaiting: 100_000 };

const attemptsWhenInTheWay = 10;
/** How long a plan is good: a table that was empty when it was made may have grown. */
const plansKeptMs = 2_000;
const firstPauseMs = 50;
const longestPauseMs = 1_000;

interface Job {
  readonly work: Work<unknown, unknown>;
  readonly content: unknown;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Failure) => void;
  readonly untilMs: number;
  /** It was written when the connection was lost: nobody knows whether it was done. */
  isInDoubt: boolean;
  /** Together with others it failed: it or one of them is bad. */
  isAlone: boolean;
}

export class WriteLane {
  readonly #url: string;
  readonly #connection: ConnectionLimits;
  readonly #limits: LaneLimits;
  /** Tells the connections of this lane from all others. */
  readonly #name = `chargesim writer ${randomUUID()}`;
  #session: Session | null = null;
  #planningDueMs = 0;
  #waiting: Job[] = [];
  #running: Promise<void> | null = null;
  #closed = false;

  constructor(url: string, connection: ConnectionLimits, limits: LaneLimits) {
    this.#url = url;
    this.#connection = connection;
    this.#limits = limits;
  }

  /** Resolves when it is durable or was refused. */
  write<Content, Answer>(work: Work<Content, Answer>, content: Content): Promise<Answer> {
    if (this.#closed) return Promise.reject(new Failure('store_closed'));
    if (this.#waiting.length >= this.#limits.callsWaiting) {
      return Promise.reject(new Failure('limit_reached', 'too many writes are waiting for the store'));
    }
    return new Promise((resolve, reject) => {
      const untilMs = performance.now() + this.#limits.patienceMs;
      // The lane gives each content back to its own work only.
      const job = { work, content, resolve, reject, untilMs, isInDoubt: false, isAlone: false } as unknown as Job;
      this.#waiting.push(job);
      this.#running ??= this.#run();
    });
  }

  /** Resolves when everything asked for before has been written or has failed. */
  async settled(): Promise<void> {
    if (this.#running !== null) await this.write(nothing, null);
  }

  /** Writes what was asked for, and no more. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
    await this.#session?.end();
    this.#session = null;
  }

  async #run(): Promise<void> {
    // What is asked for in the same turn goes together.
    await nextTurn();
    let pauseMs = firstPauseMs;
    while (this.#waiting.length > 0) {
      try {
        const session = await this.#connected();
        await this.#settleDoubts(session);
        await this.#writeNext(session);
        await this.#forgetPlans(session);
        pauseMs = firstPauseMs;
      } catch (error) {
        if (!(error instanceof ConnectionLost)) {
          this.#give(this.#waiting.splice(0), failureOf(error));
          continue;
        }
        const nowMs = performance.now();
        const late = this.#waiting.filter(({ untilMs }) => untilMs <= nowMs);
        this.#waiting = this.#waiting.filter(({ untilMs }) => untilMs > nowMs);
        this.#give(late, failureOf(error));
        if (this.#waiting.length > 0) await delay(pauseMs);
        pauseMs = Math.min(2 * pauseMs, longestPauseMs);
      }
    }
    this.#running = null;
  }

  async #connected(): Promise<Session> {
    if (this.#session !== null && !this.#session.isLost) return this.#session;
    const session = await openSole(this.#url, this.#name, this.#connection);
    try {
      // Every statement here goes to its rows by their keys, whatever the planner thinks of a table it has no figures of.
      await session.script(`SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_hashjoin = off;
        SET enable_mergejoin = off; SET jit = off`);
    } catch (error) {
      session.abandon();
      throw error;
    }
    this.#session = session;
    return session;
  }

  async #forgetPlans(session: Session): Promise<void> {
    if (performance.now() < this.#planningDueMs) return;
    await session.script('DISCARD PLANS');
    this.#planningDueMs = performance.now() + plansKeptMs;
  }

  async #settleDoubts(session: Session): Promise<void> {
    for (let job = this.#waiting[0]; job?.isInDoubt === true; job = this.#waiting[0]) {
      const answer = await job.work.recall?.(session, job.content);
      job.isInDoubt = false;
      if (answer === 'again') continue;
      this.#waiting.shift();
      job.resolve(answer);
    }
  }

  async #writeNext(session: Session): Promise<void> {
    const [first] = this.#waiting;
    if (first === undefined) return;
    const batch = first.work.batch();
    let count = 0;
    for (const job of this.#waiting) {
      if (job.work !== first.work || job.isInDoubt || (count > 0 && (first.isAlone || job.isAlone))) break;
      if (!batch.add(job.content)) break;
      count += 1;
    }
    const jobs = this.#waiting.splice(0, count);
    const contents = jobs.map(({ content }) => content);
    try {
      const answers = await this.#insist(session, first.work, contents);
      for (const [index, job] of jobs.entries()) job.resolve(answers[index]);
    } catch (error) {
      if (error instanceof ConnectionLost) {
        this.#putBack(jobs, session.mayHaveDone, error);
        throw error;
      }
      // One bad write must not take its neighbours with it.
      for (const job of jobs) job.isAlone = true;
      if (jobs.length > 1) this.#waiting.unshift(...jobs);
      else this.#give(jobs, failureOf(error));
    }
  }

  async #insist(session: Session, work: Job['work'], contents: readonly unknown[]): Promise<readonly unknown[]> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work.write(session, contents);
      } catch (error) {
        if (attempt === attemptsWhenInTheWay || !isInTheWay(error)) throw error;
      }
    }
  }

  /** In their places, ahead of the others. */
  #putBack(jobs: readonly Job[], isInDoubt: boolean, error: ConnectionLost): void {
    const unknown = jobs.filter(({ work }) => isInDoubt && work.recall === undefined);
    const sentence = 'the connection to the database was lost, and nobody knows whether this was done';
    this.#give(unknown, new Failure('store_unreachable', sentence, { cause: error.cause }));
    const again = jobs.filter((job) => !unknown.includes(job));
    for (const job of again) job.isInDoubt = isInDoubt;
    this.#waiting.unshift(...again);
  }

  #give(jobs: readonly Job[], failure: Failure): void {
    for (const job of jobs) job.reject(failure);
  }
}

/** Writes nothing: its turn comes when everything asked for before has been written. */
const nothing: Work<null, null> = {
  batch: () => ({ add: () => true }),
  write: async (_, contents) => contents.map(() => null),
  recall: async () => 'again',
};
