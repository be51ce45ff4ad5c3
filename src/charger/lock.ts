// The lock of a socket: it holds the cable and lets it go, unless it is jammed.

import { type Charger, connectorAt, named, type Refusal, refuse, type Step, step, withConnector } from './charger.ts';
import type { Connector } from './connector.ts';
import { addFault } from './fault-changes.ts';
import { specOf } from './station.ts';

export const lockFailure = 'ConnectorLockFailure';

export const isJammed = (connector: Connector): boolean => connector.conditions?.lockJammed === true;

/** Closes or opens it. A jammed one stays as it is, and that is reported once. A fixed cable has no lock. */
export function moveLock(charger: Charger, outlet: number, locked: boolean, atMs: number): Step {
  const connector = connectorAt(charger, outlet);
  if (connector.locked === locked || !specOf(charger.station, outlet).hasLock) return step(charger);
  if (!isJammed(connector)) return step(withConnector(charger, outlet, { locked }));
  if (connector.faults.some((fault) => fault.errorCode === lockFailure)) return step(charger);
  // No charging over a cable that is not held; a cable that is held on to only annoys.
  const fault = { errorCode: lockFailure, blocking: locked, info: null, vendorErrorCode: null, untilMs: null };
  return addFault(charger, outlet, fault, atMs);
}

export const refusesToOpen = (charger: Charger, outlet: number): Refusal =>
  refuse('lock_failure', `the lock of ${named(charger, outlet)} is jammed and holds the cable`);
