// One charger's connection as the CSMS sees it: reads what arrives, answers it, and carries the CSMS's own calls.

import { type Complaint, complaintOf, type Dialect, type Validator } from '../ocpp/dialect.ts';
import { callText, errorText, type Frame, noId, type Payload, readFrame, resultText } from '../ocpp/frame.ts';
import type { AnswerTable, Desk } from './answer.ts';
import { CallFailed, Calls, type PendingCall } from './calls.ts';

/** A frame that came or went, and what is wrong with it. */
export interface CsmsFrame {
  readonly org: string;
  readonly identity: string;
  readonly version: string;
  /** Counts the connections of this CSMS: two connections of one charger have different numbers. */
  readonly connection: number;
  readonly direction: 'in' | 'out';
  readonly text: string;
  readonly atMs: number;
  /** False exactly when there is a problem. */
  readonly valid: boolean;
  readonly problem: string | null;
}

export interface ConnectedCharger {
  readonly org: string;
  readonly identity: string;
  readonly version: string;
  readonly sinceMs: number;
}

/** A payload, an error to answer with, `null` to stay silent, or `undefined` for the usual answer. */
export type OverrideAnswer = Payload | { readonly error: string; readonly description: string } | null | undefined;

/** Sent as it is, so that a test can also answer badly; a payload that does not fit its schema is reported as such. */
export type AnswerOverride = (payload: Payload, charger: ConnectedCharger) => OverrideAnswer | Promise<OverrideAnswer>;

/** What all connections of a CSMS have in common. */
export interface House {
  readonly desk: Desk;
  readonly overrides: Readonly<Record<string, AnswerOverride>>;
  newMessageId(): string;
  /** Undefined when nobody listens. */
  readonly onFrame: ((frame: CsmsFrame) => void) | undefined;
  /** Hears once of each connection that is over. */
  gone(connection: Connection): void;
}

/** The part of a WebSocket that a connection needs. */
export interface Wire {
  readonly readyState: number;
  readonly bufferedAmount: number;
  send(text: string, sent?: () => void): void;
  pause(): void;
  resume(): void;
  close(code: number, reason: string): void;
  terminate(): void;
}

const open = 1;
/** A charger that leaves this much unread is not listened to until it has read it. */
const maxUnreadBytes = 1_048_576;
const callResultError = 5;
const sendWithoutAnswer = 6;

type CallFrame = Extract<Frame, { kind: 'call' }>;

export class Connection implements ConnectedCharger {
  readonly org: string;
  readonly identity: string;
  readonly number: number;
  readonly sinceMs: number;
  readonly #dialect: Dialect;
  readonly #answers: AnswerTable;
  readonly #house: House;
  readonly #wire: Wire;
  #calls: Calls | null = null;

  constructor(
    charger: { readonly org: string; readonly identity: string; readonly number: number },
    language: { readonly dialect: Dialect; readonly answers: AnswerTable },
    house: House,
    wire: Wire,
  ) {
    this.org = charger.org;
    this.identity = charger.identity;
    this.number = charger.number;
    this.sinceMs = house.desk.nowMs();
    this.#dialect = language.dialect;
    this.#answers = language.answers;
    this.#house = house;
    this.#wire = wire;
  }

  get version(): string {
    return this.#dialect.version;
  }

  hear(text: string): void {
    // What a charger still says while it is being sent away is not heard.
    if (this.#wire.readyState !== open) return;
    const frame = readFrame(text);
    switch (frame.kind) {
      case 'call':
        this.#hearCall(frame, text);
        return;
      case 'result':
      case 'error':
        this.#hearAnswer(frame, text);
        return;
      case 'unknown':
        this.#hearOther(frame.id, frame.type, text);
        return;
      case 'malformed':
        // An answer is never answered, not even a broken one.
        if (frame.answerable) this.#complain(text, frame.id, 'malformed', frame.why);
        else this.#report('in', text, frame.why);
    }
  }

  hearBinary(bytes: number): void {
    if (this.#wire.readyState !== open) return;
    this.#complain(`(binary, ${bytes} bytes)`, noId, 'malformed', 'OCPP-J messages are text, this one was binary');
  }

  /** Something arrived that is no message at all: too large, not UTF-8, a broken WebSocket frame. The line is closing. */
  hearNoise(why: string): void {
    this.#report('in', '', why);
  }

  ask(action: string, payload: Payload, timeoutMs: number): Promise<Payload> {
    this.#calls ??= new Calls((call) => this.#sendCall(call));
    return this.#calls.ask(this.#house.newMessageId(), action, payload, timeoutMs);
  }

  /** Whatever text, as it is. */
  sendRaw(text: string): void {
    this.#send(text, 'sent as it is, unchecked');
  }

  end(how: 'close' | 'drop', code: number, reason: string): void {
    if (how === 'close') this.#wire.close(code, reason);
    else this.#wire.terminate();
    this.#failCalls();
  }

  /** The line is closed. */
  gone(): void {
    this.#failCalls();
    this.#house.gone(this);
  }

  #failCalls(): void {
    this.#calls?.failAll(new CallFailed('Disconnected', 'the connection closed before the charger answered'));
  }

  #hearCall(call: CallFrame, text: string): void {
    const { id, action, payload } = call;
    const validator = own(this.#dialect.validators.requests, action);
    if (validator === undefined) {
      this.#complain(text, id, 'notImplemented', `action ${action.slice(0, 50)} is not known`);
    } else if (own(this.#answers, action) === undefined) {
      this.#complain(text, id, 'notSupported', `${action} is not a call that a charger makes`);
    } else if (!validator(payload)) {
      const { complaint, sentence } = complaintOf(validator);
      this.#complain(text, id, complaint, sentence);
    } else {
      this.#report('in', text, null);
      this.#answer(id, action, payload as Payload);
    }
  }

  #answer(id: string, action: string, payload: Payload): void {
    const override = own(this.#house.overrides, action);
    if (override === undefined) this.#answerByTable(id, action, payload);
    else this.#answerByOverride(override, id, action, payload).catch((error) => this.#confess(id, error));
  }

  #answerByTable(id: string, action: string, payload: Payload): void {
    try {
      const answer = own(this.#answers, action)?.(payload, this.#house.desk) ?? {};
      if (answer instanceof Promise) {
        answer.then((later) => this.#sendOwnResult(id, action, later)).catch((error) => this.#confess(id, error));
      } else this.#sendOwnResult(id, action, answer);
    } catch (error) {
      this.#confess(id, error);
    }
  }

  async #answerByOverride(override: AnswerOverride, id: string, action: string, payload: Payload): Promise<void> {
    const answer = await override(payload, this);
    if (answer === null) return;
    if (answer === undefined) this.#answerByTable(id, action, payload);
    else if (isError(answer)) this.#send(errorText(id, answer.error, answer.description), null);
    else this.#send(resultText(id, answer), problemOf(this.#dialect.validators.responses, action, answer));
  }

  #sendOwnResult(id: string, action: string, payload: Payload): void {
    const problem = problemOf(this.#dialect.validators.responses, action, payload);
    if (problem !== null) throw new Error(`bug: own answer to ${action} does not match its schema: ${problem}`);
    this.#send(resultText(id, payload), null);
  }

  /** A bug of the CSMS or a store that failed: the charger gets an error, and the frame says what happened. */
  #confess(id: string, error: unknown): void {
    const why = error instanceof Error ? error.message : String(error);
    this.#send(errorText(id, this.#dialect.complaints.bug, 'the CSMS failed to answer'), why);
  }

  #hearAnswer(frame: Extract<Frame, { kind: 'result' | 'error' }>, text: string): void {
    const late = this.#calls?.isLate(frame.id) ?? false;
    const call = this.#calls?.close(frame.id) ?? null;
    if (call === null) {
      this.#report('in', text, late ? null : 'answers no open call');
    } else if (frame.kind === 'error') {
      this.#report('in', text, null);
      call.reject(new CallFailed(frame.code, frame.description));
    } else {
      this.#hearResult(call, frame.payload, text);
    }
  }

  #hearResult(call: PendingCall, payload: unknown, text: string): void {
    const validator = own(this.#dialect.validators.responses, call.action);
    if (validator === undefined || validator(payload)) {
      this.#report('in', text, null);
      call.resolve(payload as Payload);
      return;
    }
    const { complaint, sentence } = complaintOf(validator);
    this.#report('in', text, sentence);
    // Only 2.1 has a way to say that an answer was bad.
    if (this.#dialect.silentTypes.includes(callResultError)) {
      const code = this.#dialect.complaints[complaint];
      this.#send(JSON.stringify([callResultError, call.id, code, sentence.slice(0, 255), {}]), null);
    }
    call.reject(new CallFailed('BadAnswer', `the answer to ${call.action} does not match its schema: ${sentence}`));
  }

  #hearOther(id: string, type: number, text: string): void {
    if (!this.#dialect.silentTypes.includes(type)) {
      this.#complain(text, id, 'unknownMessageType', `message type ${type} is not known`);
      return;
    }
    this.#report('in', text, type === sendWithoutAnswer ? this.#problemOfSend(text) : null);
  }

  #problemOfSend(text: string): string | null {
    const [, , action, payload] = JSON.parse(text) as readonly unknown[];
    const { requests, responses } = this.#dialect.validators;
    if (typeof action !== 'string' || own(requests, action) === undefined) return 'a SEND is [6, id, action, payload]';
    if (own(responses, action) !== undefined) return `${action} wants an answer, so it must be a CALL`;
    return problemOf(requests, action, payload);
  }

  #sendCall(call: PendingCall): void {
    const { requests } = this.#dialect.validators;
    // Sent even when wrong: how a charger takes it may be just what is being tried.
    const isKnown = own(requests, call.action) !== undefined;
    const problem = isKnown ? problemOf(requests, call.action, call.payload) : `action ${call.action} is not known`;
    this.#send(callText(call.id, call.action, call.payload), problem);
  }

  #complain(text: string, id: string, complaint: Complaint, sentence: string): void {
    this.#report('in', text, sentence);
    this.#send(errorText(id, this.#dialect.complaints[complaint], sentence), null);
  }

  #send(text: string, problem: string | null): void {
    const wire = this.#wire;
    if (wire.readyState !== open) return;
    this.#report('out', text, problem);
    if (wire.bufferedAmount < maxUnreadBytes) {
      wire.send(text);
      return;
    }
    wire.pause();
    wire.send(text, () => wire.resume());
  }

  #report(direction: 'in' | 'out', text: string, problem: string | null): void {
    const { onFrame, desk } = this.#house;
    if (onFrame === undefined) return;
    const { org, identity, version, number } = this;
    const atMs = desk.nowMs();
    onFrame({ org, identity, version, connection: number, direction, text, atMs, valid: problem === null, problem });
  }
}

const isError = (answer: Payload): answer is { readonly error: string; readonly description: string } =>
  typeof answer['error'] === 'string';

/** A row of a table, never something that every object has: actions are named by strangers. */
function own<Row>(table: Readonly<Record<string, Row>>, name: string): Row | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

function problemOf(validators: Readonly<Record<string, Validator>>, action: string, payload: unknown): string | null {
  const validator = own(validators, action);
  return validator === undefined || validator(payload) ? null : complaintOf(validator).sentence;
}
