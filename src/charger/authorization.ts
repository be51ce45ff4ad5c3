// Whether a token may charge: asked of the CSMS or decided alone, and what follows from the answer.

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
import { isBlocked } from './connector.ts';
import type { Token, TokenInfo } from './report.ts';
import type { SessionPlan } from './session.ts';
import { setting } from './settings.ts';
import { connectorRef } from './station.ts';

/** Why no transaction could begin here now, whoever asks; null when one could. */
export function refusesToStart(charger: Charger, outlet: number): Refusal | null {
  const connector = connectorAt(charger, outlet);
  if (connector.session !== null) {
    return refuse('transaction_active', `a transaction is already active on ${named(charger, outlet)}`);
  }
  if (isBlocked(connector.faults) || isBlocked(charger.faults)) {
    return refuse('faulted', `${named(charger, outlet)} is faulted`);
  }
  if (!connector.operative) return refuse('unavailable', `${named(charger, outlet)} is unavailable`);
  return null;
}

/** A driver presents a token to start charging at this outlet. */
export function authorizeStart(
  charger: Charger,
  outlet: number,
  token: Token,
  plan: SessionPlan,
  atMs: number,
): Step | Refusal {
  const refusal = refusesToStart(charger, outlet);
  if (refusal !== null) return refusal;
  const longest = setting(charger, 'AuthCtrlr.IdTokenMaxLength');
  if (token.idTag.length > longest) {
    return refuse(
      'id_tag_too_long',
      `the id tag has ${token.idTag.length} characters, and this charger can send ${longest}`,
    );
  }
  if (!charger.online) {
    if (!setting(charger, 'AuthCtrlr.OfflineTxForUnknownIdEnabled')) {
      return refuse('token_unknown_offline', 'the charger is offline and does not know this id tag');
    }
    return accepted(charger, outlet, token, plan, null, atMs);
  }
  if (charger.boot.status !== 'Accepted') {
    const status = charger.boot.status === 'none' ? 'no answer yet' : charger.boot.status;
    return refuse('not_accepted', `the CSMS has not accepted the charger (boot: ${status})`);
  }
  const asking = withConnector(charger, outlet, { authorization: { stage: 'asking', token, plan } });
  const connector = connectorRef(charger.station, outlet);
  return step(asking, [{ kind: 'report', report: { kind: 'authorize', token, connector } }]);
}

/** The CSMS has spoken about a token that was asked for. */
export function authorizationAnswered(
  charger: Charger,
  outlet: number,
  token: Token,
  info: TokenInfo | { readonly unanswered: string },
  atMs: number,
): Step {
  const { authorization } = connectorAt(charger, outlet);
  if (authorization?.stage !== 'asking' || authorization.token !== token) return step(charger);
  const cleared = withConnector(charger, outlet, { authorization: null });
  if ('unanswered' in info) {
    return failed(
      cleared,
      'token_unanswered',
      `the CSMS did not say whether the id tag may charge: ${info.unanswered}`,
    );
  }
  if (info.status !== 'Accepted') {
    return failed(cleared, 'token_refused', `the CSMS refused the id tag: ${info.status}`);
  }
  const refusal = refusesToStart(cleared, outlet);
  if (refusal !== null) return failed(cleared, refusal.refused, refusal.sentence);
  return accepted(cleared, outlet, token, authorization.plan, info.parentIdTag, atMs);
}

/** May charge: starts where a car is plugged in, waits for one elsewhere. */
export function accepted(
  charger: Charger,
  outlet: number,
  token: Token,
  plan: SessionPlan,
  parentIdTag: string | null,
  atMs: number,
): Step {
  if (connectorAt(charger, outlet).ev !== null) {
    return beginSession(charger, outlet, { token, parentIdTag, plan, trigger: 'Authorized' }, atMs);
  }
  const untilMs = atMs + setting(charger, 'TxCtrlr.EVConnectionTimeOut') * 1000;
  const authorization = { stage: 'waiting', token, plan, parentIdTag, untilMs } as const;
  return reportChanges(withConnector(charger, outlet, { authorization }), atMs);
}

/** A car has come to an outlet: a token that waits there starts the transaction. */
export function startWaiting(charger: Charger, outlet: number, atMs: number): Step {
  const { authorization } = connectorAt(charger, outlet);
  if (authorization?.stage !== 'waiting' || refusesToStart(charger, outlet) !== null) return step(charger);
  const { token, plan, parentIdTag } = authorization;
  return beginSession(charger, outlet, { token, plan, parentIdTag, trigger: 'CablePluggedIn' }, atMs);
}

/** Nobody plugged in within the connection time-out. */
export function giveUpWaiting(charger: Charger, outlet: number, atMs: number): Step {
  return reportChanges(withConnector(charger, outlet, { authorization: null }), atMs);
}

/** The CSMS comments on the token of a running transaction; anything but acceptance ends or pauses it. */
export function sessionAnswered(charger: Charger, sessionId: string, info: TokenInfo | null, atMs: number): Step {
  const outlet = charger.connectors.findIndex((connector) => connector.session?.id === sessionId);
  const session = charger.connectors[outlet]?.session;
  if (info === null || session === null || session === undefined || session.deauthorized) return step(charger);
  if (info.status === 'Accepted') {
    if (info.parentIdTag === null || info.parentIdTag === session.parentIdTag) return step(charger);
    return step(withConnector(charger, outlet, { session: { ...session, parentIdTag: info.parentIdTag } }));
  }
  const refused = failed(charger, 'token_refused', `the CSMS refused the id tag: ${info.status}`);
  return andThen(refused, (next) => {
    if (setting(next, 'TxCtrlr.StopTxOnInvalidId')) {
      return endSession(next, outlet, { trigger: 'Deauthorized', reason: 'DeAuthorized', token: null }, atMs);
    }
    return reportChanges(withConnector(next, outlet, { session: { ...session, deauthorized: true } }), atMs);
  });
}

const failed = (charger: Charger, refused: string, sentence: string): Step =>
  step(charger, [{ kind: 'fail', refused, sentence }]);
