// Whatever was done to a charger, this tells the outside what is different now: statuses, charging states, events.

import { type Charger, connectorAt, type Effect, type Step, step, withConnector } from './charger.ts';
import { chargingState, isBlocked, sameShown, show } from './connector.ts';
import { withOffers } from './limits.ts';
import type { Shown, StatusReport } from './report.ts';
import { updateSession } from './session.ts';
import { connectorRef } from './station.ts';

/** The last part of every step: offers are made anew, then each connector shows what has changed. */
export function reportChanges(changed: Charger, atMs: number): Step {
  let charger = withOffers(changed);
  const effects: Effect[] = [];
  for (let outlet = 0; outlet < charger.connectors.length; outlet++) {
    charger = reportConnector(charger, outlet, atMs, effects);
  }
  return step(charger, effects);
}

function reportConnector(before: Charger, outlet: number, atMs: number, effects: Effect[]): Charger {
  let charger = before;
  const connector = connectorAt(charger, outlet);
  const shown = show(connector, charger.faults);
  if (!sameShown(shown, connector.shown)) {
    const report = statusReport(charger, outlet, connector.shown, shown, atMs);
    charger = withConnector(charger, outlet, { shown, shownAtMs: atMs });
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
  const connectors = charger.connectors.map(
    (connector, outlet): Effect => ({
      kind: 'report',
      report: statusReport(charger, outlet, null, connector.shown, connector.shownAtMs),
    }),
  );
  return step(charger, [{ kind: 'report', report: stationStatusReport(charger, null, atMs) }, ...connectors]);
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

export function showStation(charger: Charger): Shown {
  const blocked = isBlocked(charger.faults);
  return {
    status: blocked ? 'Faulted' : 'Available',
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
