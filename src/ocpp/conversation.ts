// A charger in conversation with its CSMS, as one value: the charger, its outbox, its line, and the commands under way.

import { authorizeAnswered, sessionAnswered } from '../charger/authorization.ts';
import { bootAnswered, bootUnanswered } from '../charger/boot.ts';
import { certificateRefused } from '../charger/certificates.ts';
import type { Charger, ChargerEvent, Effect, Step } from '../charger/charger.ts';
import { onClock, withClockSet } from '../charger/clock.ts';
import type { Errand } from '../charger/errand.ts';
import { type Answer, isKept, type Report } from '../charger/report.ts';
import { everydayEvent } from '../charger/security-events.ts';
import { setting } from '../charger/settings.ts';
import { nextDueMs, passTime, settled } from '../charger/time.ts';
import type { Request } from '../requests/request.ts';
import { bounded } from './bounded.ts';
import { type Call, complaintOf, type Dialect, type ReportRow, type Slice } from './dialect.ts';
import { callText, type Payload, sendText } from './frame.ts';
import { isGoingDown, type Line } from './line.ts';
import { masked } from './masking.ts';
import * as outboxes from './outbox.ts';
import { changeTask, type Task, type Tasks } from './task.ts';

export interface Conversation {
  readonly dialect: Dialect;
  readonly charger: Charger;
  readonly outbox: outboxes.Outbox;
  readonly slice: Slice;
  readonly line: Line;
  readonly tasks: Tasks;
  /** Its memory has changed in a way that the next transaction message must not overtake. */
  readonly stale: boolean;
  /** Of a charger that charges: what was last kept of it. Null where that need not be known. */
  readonly kept: KeptMemory | null;
  /** When the charger does something by itself; Infinity for most, most of the time: worth knowing cheaply, at every message. */
  readonly dueMs: number;
}

export interface KeptMemory {
  /** As it was then. */
  readonly charger: Charger;
  readonly slice: Slice;
  /** Since it was kept whole only what has moved was kept: nothing that waits to be said or answered is in it. */
  readonly isMotionOnly: boolean;
}

/** What the shell shall do, in this order. */
export type Act =
  | { readonly kind: 'open' }
  | { readonly kind: 'ping' }
  | { readonly kind: 'close'; readonly code: number; readonly reason: string }
  | { readonly kind: 'drop' }
  | { readonly kind: 'send'; readonly text: string }
  | { readonly kind: 'log'; readonly entry: TalkEntry }
  | {
      readonly kind: 'event';
      readonly type: ChargerEvent | LineEvent;
      readonly data: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: 'outcome'; readonly task: Task }
  /** What comes of it is brought back with the reply's handle; see `errand-turns.ts`. */
  | { readonly kind: 'errand'; readonly errand: Errand; readonly reply: ReplyHandle | null }
  | { readonly kind: 'call_off'; readonly errandId: string };

/** A request of the CSMS that has not been answered yet. */
export interface ReplyHandle {
  readonly messageId: string;
  readonly action: string;
  readonly request: Request;
  /** The line on which it came, by the moment at which that was opened. */
  readonly lineSinceMs: number;
}

export type LineEvent = 'charger.connected' | 'charger.disconnected';

export interface TalkEntry {
  readonly atMs: number;
  readonly direction: 'in' | 'out' | 'internal';
  readonly kind: 'call' | 'result' | 'error' | 'lifecycle' | 'command';
  readonly action: string | null;
  readonly messageId: string | null;
  readonly raw: string;
  readonly latencyMs: number | null;
  readonly commandId: string | null;
}

/** One turn of the conversation, as it is being taken. */
export interface Turn {
  conversation: Conversation;
  readonly atMs: number;
  readonly acts: Act[];
  /** `now`: the memory must be kept before any act is done; `soon`: some time. */
  keep: 'now' | 'soon' | null;
  /** What hands at the charger do to its line and its power; done when the step is over. */
  readonly hands: Extract<Effect, { kind: 'line' | 'power_cut' }>[];
}

/**
 * Takes a turn: whatever is due until now has happened before. A `glance` is a move that mostly looks at no meter, and calls
 * `readMeters` where it does; for every other move they have been read.
 */
export function takeTurn(
  conversation: Conversation,
  atMs: number,
  move: (turn: Turn) => void,
  glance?: 'glance',
): Turn {
  const turn: Turn = { conversation, atMs, acts: [], keep: null, hands: [] };
  let timed = conversation.charger;
  if (conversation.dueMs <= atMs) {
    const passed = passTime(timed, atMs);
    timed = passed.charger;
    follow(turn, passed, null);
    turn.conversation = { ...turn.conversation, dueMs: passed.dueMs };
  }
  if (glance === undefined) readMeters(turn);
  move(turn);
  pump(turn);
  endTasks(turn);
  const { charger } = turn.conversation;
  if (charger !== timed) turn.conversation = { ...turn.conversation, dueMs: nextDueMs(charger) };
  if (charger.tokenCache !== conversation.charger.tokenCache) turn.keep ??= 'soon';
  return turn;
}

/** Brings the meters up to now. */
export function readMeters(turn: Turn): void {
  const { charger, dueMs } = turn.conversation;
  if (dueMs !== Number.POSITIVE_INFINITY) change(turn, { charger: settled(charger, turn.atMs) });
}

/** Where every message passes, the new conversation is written out instead: that costs half. */
export function change(turn: Turn, changes: Partial<Conversation>): void {
  turn.conversation = { ...turn.conversation, ...changes };
}

/** Takes over a charger's step and everything that it wants said and told. */
export function follow(turn: Turn, step: Step, cause: string | null): void {
  if (step.charger !== turn.conversation.charger) turn.conversation = { ...turn.conversation, charger: step.charger };
  for (const effect of step.effects) {
    switch (effect.kind) {
      case 'report':
        say(turn, effect.report, cause, effect.triggered);
        break;
      case 'event':
      case 'call_off':
        turn.acts.push(effect);
        break;
      case 'errand':
        turn.acts.push({ kind: 'errand', errand: effect.errand, reply: null });
        break;
      case 'redial':
        redial(turn);
        break;
      case 'keep':
        turn.keep ??= 'soon';
        break;
      case 'line':
      case 'power_cut':
        turn.hands.push(effect);
        break;
      case 'restart': {
        const { reason, offMs } = effect;
        const triesLeft = setting(step.charger, 'OCPPCommCtrlr.ResetRetries');
        const restart = { reason, offMs, byMs: turn.atMs + restartLimitMs, triesLeft, notBeforeMs: turn.atMs };
        change(turn, { line: { ...turn.conversation.line, restart } });
        break;
      }
      case 'result':
        changeTaskOf(turn, cause, (task) => ({ ...task, result: effect.value }));
        break;
      case 'fail':
        changeTaskOf(turn, cause, (task) => ({ ...task, failure: task.failure ?? effect }));
        break;
    }
  }
}

/** Hangs up to dial anew at once; one that is not connected dials anew in its time. */
function redial(turn: Turn): void {
  const { line } = turn.conversation;
  if (line.state !== 'connected') return;
  change(turn, { line: { ...line, redial: true } });
  turn.acts.push({ kind: 'close', code: 1000, reason: 'the charger dials anew' });
}

/** How long a charger that is to restart may take to tell its CSMS what is to be said. */
const restartLimitMs = 30_000;

export function say(turn: Turn, report: Report, cause: string | null, triggered?: true): void {
  const { conversation } = turn;
  const kept = isKept(report);
  const isFree = triggered === true || report.kind === 'boot';
  const speaking = isSpeaking(conversation) || (isFree && conversation.line.state === 'connected');
  // Without a line only transactions are kept: statuses are told anew when it returns.
  if (!kept && !speaking) return;
  if (kept) turn.keep = 'now';
  const dated = onClock(report, conversation.charger.clockOffsetMs);
  turn.conversation = { ...conversation, outbox: outboxes.enqueue(conversation.outbox, dated, cause, triggered) };
  if (speaking) changeTaskOf(turn, cause, (task) => ({ ...task, open: task.open + 1 }));
}

export const isSpeaking = ({ line, charger }: Conversation): boolean =>
  line.state === 'connected' && charger.boot.status === 'Accepted';

/** How a charger is goes before what it has kept of the time when nobody listened. */
export function followInFront(turn: Turn, step: Step): void {
  const { queue } = turn.conversation.outbox;
  follow(turn, step, null);
  const { outbox } = turn.conversation;
  if (queue.length === 0) return;
  const fresh = Object.groupBy(outbox.queue.slice(queue.length), ({ report }) => (isKept(report) ? 'kept' : 'present'));
  change(turn, { outbox: { ...outbox, queue: [...(fresh.present ?? []), ...queue, ...(fresh.kept ?? [])] } });
}

export const timeoutMs = (charger: Charger): number => setting(charger, 'OCPPCommCtrlr.MessageTimeout') * 1000;

/** Sends the next call when none is in flight. */
function pump(turn: Turn): void {
  while (turn.conversation.line.state === 'connected' && !isGoingDown(turn.conversation.line)) {
    const { outbox, charger, dialect, slice } = turn.conversation;
    const index = outboxes.nextToSend(outbox, turn.atMs, charger.boot.status === 'Accepted');
    const entry = outbox.queue[index];
    if (entry === undefined) return;
    const call = rowOf(dialect, entry.report).encode(entry.report, { station: charger.station, slice });
    if (call !== null) {
      sendCall(turn, index, entry, call);
      continue;
    }
    change(turn, { outbox: outboxes.skipped(outbox, index) });
    if (isKept(entry.report)) giveUp(turn, entry.report);
    closeCall(turn, entry.cause);
  }
}

function sendCall(turn: Turn, index: number, entry: outboxes.Entry, call: Call): void {
  const { conversation, atMs } = turn;
  const { action, payload } = call;
  const validator = conversation.dialect.validators.requests[action];
  const asGiven = entry.report.kind === 'raw' && !entry.report.checked;
  if (!asGiven && (validator === undefined || !validator(payload))) {
    const why = validator === undefined ? 'unknown action' : complaintOf(validator).sentence;
    throw new Error(`bug: own ${action} does not match its schema: ${why}: ${JSON.stringify(payload)}`);
  }
  const id = outboxes.nextMessageId(conversation.outbox);
  const confirmed = !conversation.dialect.unconfirmed.includes(action);
  const text = (confirmed ? callText : sendText)(id, action, payload);
  const sent = { id, action, payload, sentAtMs: atMs };
  const { outbox } = conversation;
  turn.conversation = {
    ...conversation,
    outbox: confirmed ? outboxes.sending(outbox, index, sent) : outboxes.sentUnconfirmed(outbox, index, atMs),
  };
  if (conversation.stale && isKept(entry.report)) turn.keep = 'now';
  turn.acts.push({ kind: 'send', text });
  log(turn, { direction: 'out', kind: 'call', action, messageId: id, raw: masked(text), commandId: entry.cause });
  if (confirmed) return;
  noteExchange(turn, { entry, ...sent }, null, null);
  closeCall(turn, entry.cause);
}

/** The CSMS has answered the call in flight with something usable. */
export function callAnswered(turn: Turn, payload: Payload): void {
  const { conversation } = turn;
  const { inFlight } = conversation.outbox;
  if (inFlight === null) return;
  const { report, cause } = inFlight.entry;
  const row = rowOf(conversation.dialect, report);
  const slice = row.learn?.(payload, report, conversation.slice) ?? conversation.slice;
  turn.conversation = { ...conversation, outbox: outboxes.answered(conversation.outbox), slice };
  noteExchange(turn, inFlight, payload, null);
  if (isKept(report) && !conversation.kept?.isMotionOnly) {
    change(turn, { stale: true });
    turn.keep ??= 'soon';
  }
  heed(turn, report, row.decode(payload, report), cause);
  closeCall(turn, cause);
}

/** The call in flight has failed. What is kept is tried again for a while; the rest is given up. */
export function callFailed(turn: Turn, error: string, mayRetry = true): void {
  const { conversation, atMs } = turn;
  const { charger, outbox } = conversation;
  const { inFlight } = outbox;
  if (inFlight === null) return;
  const { report, cause, attempts } = inFlight.entry;
  noteExchange(turn, inFlight, null, error);
  if (mayRetry && isKept(report) && attempts + 1 < setting(charger, 'OCPPCommCtrlr.MessageAttempts')) {
    const waitS = setting(charger, 'OCPPCommCtrlr.MessageAttemptInterval') * (attempts + 1);
    change(turn, { outbox: outboxes.retryLater(outbox, atMs + waitS * 1000) });
    closeCall(turn, cause);
    return;
  }
  change(turn, { outbox: outboxes.answered(outbox) });
  if (isKept(report)) {
    giveUp(turn, report);
    turn.keep ??= 'soon';
    const raw = JSON.stringify({ action: inFlight.action, attempts: attempts + 1, error });
    log(turn, { direction: 'internal', kind: 'lifecycle', action: 'message_dropped', raw });
  }
  heed(turn, report, { kind: 'unanswered', why: error }, cause);
  closeCall(turn, cause);
}

/** It will never be told. */
function giveUp(turn: Turn, report: Report): void {
  const { dialect, slice } = turn.conversation;
  change(turn, { stale: true, slice: rowOf(dialect, report).forget?.(report, slice) ?? slice });
}

/** What an answer means to the charger. */
export function heed(turn: Turn, report: Report, answer: Answer, cause: string | null): void {
  if (answer.kind !== 'noted' && answer.kind !== 'time') readMeters(turn);
  const { charger } = turn.conversation;
  const { atMs } = turn;
  switch (report.kind) {
    case 'boot':
      if (answer.kind === 'boot') followInFront(turn, bootAnswered(charger, answer, atMs));
      else if (charger.online) follow(turn, bootUnanswered(charger, atMs), cause);
      return;
    case 'heartbeat':
      if (answer.kind === 'time') setClock(turn, answer.currentTimeMs);
      return;
    case 'authorize': {
      const info =
        answer.kind === 'authorize' ? answer.info : { unanswered: answer.kind === 'unanswered' ? answer.why : '' };
      follow(turn, authorizeAnswered(charger, report, info, atMs), cause);
      return;
    }
    case 'certificate-request':
      if (answer.kind === 'certificate-request' && answer.status === 'Rejected') {
        follow(turn, certificateRefused(charger), cause);
      }
      return;
    case 'raw':
      if (answer.kind === 'raw') changeTaskOf(turn, cause, (task) => ({ ...task, result: bounded(answer.response) }));
      else if (answer.kind === 'unanswered') {
        const failure = { refused: 'csms_error', sentence: answer.why };
        changeTaskOf(turn, cause, (task) => ({ ...task, failure: task.failure ?? failure }));
      }
      return;
    case 'transaction':
      if (answer.kind === 'transaction') {
        follow(turn, sessionAnswered(charger, report, answer.info, atMs), cause);
      }
      return;
  }
}

function setClock(turn: Turn, currentTimeMs: number): void {
  const { charger: before } = turn.conversation;
  if (withClockSet(before, currentTimeMs, turn.atMs) === before) return;
  // What is due on the clock begins anew, from what the registers show now.
  readMeters(turn);
  const charger = withClockSet(turn.conversation.charger, currentTimeMs, turn.atMs);
  follow(turn, everydayEvent(charger, 'SettingSystemTime', turn.atMs), null);
}

function noteExchange(turn: Turn, inFlight: outboxes.InFlight, response: unknown, error: string | null): void {
  const { action, id, payload, sentAtMs, entry } = inFlight;
  if (entry.cause === null) return;
  const exchange = { atMs: sentAtMs, action, messageId: id, request: payload, response: bounded(response), error };
  changeTaskOf(turn, entry.cause, (task) => ({ ...task, exchanges: [...task.exchanges, exchange] }));
}

const closeCall = (turn: Turn, cause: string | null): void =>
  changeTaskOf(turn, cause, (task) => ({ ...task, open: task.open - 1 }));

export function changeTaskOf(turn: Turn, cause: string | null, changeOne: (task: Task) => Task): void {
  const tasks = changeTask(turn.conversation.tasks, cause, changeOne);
  if (tasks !== turn.conversation.tasks) change(turn, { tasks });
}

function endTasks(turn: Turn): void {
  const { tasks } = turn.conversation;
  if (tasks.length === 0 || !tasks.some((task) => task.open <= 0)) return;
  for (const task of tasks) if (task.open <= 0) turn.acts.push({ kind: 'outcome', task });
  change(turn, { tasks: tasks.filter((task) => task.open > 0) });
}

export function log(
  turn: Turn,
  entry: Pick<TalkEntry, 'direction' | 'kind' | 'action' | 'raw'> & Partial<TalkEntry>,
): void {
  const { direction, kind, action, raw, messageId = null, latencyMs = null, commandId = null } = entry;
  const whole = { atMs: turn.atMs, direction, kind, action, messageId, raw, latencyMs, commandId };
  turn.acts.push({ kind: 'log', entry: whole });
}

// One cast, here: TypeScript cannot see that a report and its row have the same kind.
const rowOf = (dialect: Dialect, report: Report): ReportRow<Report['kind']> =>
  dialect.reports[report.kind] as unknown as ReportRow<Report['kind']>;
