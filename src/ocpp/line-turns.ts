// The line comes, goes, and is held; time passes on it; the power fails.

import { connected, disconnected } from '../charger/boot.ts';
import type { Charger } from '../charger/charger.ts';
import { endSessions } from '../charger/charging.ts';
import { letIn, lockedOut } from '../charger/credentials.ts';
import { everydayEvent } from '../charger/security-events.ts';
import { setting } from '../charger/settings.ts';
import {
  type Conversation,
  callFailed,
  change,
  changeTaskOf,
  follow,
  followInFront,
  heed,
  isSpeaking,
  log,
  readMeters,
  say,
  type Turn,
  timeoutMs,
} from './conversation.ts';
import { backedOff, isGoingDown, type Line, pingDueMs, type Restart } from './line.ts';
import { memoryText, resume } from './memory.ts';
import * as outboxes from './outbox.ts';

export function lineOpened(turn: Turn): void {
  const { conversation, atMs } = turn;
  const line: Line = {
    ...conversation.line,
    state: 'connected',
    sinceMs: atMs,
    attempts: 0,
    backOffMs: 0,
    retryAtMs: null,
  };
  log(turn, { direction: 'internal', kind: 'lifecycle', action: 'connected', raw: '{}' });
  turn.acts.push({ kind: 'event', type: 'charger.connected', data: {} });
  change(turn, { line: { ...line, pingedAtMs: atMs } });
  noteCredentials(turn, letIn);
  followInFront(turn, connected(turn.conversation.charger, atMs));
}

/** `distrust`: who did not believe whom, where that is why the line was never opened. */
export function lineClosed(turn: Turn, code: number, reason: string, distrust?: 'by CSMS' | 'of CSMS'): void {
  const { conversation, atMs } = turn;
  const wasConnected = conversation.charger.online;
  const raw = JSON.stringify({ code, reason });
  log(turn, {
    direction: 'internal',
    kind: 'lifecycle',
    action: wasConnected ? 'disconnected' : 'connect_failed',
    raw,
  });
  if (wasConnected) turn.acts.push({ kind: 'event', type: 'charger.disconnected', data: { code, reason } });
  const { outbox, dropped } = outboxes.lineLost(conversation.outbox);
  const waiting = [conversation.outbox.inFlight?.entry, ...conversation.outbox.queue].filter(
    (entry) => entry !== undefined,
  );
  if (conversation.line.state === 'closed') {
    change(turn, { outbox, line: { ...conversation.line, sinceMs: atMs } });
  } else {
    const [line, charger] = backedOff(conversation.line, conversation.charger, atMs, reason);
    change(turn, { outbox, line, charger });
  }
  follow(turn, disconnected(turn.conversation.charger), null);
  if (!wasConnected) {
    noteCredentials(turn, lockedOut);
    // Once is enough, however often it tries.
    if (distrust !== undefined && conversation.line.lastError !== reason) noteDistrust(turn, distrust);
  }
  // A call on the offline queue, or lost with the line, is nothing that a command waits for.
  for (const entry of waiting) changeTaskOf(turn, entry.cause, (task) => ({ ...task, open: task.open - 1 }));
  for (const entry of dropped)
    heed(turn, entry.report, { kind: 'unanswered', why: 'the connection was lost' }, entry.cause);
  if (conversation.line.redial) dial(turn);
  if (conversation.line.restart !== null) goDark(turn, conversation.line.restart);
}

function noteDistrust(turn: Turn, distrust: 'by CSMS' | 'of CSMS'): void {
  const type = distrust === 'by CSMS' ? 'FailedToAuthenticateAtCsms' : 'InvalidCsmsCertificate';
  follow(turn, everydayEvent(turn.conversation.charger, type, turn.atMs), null);
}

/** Whether its credentials let the charger in; of new ones it is worth keeping. */
function noteCredentials(turn: Turn, note: (charger: Charger) => Charger): void {
  const charger = note(turn.conversation.charger);
  if (charger === turn.conversation.charger) return;
  change(turn, { charger });
  turn.keep ??= 'soon';
}

/** Ends what is running, as a reboot does. */
export function endAllSessions(turn: Turn): void {
  const reboot = { trigger: 'ResetCommand', reason: 'Reboot', token: null } as const;
  follow(
    turn,
    endSessions(turn.conversation.charger, () => reboot, turn.atMs),
    null,
  );
}

/** Whether the CSMS has heard everything, or cannot be told now. */
export function hasNothingToSay({ line, charger, outbox }: Conversation): boolean {
  if (line.state !== 'connected' || charger.boot.status !== 'Accepted') return true;
  return outbox.inFlight === null && outbox.queue.length === 0;
}

/** Closes the line for good: it is not dialled again. `abruptly`: without waiting for the other side. */
export function hangUp(turn: Turn, abruptly: boolean): void {
  change(turn, { line: { ...turn.conversation.line, state: 'closed', retryAtMs: null } });
  turn.acts.push(abruptly ? { kind: 'drop' } : { kind: 'close', code: 1000, reason: 'the charger is stopped' });
}

/** The line is cut by hand, or let be again: then it is dialled at once, without the back-off. */
export function holdLine(turn: Turn, wanted: boolean, drop: boolean): void {
  const { line } = turn.conversation;
  if (line.state === 'closed' || wanted !== line.held) return;
  const isGoing = wanted && line.state !== 'offline';
  change(turn, { line: { ...line, held: !wanted, redial: isGoing, retryAtMs: wanted ? line.retryAtMs : null } });
  if (!wanted)
    turn.acts.push(drop ? { kind: 'drop' } : { kind: 'close', code: 1000, reason: 'the line was cut by hand' });
  else if (line.state === 'offline') dial(turn);
}

/** The power goes: the line breaks, and with it everything that is volatile. */
export function cutPower(turn: Turn, offMs: number): void {
  const { line } = turn.conversation;
  const restart = { offMs, reason: 'PowerUp', byMs: null, triesLeft: 0, notBeforeMs: turn.atMs } as const;
  if (line.state === 'offline' || line.state === 'closed') {
    goDark(turn, restart);
    return;
  }
  change(turn, { line: { ...line, restart } });
  turn.acts.push({ kind: 'drop' });
}

/** A charger that is to restart hangs up when everything is said, or has waited for that long enough. */
export function goOnRestarting(turn: Turn): void {
  const { line } = turn.conversation;
  const { restart } = line;
  if (restart === null || restart.byMs === null || turn.atMs < restart.notBeforeMs) return;
  if (turn.atMs < restart.byMs && !hasNothingToSay(turn.conversation)) return;
  if (turn.conversation.charger.faults.some((fault) => fault.errorCode === 'ResetFailure')) {
    failToRestart(turn, restart);
    return;
  }
  if (line.state === 'offline' || line.state === 'closed') {
    goDark(turn, restart);
    return;
  }
  change(turn, { line: { ...line, restart: { ...restart, byMs: null } } });
  turn.acts.push(
    line.state === 'connected' ? { kind: 'close', code: 1001, reason: 'the charger restarts' } : { kind: 'drop' },
  );
}

/** How long after a failed attempt to go down the next is made. */
const restartRetryMs = 10_000;

function failToRestart(turn: Turn, restart: Restart): void {
  const { triesLeft } = restart;
  log(turn, { direction: 'internal', kind: 'lifecycle', action: 'restart_failed', raw: JSON.stringify({ triesLeft }) });
  const next =
    triesLeft === 0 ? null : { ...restart, triesLeft: triesLeft - 1, notBeforeMs: turn.atMs + restartRetryMs };
  change(turn, { line: { ...turn.conversation.line, restart: next } });
}

function restartDueMs(conversation: Conversation): number {
  const { restart } = conversation.line;
  if (restart === null || restart.byMs === null) return Number.POSITIVE_INFINITY;
  return Math.max(restart.notBeforeMs, hasNothingToSay(conversation) ? 0 : restart.byMs);
}

/** Wakes up with what a charger keeps, and dials when the power is back. */
function goDark(turn: Turn, { offMs, reason }: Restart): void {
  readMeters(turn);
  const { conversation, atMs } = turn;
  const { dialect, charger, tasks, line } = conversation;
  const { conversation: fresh, woken } = resume(dialect, charger.station, memoryText(conversation), atMs, reason);
  const dark = {
    ...line,
    state: 'offline',
    attempts: 0,
    retryAtMs: line.held ? null : atMs + offMs,
    restart: null,
  } as const;
  change(turn, { ...fresh, tasks, line: dark });
  follow(turn, woken, null);
  turn.keep = 'now';
}

/** Dials now, unless somebody holds the line. */
export function dial(turn: Turn): void {
  if (turn.conversation.line.held) {
    change(turn, { line: { ...turn.conversation.line, state: 'offline', sinceMs: turn.atMs } });
    return;
  }
  change(turn, { line: { ...turn.conversation.line, state: 'connecting', sinceMs: turn.atMs, retryAtMs: null } });
  turn.acts.push({ kind: 'open' });
}

/** Nothing has come from outside; something is due. */
export function wake(turn: Turn): void {
  const { line, outbox, charger } = turn.conversation;
  if (line.retryAtMs !== null && line.retryAtMs <= turn.atMs) dial(turn);
  if (outbox.inFlight !== null && outbox.inFlight.sentAtMs + timeoutMs(charger) <= turn.atMs) {
    const seconds = setting(charger, 'OCPPCommCtrlr.MessageTimeout');
    callFailed(turn, `no answer from the CSMS within ${seconds} s`);
  }
  if (heartbeatDueMs(turn.conversation) <= turn.atMs && !isAboutToSpeak(turn)) say(turn, { kind: 'heartbeat' }, null);
  if (pingDueMs(line, charger) <= turn.atMs) {
    turn.acts.push({ kind: 'ping' });
    change(turn, { line: { ...turn.conversation.line, pingedAtMs: turn.atMs } });
  }
  goOnRestarting(turn);
}

/** Something else has just come up: a call is as good as a heartbeat. */
const isAboutToSpeak = ({ conversation: { outbox, charger }, atMs }: Turn): boolean =>
  outboxes.nextToSend(outbox, atMs, charger.boot.status === 'Accepted') >= 0;

/** When this conversation must be woken next; Infinity when only the outside can move it. */
export function wakeAtMs(conversation: Conversation): number {
  const { charger, line, outbox, dueMs } = conversation;
  const connectedDueMs =
    line.state === 'connected' && !isGoingDown(line)
      ? Math.min(
          outboxes.outboxDueMs(outbox, timeoutMs(charger), charger.boot.status === 'Accepted'),
          heartbeatDueMs(conversation),
          pingDueMs(line, charger),
        )
      : Number.POSITIVE_INFINITY;
  const lineDueMs = Math.min(line.retryAtMs ?? Number.POSITIVE_INFINITY, restartDueMs(conversation));
  return Math.min(dueMs, lineDueMs, connectedDueMs);
}

/** After an interval without any call; not while an answer is outstanding, whose own time-out comes first. */
function heartbeatDueMs(conversation: Conversation): number {
  const { charger, outbox, line } = conversation;
  // What waits in the outbox then waits for a retry: anything else has been sent.
  if (!isSpeaking(conversation) || outbox.inFlight !== null || isGoingDown(line)) return Number.POSITIVE_INFINITY;
  return Math.max(outbox.lastCallMs, charger.boot.atMs) + setting(charger, 'OCPPCommCtrlr.HeartbeatInterval') * 1000;
}
