// A line on which anything can be said by hand, with the rules of the line listening.

import type { Payload } from '../talk.ts';
import { WireWatch } from '../wire-rules.ts';

const noon = Date.UTC(2026, 0, 31, 12);
export const uuid = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

export class Line {
  readonly broken: string[] = [];
  readonly watch: WireWatch;
  nowMs = noon;
  #count = 0;

  constructor(version: string) {
    this.watch = new WireWatch({ version, instant: true });
  }

  time = (seconds = 0): string => new Date(this.nowMs + seconds * 1000).toISOString();

  opens(life = 1): this {
    return this.#note(this.watch.opened(this.nowMs, life));
  }

  closes(by: 'charger' | 'csms' = 'csms'): this {
    return this.#note(this.watch.closed(this.nowMs, by));
  }

  passes(seconds: number): this {
    this.nowMs += seconds * 1000;
    return this.#note(this.watch.passed(this.nowMs));
  }

  /** The charger says exactly this. */
  says(...parts: unknown[]): this {
    return this.#note(this.watch.heard('charger', JSON.stringify(parts), this.nowMs));
  }

  /** A call of the charger and its answer; null: there is none, a text: an error. */
  calls(action: string, payload: Payload = {}, answer: Payload | string | null = {}): this {
    const id = uuid(++this.#count);
    this.says(2, id, action, payload);
    if (answer === null) return this;
    const said = typeof answer === 'string' ? [4, id, answer, '', {}] : [3, id, answer];
    return this.#note(this.watch.heard('csms', JSON.stringify(said), this.nowMs));
  }

  /** The CSMS asks; with an answer null the charger has yet to answer. */
  asks(action: string, payload: Payload = {}, answer: Payload | string | null = { status: 'Accepted' }): this {
    const id = `csms-${++this.#count}`;
    this.#note(this.watch.heard('csms', JSON.stringify([2, id, action, payload]), this.nowMs));
    if (answer === null) return this;
    return typeof answer === 'string' ? this.says(4, id, answer, '', {}) : this.says(3, id, answer);
  }

  boots(status = 'Accepted', interval = 300): this {
    return this.calls('BootNotification', {}, { status, interval, currentTime: this.time() });
  }

  shows(connectorId: number, status: string, errorCode = 'NoError'): this {
    return this.calls('StatusNotification', { connectorId, status, errorCode, timestamp: this.time() });
  }

  /** A charger of 1.6 that is ready. */
  ready(): this {
    return this.opens().boots().shows(0, 'Available').shows(1, 'Available');
  }

  /** One that charges, too. */
  charging(status = 'Accepted'): this {
    this.ready().shows(1, 'Preparing');
    const start = { connectorId: 1, idTag: 'TAG', meterStart: 100, timestamp: this.time() };
    this.calls('StartTransaction', start, { transactionId: 7, idTagInfo: { status } });
    return this.shows(1, 'Charging');
  }

  meters(readings: Payload[], more: Payload = { connectorId: 1, transactionId: 7 }): this {
    return this.calls('MeterValues', { ...more, meterValue: [{ timestamp: this.time(), sampledValue: readings }] });
  }

  stops(more: Payload = {}, answer: Payload | string = {}): this {
    const stop = { transactionId: 7, meterStop: 200, timestamp: this.time(), reason: 'Local', ...more };
    return this.calls('StopTransaction', stop, answer);
  }

  event(eventType: string, seqNo: number, more: Payload = {}, info: Payload = {}): this {
    const start = { evse: { id: 1, connectorId: 1 }, idToken: { idToken: 'TAG', type: 'ISO14443' } };
    const reason = eventType === 'Ended' ? { stoppedReason: 'Local' } : {};
    return this.calls('TransactionEvent', {
      eventType,
      seqNo,
      timestamp: this.time(),
      triggerReason: eventType === 'Started' ? 'Authorized' : 'StopAuthorized',
      transactionInfo: { transactionId: 'one', ...reason, ...info },
      ...(eventType === 'Started' ? start : {}),
      ...more,
    });
  }

  #note(broken: readonly string[]): this {
    this.broken.push(...broken);
    return this;
  }
}
