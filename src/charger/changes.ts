// Whatever was done to a charger, this tells the outside what is different now: statuses, charging states, events.

import { type Charger, connectorAt, type Effect, type Step, step, withConnector } from './charger.ts';
import { chargingState, isBlocked, sameShown, show } from './connector.ts';
import { withOffers } from './limits.ts';
import type { Shown, StatusReport } from './report.ts';
import { updateSession } from './session.ts';
import { settledNow, settledSince, withoutSettling, withSettling } from './settling.ts';
import { connectorRef } from './station.ts';

/** The last part of every step: offers are made anew, then each connector shows what has changed. */
export function reportChanges(changed: Charger, atMs: number): Step {
  let charger = withOffers(changed, atMs);
  const effects: Effect[] = [];
  for (let outlet = 0; outlet < charger.connectors.length; outlet++) {
    charger = reportConnector(charger, outlet, atMs, effects);
  }
  return step(charger, effects);
}

function reportConnector(before: Charger, outlet: number, atMs: number, effects: Effect[]): Charger {
  let charger = before;
  const connector = connectorAt(charger, outlet);
  const shown = show(connector, charger);
  const isNew = !sameShown(shown, connector.shown);
  const sinceMs = isNew ? settledSince(charger, outlet, shown, atMs) : null;
  if (isNew && sinceMs === null) charger = withSettling(charger, outlet, shown, atMs);
  else charger = withoutSettling(charger, outlet);
  if (sinceMs !== null) {
    const report = statusReport(charger, outlet, connector.shown, shown, sinceMs);
    charger = withConnector(charger, outlet, { shown, shownAtMs: sinceMs });
    effects.push({ kind: 'report', report });
    if (shown.status !== connector.shown.status) {
      effects.push(statusChanged(charger, outlet, connector.shown.status, shown.status));
    }
  }
  const { session } = connector;
  if (session !== null && session.state !== chargingState(connector)) {
    const updated = updateSession(charger, outlet, 'ChargingStateChanged', 'Other', atMs);
    charger = updated.charger;
    effects.push(...updated.effects);
  }
  return charger;
}

/** The present status of the station and of every connector, told whether it has changed or not. */
export function reportAllStatuses(charger: Charger, atMs: number): Step {
  return reportStatuses(charger, true, [...charger.connectors.keys()], atMs);
}

export function reportStatuses(known: Charger, station: boolean, outlets: readonly number[], atMs: number): Step {
  const charger = settledNow(known, outlets);
  const effects = outlets.map((outlet): Effect => {
    const { shown, shownAtMs } = connectorAt(charger, outlet);
    return { kind: 'report', report: statusReport(charger, outlet, null, shown, shownAtMs) };
  });
  if (station) effects.unshift({ kind: 'report', report: stationStatusReport(charger, null, atMs) });
  return step(charger, effects);
}

/** The station's own status: as a whole it is only ever available, unavailable or faulted. */
export function stationStatusReport(charger: Charger, from: Shown | null, atMs: number): StatusReport {
  return {
    kind: 'status',
    connector: null,
    from,
    to: showStation(charger),
    atMs,
    ...faultDetail(charger.faults.at(-1)),
  };
}

/** Tells what is different about the station as a whole. */
export function reportStation(before: Charger, after: Charger, atMs: number): Step {
  const from = showStation(before);
  if (sameShown(from, showStation(after))) return step(after);
  return step(after, [{ kind: 'report', report: stationStatusReport(after, from, atMs) }]);
}

export function showStation(charger: Charger): Shown {
  const blocked = isBlocked(charger.faults);
  // What was switched off while somebody charged is off when nobody does any more.
  const isOff = !charger.operative && charger.connectors.every(({ session }) => session === null);
  return {
    status: blocked ? 'Faulted' : isOff ? 'Unavailable' : 'Available',
    plugged: false,
    errorCode: charger.faults.at(-1)?.errorCode ?? 'NoError',
  };
}

function statusReport(charger: Charger, outlet: number, from: Shown | null, to: Shown, atMs: number): StatusReport {
  const fault =
    connectorAt(charger, outlet).faults.at(-1) ?? (to.status === 'Faulted' ? charger.faults.at(-1) : undefined);
  return {
    kind: 'status',
    connector: connectorRef(charger.station, outlet),
    from,
    to,
    atMs,
    ...faultDetail(fault),
  };
}

const faultDetail = (fault: { info: string | null; vendorErrorCode: string | null } | undefined) => ({
  info: fault?.info ?? null,
  vendorErrorCode: fault?.vendorErrorCode ?? null,
});

function statusChanged(charger: Charger, outlet: number, from: string, to: string): Effect {
  const { evseId, connectorId } = connectorRef(charger.station, outlet);
  return {
    kind: 'event',
    type: 'connector.status_changed',
    data: { evse_id: evseId, connector_id: connectorId, from, to },
  };
}
