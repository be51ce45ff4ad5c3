// The CSMS's own calls to one charger: one unanswered at a time, the others wait in line.

import type { Payload } from '../ocpp/frame.ts';

/**
 * A call that got no good answer. `code` is the error code of the charger's CALLERROR, or one of ours: `NotConnected`,
 * `Disconnected`, `Timeout`, `BadAnswer`, `TooManyCalls`.
 */
export class CallFailed extends Error {
  readonly code: string;
  /** What the charger said of it; of our own codes a sentence. */
  readonly description: string;

  constructor(code: string, description: string) {
    super(description === '' ? code : `${code}: ${description}`);
    this.name = 'CallFailed';
    this.code = code;
    this.description = description;
  }
}

export interface PendingCall {
  readonly id: string;
  readonly action: string;
  readonly payload: Payload;
  readonly timeoutMs: number;
  resolve(payload: Payload): void;
  reject(error: CallFailed): void;
}

/** How many calls may wait for one charger. */
const maxWaiting = 100;

export class Calls {
  readonly #transmit: (call: PendingCall) => void;
  readonly #waiting: PendingCall[] = [];
  #inFlight: PendingCall | null = null;
  #timer: NodeJS.Timeout | undefined;
  #expiredId: string | null = null;

  constructor(transmit: (call: PendingCall) => void) {
    this.#transmit = transmit;
  }

  ask(id: string, action: string, payload: Payload, timeoutMs: number): Promise<Payload> {
    if (this.#waiting.length >= maxWaiting) {
      return Promise.reject(new CallFailed('TooManyCalls', `${maxWaiting} calls are waiting for this charger already`));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ id, action, payload, timeoutMs, resolve, reject });
      this.#sendNext();
    });
  }

  /** The call that this answer belongs to, which is open no longer; null when it belongs to none. */
  close(id: string): PendingCall | null {
    const call = this.#inFlight;
    if (call === null || call.id !== id) return null;
    this.#inFlight = null;
    clearTimeout(this.#timer);
    this.#sendNext();
    return call;
  }

  /** Whether an answer to this id merely comes too late. */
  isLate(id: string): boolean {
    return this.#expiredId === id;
  }

  failAll(error: CallFailed): void {
    clearTimeout(this.#timer);
    const open = this.#waiting.splice(0);
    if (this.#inFlight !== null) open.unshift(this.#inFlight);
    this.#inFlight = null;
    for (const call of open) call.reject(error);
  }

  #sendNext(): void {
    if (this.#inFlight !== null) return;
    const call = this.#waiting.shift();
    if (call === undefined) return;
    this.#inFlight = call;
    this.#timer = setTimeout(() => this.#expire(call), call.timeoutMs);
    this.#transmit(call);
  }

  #expire(call: PendingCall): void {
    this.#expiredId = call.id;
    this.close(call.id);
    call.reject(new CallFailed('Timeout', `no answer to ${call.action} within ${call.timeoutMs} ms`));
  }
}
