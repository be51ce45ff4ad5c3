// What the world does to a charger beside its drivers: somebody parks, opens the cover, jams the lock, limits the supply.

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
import type { Connector, ConnectorConditions } from './connector.ts';
import { faultsAt, removeFaults } from './fault-changes.ts';
import { isJammed, lockFailure } from './lock.ts';
import { securityEvent } from './security-events.ts';
import { tell, updateSession } from './session.ts';
import { setting } from './settings.ts';
import { connectorRef, specOf } from './station.ts';

/** The sensor of the bay sees a car, or none any more; it says nothing of the cable. A running transaction tells of it. */
export function parkInBay(charger: Charger, outlet: number, occupied: boolean, atMs: number): Step {
  const { session, conditions } = connectorAt(charger, outlet);
  if ((conditions?.bayOccupied ?? false) === occupied) return step(charger);
  const parked = withCondition(charger, outlet, { bayOccupied: occupied });
  if (session === null) return step(parked);
  return updateSession(parked, outlet, occupied ? 'EVDetected' : 'EVDeparted', 'Other', atMs);
}

/** A local energy manager limits what an outlet may offer; null lifts it. */
export function limitFromOutside(charger: Charger, outlet: number, limitW: number | null, atMs: number): Step {
  const before = connectorAt(charger, outlet);
  if ((before.conditions?.externalLimitW ?? null) === limitW) return step(charger);
  const limited = withCondition(charger, outlet, { externalLimitW: limitW });
  const connector = connectorRef(charger.station, outlet);
  const told = step(limited, [{ kind: 'report', report: { kind: 'charging-limit', connector, limitW } }]);
  const changed = andThen(told, (next) => reportChanges(next, atMs));
  return andThen(changed, (next) => tellRate(next, outlet, before, atMs));
}

/** A change of the rate while it goes on charging is news of its own, if it is a change worth telling. */
function tellRate(charger: Charger, outlet: number, before: Connector, atMs: number): Step {
  const { session, offeredW } = connectorAt(charger, outlet);
  if (session?.state !== 'Charging' || before.session?.state !== 'Charging') return step(charger);
  const changePercent = (Math.abs(offeredW - before.offeredW) / before.offeredW) * 100;
  if (changePercent < setting(charger, 'SmartChargingCtrlr.LimitChangeSignificance')) return step(charger);
  const telling = { phase: 'updated', trigger: 'ChargingRateChanged', chargingState: 'Charging', samples: [] } as const;
  return tell(charger, outlet, atMs, telling);
}

/** A jammed lock moves no more, and whoever wants to move it finds out. Mending it takes its fault away. */
export function jamLock(charger: Charger, outlet: number, jammed: boolean, atMs: number): Step | Refusal {
  if (!specOf(charger.station, outlet).hasLock) {
    return refuse('no_lock', `${named(charger, outlet)} has a fixed cable and no lock`);
  }
  if (isJammed(connectorAt(charger, outlet)) === jammed) return step(charger);
  const changed = withCondition(charger, outlet, { lockJammed: jammed });
  const faults = faultsAt(changed, outlet).filter((fault) => fault.errorCode === lockFailure);
  return jammed || faults.length === 0 ? step(changed) : removeFaults(changed, outlet, faults, atMs);
}

/** Somebody opens the charger, or closes it again: only the first is news. */
export function tamper(charger: Charger, tampered: boolean, atMs: number): Step {
  if ((charger.conditions?.tampered ?? false) === tampered) return step(charger);
  const changed = { ...charger, conditions: { ...charger.conditions, tampered } };
  if (!tampered) return step(changed);
  return securityEvent(changed, 'TamperDetectionActivated', atMs);
}

/** Whether firmware can be installed; nothing happens before somebody tries. */
export function failFirmware(charger: Charger, fails: boolean): Step {
  const firmwareFailure = fails ? 'InstallationFailed' : null;
  return step({ ...charger, conditions: { ...charger.conditions, firmwareFailure } });
}

const withCondition = (charger: Charger, outlet: number, change: ConnectorConditions): Charger =>
  withConnector(charger, outlet, { conditions: { ...connectorAt(charger, outlet).conditions, ...change } });
