// The CSMS starts a transaction from afar.

import { accepted, authorize, refusesToStart } from '../charger/authorization.ts';
import { type Charger, connectorAt, isRefusal, type Step, step } from '../charger/charger.ts';
import { acceptTxProfile } from '../charger/profiles.ts';
import { dependsOnGroup, refusesBearer } from '../charger/reservations.ts';
import { openEnd } from '../charger/session.ts';
import { setting } from '../charger/settings.ts';
import type { RequestHandler, Requests } from './request.ts';

type Start = Requests['remote-start'];

export const remoteStart: RequestHandler<'remote-start'> = {
  kind: 'remote-start',
  answer(charger, request, atMs) {
    const refused = (reasonCode: string) => ({ ...step(charger), answer: { status: 'Rejected', reasonCode } as const });
    if (request.outlets?.length === 0) return refused('UnknownEvse');
    if (charger.boot.status !== 'Accepted') return refused('CSNotAccepted');
    const profile = request.profile === undefined ? undefined : acceptTxProfile(charger, request.profile);
    if (profile !== undefined && 'refused' in profile) return refused(profile.refused);
    const outlet = chooseOutlet(charger, request);
    if (outlet === null || connectorAt(charger, outlet).waiting !== null) return refused('TxInProgress');
    const plan = {
      ...openEnd,
      remoteStartId: request.remoteStartId,
      ...(profile === undefined ? {} : { profile }),
    };
    return { ...begin(charger, outlet, request, plan, atMs), answer: { status: 'Accepted' } };
  },
};

function begin(charger: Charger, outlet: number, { token }: Start, plan: typeof openEnd, atMs: number): Step {
  const bearer = { token, parentIdTag: null };
  // For a reserved outlet the CSMS must say whether the token is of the right group.
  if (!setting(charger, 'AuthCtrlr.AuthorizeRemoteStart') && refusesBearer(charger, outlet, bearer) === null) {
    return accepted(charger, outlet, { ...bearer, plan }, atMs);
  }
  const asked = authorize(charger, token, { kind: 'start', outlet, plan }, atMs);
  return isRefusal(asked) ? step(charger) : asked;
}

/** The outlet that is reserved for the token, else where a car waits, else the first free one; none when several cars wait. */
function chooseOutlet(charger: Charger, { outlets, token }: Start): number | null {
  const free = (outlets ?? [...charger.connectors.keys()]).filter((outlet) => mayStart(charger, outlet, token));
  const reserved = free.find((outlet) => connectorAt(charger, outlet).reservation !== null);
  if (reserved !== undefined) return reserved;
  const plugged = free.filter((outlet) => connectorAt(charger, outlet).ev !== null);
  if (plugged.length > 0) return plugged.length === 1 ? (plugged[0] ?? null) : null;
  return free[0] ?? null;
}

const mayStart = (charger: Charger, outlet: number, token: Start['token']): boolean =>
  refusesToStart(charger, outlet) === null &&
  (refusesBearer(charger, outlet, { token, parentIdTag: null }) === null || dependsOnGroup(charger, outlet, token));
