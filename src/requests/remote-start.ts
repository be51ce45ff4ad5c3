// The CSMS starts a transaction from afar.

import { accepted, authorize, refusesToStart } from '../charger/authorization.ts';
import { type Charger, connectorAt, isRefusal, type Step, step } from '../charger/charger.ts';
import { openEnd } from '../charger/session.ts';
import { setting } from '../charger/settings.ts';
import type { RequestHandler, Requests } from './request.ts';

export const remoteStart: RequestHandler<'remote-start'> = {
  kind: 'remote-start',
  answer(charger, request, atMs) {
    if (request.outlets?.length === 0) {
      return { ...step(charger), answer: { status: 'Rejected', reasonCode: 'UnknownEvse' } };
    }
    const outlet = chooseOutlet(charger, request.outlets ?? [...charger.connectors.keys()]);
    if (charger.boot.status !== 'Accepted') {
      return { ...step(charger), answer: { status: 'Rejected', reasonCode: 'CSNotAccepted' } };
    }
    if (outlet === null || connectorAt(charger, outlet).waiting !== null) {
      return { ...step(charger), answer: { status: 'Rejected', reasonCode: 'TxInProgress' } };
    }
    return { ...begin(charger, outlet, request, atMs), answer: { status: 'Accepted' } };
  },
};

function begin(charger: Charger, outlet: number, request: Requests['remote-start'], atMs: number): Step {
  const plan = { ...openEnd, remoteStartId: request.remoteStartId };
  if (!setting(charger, 'AuthCtrlr.AuthorizeRemoteStart')) {
    return accepted(charger, outlet, { token: request.token, plan, parentIdTag: null }, atMs);
  }
  const asked = authorize(charger, request.token, { kind: 'start', outlet, plan }, atMs);
  return isRefusal(asked) ? step(charger) : asked;
}

/** The outlet where a car waits, else the first free one; none when several cars wait. */
function chooseOutlet(charger: Charger, outlets: readonly number[]): number | null {
  const free = outlets.filter((outlet) => refusesToStart(charger, outlet) === null);
  const plugged = free.filter((outlet) => connectorAt(charger, outlet).ev !== null);
  if (plugged.length > 0) return plugged.length === 1 ? (plugged[0] ?? null) : null;
  return free[0] ?? null;
}
