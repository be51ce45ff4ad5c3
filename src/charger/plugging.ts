// What a driver and a car do at an outlet: plug in, unplug, ask for energy, stop taking it.

import { startWaiting } from './authorization.ts';
import type { EvSpec } from './battery.ts';
import { reportChanges } from './changes.ts';
import {
  andThen,
  type Charger,
  connectorAt,
  named,
  type Refusal,
  refuse,
  type Step,
  withConnector,
} from './charger.ts';
import { endSession } from './charging.ts';
import { type Ev, newEv } from './connector.ts';
import { isJammed, moveLock, refusesToOpen } from './lock.ts';
import { updateSession } from './session.ts';
import { setting } from './settings.ts';
import { inUse, siblingInUse } from './siblings.ts';
import { specOf } from './station.ts';

export function plugIn(charger: Charger, outlet: number, ev: EvSpec, atMs: number): Step | Refusal {
  if (connectorAt(charger, outlet).ev !== null) {
    return refuse('already_plugged', `${named(charger, outlet)} is already plugged`);
  }
  const spec = specOf(charger.station, outlet);
  const sibling = siblingInUse(charger, outlet);
  if (sibling !== null) return inUse(charger, sibling);
  return cableIn(charger, outlet, newEv(ev, spec), atMs);
}

/** A socket takes hold of the cable; then a token that waits for a car may start. */
function cableIn(charger: Charger, outlet: number, ev: Ev, atMs: number): Step {
  const plugged = reportChanges(withConnector(charger, outlet, { ev, afterSession: false }), atMs);
  const held = andThen(plugged, (next) => moveLock(next, outlet, true, atMs));
  return andThen(held, (next) => startWaiting(next, outlet, atMs));
}

export function unplug(charger: Charger, outlet: number, atMs: number): Step | Refusal {
  const connector = connectorAt(charger, outlet);
  const { session, locked } = connector;
  if (connector.ev === null) return notPlugged(charger, outlet);
  if (locked && isJammed(connector)) return refusesToOpen(charger, outlet);
  // The car's end comes out; what the socket does with its own end is a setting.
  const isHeld = session !== null && locked && !setting(charger, 'OCPPCommCtrlr.UnlockOnEVSideDisconnect');
  const change = { ev: null, afterSession: false, setPointW: null, locked: isHeld };
  const unplugged = withConnector(charger, outlet, change);
  if (session === null) return reportChanges(unplugged, atMs);
  if (setting(charger, 'TxCtrlr.StopTxOnEVSideDisconnect')) {
    const end = { trigger: 'EVCommunicationLost', reason: 'EVDisconnected', token: null } as const;
    return endSession(unplugged, outlet, end, atMs);
  }
  const told = updateSession(unplugged, outlet, 'EVCommunicationLost', 'Other', atMs);
  return andThen(told, (next) => reportChanges(next, atMs));
}

/** The car says that it takes no energy. Works from any state: where no car stands, one that wants nothing is plugged in. */
export function evStopsEnergy(charger: Charger, outlet: number, atMs: number): Step | Refusal {
  const spec = specOf(charger.station, outlet);
  const present = connectorAt(charger, outlet).ev;
  const sibling = present === null ? siblingInUse(charger, outlet) : null;
  if (sibling !== null) return inUse(charger, sibling);
  const ev = { ...(present ?? newEv({}, spec)), refuses: true };
  if (present === null) return cableIn(charger, outlet, ev, atMs);
  const stopped = reportChanges(withConnector(charger, outlet, { ev }), atMs);
  return andThen(stopped, (next) => startWaiting(next, outlet, atMs));
}

export function evRequestsEnergy(charger: Charger, outlet: number, atMs: number): Step | Refusal {
  const { ev } = connectorAt(charger, outlet);
  if (ev === null) return notPlugged(charger, outlet);
  return reportChanges(withConnector(charger, outlet, { ev: { ...ev, refuses: false } }), atMs);
}

const notPlugged = (charger: Charger, outlet: number): Refusal =>
  refuse('not_plugged', `no EV is plugged in at ${named(charger, outlet)}`);
