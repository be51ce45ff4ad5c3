// What arrives from the CSMS: answers to the call in flight, requests, and whatever else a socket can carry.

import type { Charger } from '../charger/charger.ts';
import type { ErrandResult } from '../charger/errand.ts';
import { listSetting, setting } from '../charger/settings.ts';
import { requestHandlers } from '../requests/index.ts';
import type { Answered, Request, RequestAnswer, RequestHandler, Requests } from '../requests/request.ts';
import { callAnswered, callFailed, follow, log, type ReplyHandle, readMeters, type Turn } from './conversation.ts';
import { type Complaint, complaintOf, type Dialect, type RequestRow } from './dialect.ts';
import { errorText, type Frame, noId, type Payload, readFrame, resultText } from './frame.ts';
import { goOnRestarting } from './line-turns.ts';
import { masked } from './masking.ts';

export function hear(turn: Turn, text: string): void {
  const frame = readFrame(text);
  switch (frame.kind) {
    case 'call':
      log(turn, { direction: 'in', kind: 'call', action: frame.action, messageId: frame.id, raw: masked(text) });
      readMeters(turn);
      answerRequest(turn, frame);
      goOnRestarting(turn);
      return;
    case 'result':
    case 'error':
      hearAnswer(turn, frame, text);
      goOnRestarting(turn);
      return;
    case 'unknown':
      log(turn, { direction: 'in', kind: 'error', action: null, messageId: frame.id, raw: masked(text) });
      if (turn.conversation.dialect.silentTypes.includes(frame.type)) return;
      complain(turn, frame.id, 'unknownMessageType', `message type ${frame.type} is not known`, null);
      return;
    case 'malformed':
      log(turn, {
        direction: 'in',
        kind: 'error',
        action: null,
        messageId: null,
        raw: masked(text.slice(0, maxLoggedLength)),
      });
      // An answer is never answered, not even a broken one.
      if (frame.answerable) complain(turn, frame.id, 'malformed', frame.why, null);
  }
}

const maxLoggedLength = 10_000;

function hearAnswer(turn: Turn, frame: Extract<Frame, { kind: 'result' | 'error' }>, text: string): void {
  const { outbox, dialect } = turn.conversation;
  const { inFlight } = outbox;
  const mine = inFlight !== null && inFlight.id === frame.id;
  log(turn, {
    direction: 'in',
    kind: frame.kind,
    action: mine ? inFlight.action : null,
    messageId: frame.id,
    raw: masked(text),
    latencyMs: mine ? turn.atMs - inFlight.sentAtMs : null,
    commandId: mine ? inFlight.entry.cause : null,
  });
  // Late, repeated or never asked for: nothing to be done with it.
  if (!mine) return;
  if (frame.kind === 'error') {
    callFailed(turn, `the CSMS answered CALLERROR ${frame.code}: ${frame.description}`);
    return;
  }
  const validator = dialect.validators.responses[inFlight.action];
  if (validator === undefined || validator(frame.payload)) {
    callAnswered(turn, frame.payload as Payload);
    return;
  }
  const { sentence } = complaintOf(validator);
  // It has been heard and answered: saying it again would make it happen twice.
  callFailed(turn, `the CSMS's answer does not match its schema: ${sentence}`, false);
}

function answerRequest(turn: Turn, call: Extract<Frame, { kind: 'call' }>): void {
  const { dialect, charger, slice } = turn.conversation;
  const { id, action, payload } = call;
  const validator = Object.hasOwn(dialect.validators.requests, action)
    ? dialect.validators.requests[action]
    : undefined;
  if (validator === undefined) {
    complain(turn, id, 'notImplemented', `action ${action.slice(0, 50)} is not known`, action);
    return;
  }
  const row = Object.hasOwn(dialect.requests, action) ? dialect.requests[action] : undefined;
  if (row === undefined || isLeftOut(dialect, action, charger)) {
    complain(turn, id, 'notSupported', `${action} is not supported`, action);
    return;
  }
  if (!validator(payload)) {
    const { complaint, sentence } = complaintOf(validator);
    complain(turn, id, complaint, sentence, action);
    return;
  }
  if (charger.boot.status === 'Rejected') {
    complain(turn, id, 'notAccepted', 'the charger has not been accepted', action);
    return;
  }
  const request = row.decode(payload as Payload, { station: charger.station, slice });
  answerWith(turn, id, action, row as RequestRow<keyof Requests>, request);
}

/** Somebody has taken the feature that the action belongs to out of the charger. */
function isLeftOut({ features }: Dialect, action: string, charger: Charger): boolean {
  const feature = features[action];
  return feature !== undefined && !listSetting(setting(charger, 'ChargingStation.FeatureProfiles')).includes(feature);
}

function answerWith<Kind extends keyof Requests>(
  turn: Turn,
  id: string,
  action: string,
  row: RequestRow<Kind>,
  request: Request,
): void {
  const handler = requestHandlers[row.kind] as unknown as RequestHandler<Kind>;
  const { charger, line } = turn.conversation;
  const step = handler.answer(charger, request as unknown as Requests[Kind], turn.atMs);
  if ('misfit' in step) {
    complain(turn, id, step.misfit, step.sentence, action);
    return;
  }
  if ('after' in step) {
    follow(turn, step, null);
    const reply = { messageId: id, action, request, lineSinceMs: line.sinceMs };
    turn.acts.push({ kind: 'errand', errand: step.after, reply });
    return;
  }
  reply(turn, id, action, row, step);
}

/** The errand that an answer waited for has been done. On another line nobody waits for the answer any more. */
export function answerAfterErrand(turn: Turn, handle: ReplyHandle, result: ErrandResult): void {
  const { dialect, charger, line } = turn.conversation;
  const { messageId, action, request, lineSinceMs } = handle;
  const handler = requestHandlers[request.kind] as unknown as RequestHandler<keyof Requests>;
  const step = handler.answerAfter?.(charger, request as unknown as Requests[keyof Requests], result, turn.atMs);
  const row = dialect.requests[action] as RequestRow<keyof Requests> | undefined;
  if (step === undefined || row === undefined) throw new Error(`bug: nobody answers ${action} after an errand`);
  if (line.state === 'connected' && line.sinceMs === lineSinceMs) reply(turn, messageId, action, row, step);
  else follow(turn, step, null);
}

function reply<Kind extends keyof Requests>(
  turn: Turn,
  id: string,
  action: string,
  row: RequestRow<Kind>,
  step: Answered<Kind>,
): void {
  // What the CSMS has changed is on record before it is told so.
  if (step.charger !== turn.conversation.charger) turn.keep = 'now';
  const payload = row.encode(step.answer as RequestAnswer<Kind>);
  const validator = turn.conversation.dialect.validators.responses[action];
  if (validator !== undefined && !validator(payload)) {
    throw new Error(`bug: own answer to ${action} does not match its schema: ${complaintOf(validator).sentence}`);
  }
  const text = resultText(id, payload);
  turn.acts.push({ kind: 'send', text });
  log(turn, { direction: 'out', kind: 'result', action, messageId: id, raw: masked(text) });
  follow(turn, step, null);
}

function complain(turn: Turn, id: string, complaint: Complaint, sentence: string, action: string | null): void {
  const text = errorText(id, turn.conversation.dialect.complaints[complaint], sentence);
  turn.acts.push({ kind: 'send', text });
  log(turn, { direction: 'out', kind: 'error', action, messageId: id === noId ? null : id, raw: text });
}
