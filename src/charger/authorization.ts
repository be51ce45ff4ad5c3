// Whether a token may charge: decided alone or asked of the CSMS, and what follows from the answer.

import { reportChanges } from './changes.ts';
import {
  andThen,
  type Charger,
  connectorAt,
  named,
  type Refusal,
  refuse,
  type Step,
  step,
  withConnector,
} from './charger.ts';
import { beginSession, endSession } from './charging.ts';
import { clockMs } from './clock.ts';
import { isBlocked, type Waiting } from './connector.ts';
import { injectFault } from './faulting.ts';
import { isUpdating } from './firmware-update.ts';
import { listConflict } from './local-list.ts';
import { release } from './lock.ts';
import type { AuthorizeReport, Intent, Token, TokenInfo, TransactionReport } from './report.ts';
import { type Bearer, dependsOnGroup, refusesBearer } from './reservations.ts';
import { updateSession } from './session.ts';
import { listSetting, setting } from './settings.ts';
import { inUse, siblingInUse } from './siblings.ts';
import { cached, listed, sameToken, statusNow, withCached } from './tokens.ts';

/** Where a verdict comes from. */
export type VerdictSource = 'csms' | 'local_list' | 'cache' | 'offline_unknown' | 'token_type' | 'transaction';

interface Verdict {
  readonly status: string;
  readonly parentIdTag: string | null;
  readonly source: VerdictSource;
}

/** Why no transaction could begin here now; null when one could. Without a bearer: for whoever may. */
export function refusesToStart(charger: Charger, outlet: number, bearer: Bearer | null = null): Refusal | null {
  const connector = connectorAt(charger, outlet);
  if (connector.session !== null) {
    return refuse('transaction_active', `a transaction is already active on ${named(charger, outlet)}`);
  }
  if (isBlocked(connector.faults) || isBlocked(charger.faults)) {
    return refuse('faulted', `${named(charger, outlet)} is faulted`);
  }
  if (!connector.operative || !charger.operative || isUpdating(charger.firmware))
    return refuse('unavailable', `${named(charger, outlet)} is unavailable`);
  const sibling = siblingInUse(charger, outlet);
  if (sibling !== null) return inUse(charger, sibling);
  return bearer === null ? null : refusesBearer(charger, outlet, bearer);
}

/** A token is presented, to whatever end: decided at once where the charger may, asked of the CSMS elsewhere. */
export function authorize(charger: Charger, token: Token, intent: Intent, atMs: number): Step | Refusal {
  const longest = setting(charger, 'AuthCtrlr.IdTokenMaxLength');
  if (token.idTag.length > longest) {
    return refuse(
      'id_tag_too_long',
      `the id tag has ${token.idTag.length} characters, and this charger can send ${longest}`,
    );
  }
  const types = listSetting(setting(charger, 'AuthCtrlr.IdTokenTypes'));
  if (types.length > 0 && !types.includes(token.type)) {
    return refuse('unknown_token_type', `this charger knows the token types ${types.join(', ')}, not ${token.type}`);
  }
  if (intent.kind === 'start' && !dependsOnGroup(charger, intent.outlet, token)) {
    const kept = refusesBearer(charger, intent.outlet, { token, parentIdTag: null });
    if (kept !== null) return kept;
  }
  if (outletsAt(charger, intent.outlet).every((outlet) => isFaulted(charger, outlet))) {
    return refuse('faulted', 'no connector here is free of faults');
  }
  // The tag that started a session may always stop it, whatever the CSMS would say.
  const own = intent.kind === 'present' ? ownSession(charger, intent.outlet, token, null) : undefined;
  if (own !== undefined) {
    const result = { kind: 'result', value: { status: 'Accepted', source: 'transaction' } } as const;
    return andThen(step(charger, [result]), (next) =>
      endSession(next, own, { trigger: 'StopAuthorized', reason: 'Local', token }, atMs),
    );
  }
  if (charger.online && charger.boot.status !== 'Accepted') {
    const status = charger.boot.status === 'none' ? 'no answer yet' : charger.boot.status;
    return refuse('not_accepted', `the CSMS has not accepted the charger (boot: ${status})`);
  }
  const verdict = decideAlone(charger, token, atMs);
  if (verdict !== null) return act(charger, token, intent, verdict, atMs);
  if (!charger.online) {
    return refuse('token_unknown_offline', 'the charger is offline and does not know this id tag');
  }
  return step(charger, [{ kind: 'report', report: { kind: 'authorize', token, intent } }]);
}

/** Null: the CSMS must be asked. Offline a known token is decided alone, an unknown one by configuration. */
function decideAlone(charger: Charger, token: Token, atMs: number): Verdict | null {
  const { online } = charger;
  if (listSetting(setting(charger, 'AuthCtrlr.TrustedTokenTypes')).includes(token.type)) {
    return { status: 'Accepted', parentIdTag: null, source: 'token_type' };
  }
  const mayDecide = setting(charger, online ? 'AuthCtrlr.LocalPreAuthorize' : 'AuthCtrlr.LocalAuthorizeOffline');
  const known = mayDecide ? lookUp(charger, token, atMs) : null;
  if (known !== null) {
    const status = statusNow(known.info, clockMs(charger, atMs));
    // Online, what is known to be bad may have become good: the CSMS decides.
    if (status === 'Accepted' || !online) {
      return { status, parentIdTag: known.info.parentIdTag, source: known.source };
    }
  } else if (!online && setting(charger, 'AuthCtrlr.OfflineTxForUnknownIdEnabled')) {
    return { status: 'Accepted', parentIdTag: null, source: 'offline_unknown' };
  }
  return null;
}

/** The list comes before the cache. */
function lookUp(
  charger: Charger,
  token: Token,
  atMs: number,
): { info: TokenInfo; source: 'local_list' | 'cache' } | null {
  const inList = setting(charger, 'LocalAuthListCtrlr.Enabled') ? listed(charger.localList, token.idTag) : null;
  if (inList !== null) return { info: inList, source: 'local_list' };
  const inCache = setting(charger, 'AuthCacheCtrlr.Enabled') ? cached(charger.tokenCache, token.idTag) : null;
  // What the cache knew until some date it does not know any more.
  if (inCache === null || (inCache.expiresAtMs ?? Number.POSITIVE_INFINITY) <= clockMs(charger, atMs)) return null;
  return { info: inCache, source: 'cache' };
}

/** The CSMS has spoken about a token that was asked for, or has not. */
export function authorizeAnswered(
  charger: Charger,
  { token, intent }: AuthorizeReport,
  answer: TokenInfo | { readonly unanswered: string },
  atMs: number,
): Step {
  if ('unanswered' in answer) {
    const sentence = `the CSMS did not say whether the id tag may charge: ${answer.unanswered}`;
    return step(charger, [{ kind: 'fail', refused: 'token_unanswered', sentence }]);
  }
  const status = statusNow(answer, clockMs(charger, atMs));
  const verdict = { status, parentIdTag: answer.parentIdTag, source: 'csms' } as const;
  return andThen(remembered(charger, token, answer, atMs), (next) => act(next, token, intent, verdict, atMs));
}

/** What the CSMS says of a token is kept for the next time, unless the local list speaks for it: then the two must agree. */
function remembered(charger: Charger, token: Token, info: TokenInfo, atMs: number): Step {
  // Whether a token charges elsewhere is true of the moment only.
  if (info.status === 'ConcurrentTx') return step(charger);
  const known = setting(charger, 'LocalAuthListCtrlr.Enabled') ? listed(charger.localList, token.idTag) : null;
  if (known !== null) {
    const isSame = statusNow(known, clockMs(charger, atMs)) === info.status;
    return isSame ? step(charger) : injectFault(charger, null, listConflict, atMs);
  }
  if (!setting(charger, 'AuthCacheCtrlr.Enabled')) return step(charger);
  return step({ ...charger, tokenCache: withCached(charger.tokenCache, token.idTag, info) });
}

function act(charger: Charger, token: Token, intent: Intent, verdict: Verdict, atMs: number): Step {
  if (intent.kind === 'start') return actOnStart(charger, token, intent, verdict, atMs);
  const result = step(charger, [{ kind: 'result', value: { status: verdict.status, source: verdict.source } }]);
  return verdict.status === 'Accepted'
    ? andThen(result, (next) => presented(next, token, verdict.parentIdTag, intent, atMs))
    : result;
}

function actOnStart(
  charger: Charger,
  token: Token,
  { outlet, plan }: Extract<Intent, { kind: 'start' }>,
  { status, parentIdTag }: Verdict,
  atMs: number,
): Step {
  if (status !== 'Accepted') return failed(charger, 'token_refused', `the id tag was refused: ${status}`);
  const refusal = refusesToStart(charger, outlet, { token, parentIdTag });
  if (refusal !== null) return failed(charger, refusal.refused, refusal.sentence);
  return accepted(charger, outlet, { token, plan, parentIdTag }, atMs);
}

/** A driver's accepted token at the reader: stops its own session, starts where a car waits, or waits for one. */
function presented(
  charger: Charger,
  token: Token,
  parentIdTag: string | null,
  { outlet, plan }: Extract<Intent, { kind: 'present' }>,
  atMs: number,
): Step {
  const own = ownSession(charger, outlet, token, parentIdTag);
  if (own !== undefined) {
    return endSession(charger, own, { trigger: 'StopAuthorized', reason: 'Local', token }, atMs);
  }
  const outlets = outletsAt(charger, outlet);
  // The same tag again takes back what it had asked for.
  if (charger.waiting !== null && sameToken(charger.waiting.token.idTag, token.idTag)) {
    return giveUpWaiting(charger, null, atMs);
  }
  const waiting = outlets.find((each) => sameToken(connectorAt(charger, each).waiting?.token.idTag ?? '', token.idTag));
  if (waiting !== undefined) return giveUpWaiting(charger, waiting, atMs);
  const held = outlets.find((each) => isHeld(charger, each));
  if (held !== undefined) return release(charger, held, atMs);
  const free = outlets.filter((each) => refusesToStart(charger, each, { token, parentIdTag }) === null);
  const plugged = free.filter((each) => connectorAt(charger, each).ev !== null);
  const chosen =
    plugged.length === 1 || outlet !== null ? (plugged[0] ?? free[0]) : free.length === 1 ? free[0] : undefined;
  if (chosen !== undefined) return accepted(charger, chosen, { token, plan, parentIdTag }, atMs);
  if (free.length === 0) return failed(charger, 'no_free_connector', 'no connector is free for this id tag');
  const reserved = free.find((each) => connectorAt(charger, each).reservation !== null);
  if (reserved !== undefined) return accepted(charger, reserved, { token, plan, parentIdTag }, atMs);
  return step({ ...charger, waiting: waitingUntil(charger, { token, plan, parentIdTag }, atMs) });
}

const isFaulted = (charger: Charger, outlet: number): boolean =>
  isBlocked(charger.faults) || isBlocked(connectorAt(charger, outlet).faults);

/** The car is gone and its cable is still locked in: the driver's token releases it. */
function isHeld(charger: Charger, outlet: number): boolean {
  const { ev, locked, afterSession } = connectorAt(charger, outlet);
  return ev === null && locked && afterSession;
}

const outletsAt = (charger: Charger, outlet: number | null): readonly number[] =>
  outlet === null ? [...charger.connectors.keys()] : [outlet];

/** The outlet whose session this token may stop. */
const ownSession = (
  charger: Charger,
  outlet: number | null,
  token: Token,
  parentIdTag: string | null,
): number | undefined => outletsAt(charger, outlet).find((each) => mayStop(charger, each, token, parentIdTag));

/** The tag that started it may stop it, and so may one of the same group. */
function mayStop(charger: Charger, outlet: number, token: Token, parentIdTag: string | null): boolean {
  const { session } = connectorAt(charger, outlet);
  if (session === null) return false;
  return (
    sameToken(session.token.idTag, token.idTag) ||
    (parentIdTag !== null && session.parentIdTag !== null && sameToken(parentIdTag, session.parentIdTag))
  );
}

type Grant = Omit<Waiting, 'untilMs'>;

/** May charge: starts where a car is plugged in, waits for one elsewhere. */
export function accepted(charger: Charger, outlet: number, grant: Grant, atMs: number): Step {
  const { ev, afterSession } = connectorAt(charger, outlet);
  if (ev !== null) {
    // A second session without a new plug: the connector is seen to prepare for it.
    const ready = afterSession
      ? reportChanges(withConnector(charger, outlet, { afterSession: false }), atMs)
      : step(charger);
    return andThen(ready, (next) => beginSession(next, outlet, { ...grant, trigger: 'Authorized' }, atMs));
  }
  return reportChanges(withConnector(charger, outlet, { waiting: waitingUntil(charger, grant, atMs) }), atMs);
}

const waitingUntil = (charger: Charger, grant: Grant, atMs: number): Waiting => ({
  ...grant,
  untilMs: atMs + setting(charger, 'TxCtrlr.EVConnectionTimeOut') * 1000,
});

/** A car has come to an outlet: a token that waits there, or at the station, starts the transaction. */
export function startWaiting(charger: Charger, outlet: number, atMs: number): Step {
  const waiting = connectorAt(charger, outlet).waiting ?? charger.waiting;
  if (waiting === null || refusesToStart(charger, outlet, waiting) !== null) return step(charger);
  const { token, plan, parentIdTag } = waiting;
  const start = { token, plan, parentIdTag, trigger: 'CablePluggedIn' } as const;
  return beginSession(
    { ...charger, waiting: charger.waiting === waiting ? null : charger.waiting },
    outlet,
    start,
    atMs,
  );
}

/** Nobody plugged in within the connection time-out. `outlet` null: the token waited at the station. */
export function giveUpWaiting(charger: Charger, outlet: number | null, atMs: number): Step {
  if (outlet === null) return step({ ...charger, waiting: null });
  return reportChanges(withConnector(charger, outlet, { waiting: null }), atMs);
}

/** The CSMS comments on the token of a running transaction; anything but acceptance ends or pauses it. */
export function sessionAnswered(charger: Charger, report: TransactionReport, info: TokenInfo, atMs: number): Step {
  const kept = report.token === null ? step(charger) : remembered(charger, report.token, info, atMs);
  return andThen(kept, (known) => tokenCommented(known, report, info, atMs));
}

function tokenCommented(known: Charger, report: TransactionReport, info: TokenInfo, atMs: number): Step {
  const outlet = known.connectors.findIndex((connector) => connector.session?.id === report.sessionId);
  const session = known.connectors[outlet]?.session;
  if (session == null || session.deauthorized || session.graceUntilWh !== null) return step(known);
  if (info.status === 'Accepted') {
    if (info.parentIdTag === null || info.parentIdTag === session.parentIdTag) return step(known);
    return step(withConnector(known, outlet, { session: { ...session, parentIdTag: info.parentIdTag } }));
  }
  const isMissed = report.phase === 'started' && session.plan.mustStart;
  const refused = isMissed
    ? failed(known, 'token_refused', `the CSMS refused the id tag: ${info.status}`)
    : step(known);
  return andThen(refused, (next) => {
    if (setting(next, 'TxCtrlr.StopTxOnInvalidId')) {
      return endSession(next, outlet, { trigger: 'Deauthorized', reason: 'DeAuthorized', token: null }, atMs);
    }
    const graceWh = setting(next, 'TxCtrlr.MaxEnergyOnInvalidId');
    if (graceWh === 0) return withdrawEnergy(next, outlet, atMs);
    const graceUntilWh = connectorAt(next, outlet).meterWh + graceWh;
    return step(withConnector(next, outlet, { session: { ...session, graceUntilWh } }));
  });
}

/** The transaction goes on without energy. */
export function withdrawEnergy(charger: Charger, outlet: number, atMs: number): Step {
  const { session } = connectorAt(charger, outlet);
  if (session === null) return step(charger);
  const paused = withConnector(charger, outlet, { session: { ...session, deauthorized: true, graceUntilWh: null } });
  return andThen(updateSession(paused, outlet, 'Deauthorized', 'Other', atMs), (told) => reportChanges(told, atMs));
}

const failed = (charger: Charger, refused: string, sentence: string): Step =>
  step(charger, [{ kind: 'fail', refused, sentence }]);
