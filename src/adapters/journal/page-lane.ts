// The way of log pages into PostgreSQL, behind the appends: one connection, one page after the other, each once or not at all.

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type ConnectionLimits, ConnectionLost, isAnswer, openSole, type Session } from '../postgres/session.ts';
import { type CopyPage, contentOf, copyStatement } from './copy-page.ts';
import { lookAfterParts, makeParts, type PartLimits } from './log-parts.ts';

export interface PageLaneOptions {
  readonly url: string;
  readonly connection: ConnectionLimits;
  readonly parts: PartLimits;
  readonly nowMs: () => number;
  /** Nothing is left to do: the owner may hand over a page that is due. */
  readonly idle: () => void;
  readonly written: (page: CopyPage) => void;
  readonly lost: (page: CopyPage) => void;
  /** Hears of a database that fails: once, and again only when it had worked in between. */
  readonly onError: (error: Error) => void;
}

type Step =
  | { readonly kind: 'page'; readonly page: CopyPage }
  | { readonly kind: 'parts' }
  | { readonly kind: 'mark'; readonly reached: () => void; readonly passed: Promise<void> };

const firstPauseMs = 50;
const longestPauseMs = 1_000;
/** Others may need what was made before the page comes again. */
const attemptsWithoutPart = 3;
/** What the server says when no part has the number of a row, and when others use the log for too long. */
const noPart = '23514';
const busy = '55P03';

export class PageLane {
  readonly #options: PageLaneOptions;
  readonly #writer = randomUUID();
  readonly #steps: Step[] = [];
  #session: Session | null = null;
  #batch = 0;
  #waitingBytes = 0;
  #isWorking = false;
  #worked: Promise<void> = Promise.resolve();
  #failing = false;
  /** The page at the head was sent when the connection was lost. */
  #isInDoubt = false;
  /** From this moment on nothing is tried a second time. */
  #givesUpAtMs = Number.POSITIVE_INFINITY;

  constructor(options: PageLaneOptions) {
    this.#options = options;
  }

  /** What the pages that wait to be written take. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  get isIdle(): boolean {
    return !this.#isWorking;
  }

  /** The page is no longer the caller's. */
  write(page: CopyPage): void {
    this.#waitingBytes += page.bytes.length;
    this.#push({ kind: 'page', page });
  }

  lookAfterParts(): void {
    if (!this.#steps.some(({ kind }) => kind === 'parts')) this.#push({ kind: 'parts' });
  }

  /** It does not get through to the database at the moment. */
  get isFailing(): boolean {
    return this.#failing;
  }

  /** Resolves when everything handed over before is written, or lost. */
  mark(): Promise<void> {
    const last = this.#steps.at(-1);
    if (last?.kind === 'mark') return last.passed;
    const { promise: passed, resolve: reached } = Promise.withResolvers<void>();
    this.#push({ kind: 'mark', reached, passed });
    return passed;
  }

  work(): void {
    if (this.#isWorking) return;
    // Before it begins: the first thing that it does may be to ask for a page.
    this.#isWorking = true;
    this.#worked = this.#run();
  }

  /** What cannot be written within this time is lost. */
  async close(withinMs: number): Promise<void> {
    this.#givesUpAtMs = performance.now() + withinMs;
    await this.#worked;
    await this.#session?.end();
    this.#session = null;
  }

  #push(step: Step): void {
    this.#steps.push(step);
    this.work();
  }

  async #run(): Promise<void> {
    let pauseMs = firstPauseMs;
    for (;;) {
      if (this.#steps.length === 0) this.#options.idle();
      const [step] = this.#steps;
      if (step === undefined) break;
      try {
        await this.#perform(step);
        this.#failing &&= step.kind !== 'page';
        pauseMs = firstPauseMs;
      } catch (error) {
        this.#fail(error);
        if (error instanceof ConnectionLost && performance.now() < this.#givesUpAtMs) {
          await delay(Math.min(pauseMs, this.#givesUpAtMs - performance.now()));
          pauseMs = Math.min(2 * pauseMs, longestPauseMs);
          continue;
        }
        this.#isInDoubt = false;
        if (step.kind === 'page') this.#options.lost(step.page);
        // There is no time left to try it with each of them.
        if (error instanceof ConnectionLost) this.#loseAll();
      }
      this.#steps.shift();
      if (step.kind === 'page') this.#waitingBytes -= step.page.bytes.length;
    }
    this.#isWorking = false;
  }

  /** All behind the one at the head. */
  #loseAll(): void {
    for (const step of this.#steps.splice(1)) {
      if (step.kind === 'mark') step.reached();
      if (step.kind !== 'page') continue;
      this.#options.lost(step.page);
      this.#waitingBytes -= step.page.bytes.length;
    }
  }

  async #perform(step: Step): Promise<void> {
    const { parts, nowMs, written } = this.#options;
    if (step.kind === 'mark') {
      step.reached();
    } else if (step.kind === 'parts') {
      await lookAfterParts(await this.#connected(), parts, nowMs()).catch(unlessBusy);
    } else {
      await this.#write(step.page);
      written(step.page);
    }
  }

  async #write(page: CopyPage): Promise<void> {
    const session = await this.#connected();
    if (this.#isInDoubt) {
      const rows = await session.run('SELECT batch FROM frame_log_writers WHERE writer = $1', [this.#writer]);
      this.#isInDoubt = false;
      if (Number(rows[0]?.[0]) === this.#batch) return;
    } else {
      this.#batch += 1;
    }
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#copy(session, page);
      } catch (error) {
        if (attempt === attemptsWithoutPart || !isAnswer(error) || error.code !== noPart) throw error;
        await makeParts(session, this.#options.parts, page.entries);
      }
    }
  }

  async #copy(session: Session, page: CopyPage): Promise<void> {
    const values = `'${this.#writer}', ${this.#batch}, ${Math.floor(this.#options.nowMs())}`;
    try {
      await session.copy(
        `INSERT INTO frame_log_writers (writer, batch, at) VALUES (${values})
           ON CONFLICT (writer) DO UPDATE SET batch = excluded.batch, at = excluded.at;
         ${copyStatement}`,
        contentOf(page),
      );
    } catch (error) {
      this.#isInDoubt = session.mayHaveDone;
      throw error;
    }
  }

  async #connected(): Promise<Session> {
    if (this.#session !== null && !this.#session.isLost) return this.#session;
    const { url, connection } = this.#options;
    this.#session = await openSole(url, `chargesim log ${this.#writer}`, connection);
    return this.#session;
  }

  /** Only the first of a row is reported. */
  #fail(error: unknown): void {
    if (this.#failing) return;
    this.#failing = true;
    this.#options.onError(error instanceof Error ? error : new Error(String(error)));
  }
}

/** It is tried again the next time. */
function unlessBusy(error: unknown): void {
  if (!isAnswer(error) || error.code !== busy) throw error;
}
