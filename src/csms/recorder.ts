// Remembers what passed between a CSMS and its chargers, waits for calls, and says which rules were broken. For tests.
//
//   const recorder = new Recorder();
//   const csms = new Csms({ ..., onFrame: recorder.onFrame });
//   const started = await recorder.waitFor('CP-1', 'StartTransaction');
//   expect(recorder.violations()).toEqual([]);

import { type Payload, readFrame } from '../ocpp/frame.ts';
import type { CsmsFrame } from './connection.ts';
import { breaches, type RuleOptions, type Violation } from './rules.ts';

/** A CALL of a charger, or a SEND of a 2.1 charger. */
export interface RecordedCall {
  readonly action: string;
  readonly payload: Payload;
  readonly id: string;
  readonly atMs: number;
  /** Its place among all frames recorded. */
  readonly order: number;
  readonly connection: number;
}

/** A frame with its place among all frames recorded. */
export type RecordedFrame = CsmsFrame & { readonly order: number };

interface Waiter {
  readonly identity: string;
  matches(call: RecordedCall): boolean;
  resolve(call: RecordedCall): void;
}

export interface RecorderOptions extends RuleOptions {
  /** Further rules, held against all that was recorded. */
  readonly further?: (frames: readonly RecordedFrame[]) => Violation[];
}

export class Recorder {
  readonly #options: RecorderOptions;
  readonly #frames: RecordedFrame[] = [];
  readonly #calls = new Map<string, RecordedCall[]>();
  readonly #waiters = new Set<Waiter>();
  #lastConnection = 0;
  readonly #bootsExpected: { readonly identity: string; readonly after: number }[] = [];

  constructor(options: RecorderOptions = {}) {
    this.#options = options;
  }

  /** To be given to the CSMS as it is. */
  readonly onFrame = (frame: CsmsFrame): void => {
    const order = this.#frames.length;
    this.#frames.push({ ...frame, order });
    this.#lastConnection = Math.max(this.#lastConnection, frame.connection);
    const call = frame.direction === 'in' ? callOf(frame, order) : null;
    if (call === null) return;
    const calls = this.#calls.get(frame.identity);
    if (calls === undefined) this.#calls.set(frame.identity, [call]);
    else calls.push(call);
    for (const waiter of this.#waiters) {
      if (waiter.identity === frame.identity && waiter.matches(call)) waiter.resolve(call);
    }
  };

  /** How many frames there are so far: what comes from now on has this order or a higher one. */
  cursor(): number {
    return this.#frames.length;
  }

  frames(identity: string): RecordedFrame[] {
    return this.#frames.filter((frame) => frame.identity === identity);
  }

  calls(identity: string, action?: string): RecordedCall[] {
    const calls = this.#calls.get(identity) ?? [];
    return calls.filter((call) => action === undefined || call.action === action);
  }

  /** The first such call from the cursor on, be it there already or yet to come. Rejects with a list of what did arrive. */
  waitFor(
    identity: string,
    action: string,
    predicate: (payload: Payload) => boolean = () => true,
    timeoutMs = 5000,
    cursor = 0,
  ): Promise<RecordedCall> {
    const matches = (call: RecordedCall) => call.action === action && call.order >= cursor && predicate(call.payload);
    const found = this.calls(identity).find(matches);
    if (found !== undefined) return Promise.resolve(found);
    return new Promise((resolve, reject) => {
      const waiter = {
        identity,
        matches,
        resolve: (call: RecordedCall) => {
          clearTimeout(timer);
          this.#waiters.delete(waiter);
          resolve(call);
        },
      };
      const timer = setTimeout(() => {
        this.#waiters.delete(waiter);
        reject(
          new Error(`no such ${action} of ${identity} within ${timeoutMs} ms; ${this.#heardOf(identity, cursor)}`),
        );
      }, timeoutMs);
      this.#waiters.add(waiter);
    });
  }

  /** From now on: the next connection of this charger must open with a BootNotification. */
  expectBootFirst(identity: string): void {
    this.#bootsExpected.push({ identity, after: this.#lastConnection });
  }

  /** Every frame, in or out, that does not fit its schema or the framing, and every rule that a charger broke. */
  violations(): Violation[] {
    const invalid = this.#frames
      .filter((frame) => !frame.valid)
      .map(({ identity, direction, order, text, problem }) => ({
        identity,
        direction,
        order,
        problem: problem ?? 'not valid',
        text: shortened(text),
      }));
    const broken = breaches(this.#frames, this.#options, this.#bootsExpected);
    const further = this.#options.further?.(this.#frames) ?? [];
    return [...invalid, ...broken, ...further].sort((one, other) => one.order - other.order);
  }

  /** Forgets all frames; who waits goes on waiting. */
  clear(): void {
    this.#frames.length = 0;
    this.#calls.clear();
    this.#bootsExpected.length = 0;
  }

  #heardOf(identity: string, cursor: number): string {
    const heard = this.calls(identity).filter((call) => call.order >= cursor);
    if (heard.length === 0) {
      const others = [...this.#calls.keys()];
      return `it sent nothing${others.length === 0 ? ', nor did any other' : `; there were calls of ${others.slice(0, 10).join(', ')}`}`;
    }
    const lines = heard
      .slice(-20)
      .map((call) => `  #${call.order} ${call.action} ${shortened(JSON.stringify(call.payload))}`);
    return `it sent${heard.length > 20 ? ', lastly' : ''}:\n${lines.join('\n')}`;
  }
}

function callOf(frame: CsmsFrame, order: number): RecordedCall | null {
  const { atMs, connection, text } = frame;
  const read = readFrame(text);
  if (read.kind === 'call') {
    return { action: read.action, payload: read.payload as Payload, id: read.id, atMs, order, connection };
  }
  if (read.kind !== 'unknown' || read.type !== 6) return null;
  const [, , action, payload] = JSON.parse(text) as readonly unknown[];
  return { action: String(action), payload: payload as Payload, id: read.id, atMs, order, connection };
}

const shortened = (text: string): string => (text.length > 300 ? `${text.slice(0, 300)}…` : text);
