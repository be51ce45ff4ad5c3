// The lock of a socket: it holds the cable and lets it go, unless it is jammed.

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
import type { Connector } from './connector.ts';
import { addFault } from './fault-changes.ts';
import { specOf } from './station.ts';

export const lockFailure = 'ConnectorLockFailure';

export const isJammed = (connector: Connector): boolean => connector.conditions?.lockJammed === true;
/** The charger knows that it does not move. */
export const hasFailed = ({ faults }: Connector): boolean => faults.some((fault) => fault.errorCode === lockFailure);

/** Closes or opens it. A jammed one stays as it is, and that is reported once. A fixed cable has no lock. */
export function moveLock(charger: Charger, outlet: number, locked: boolean, atMs: number): Step {
  const connector = connectorAt(charger, outlet);
  if (connector.locked === locked || !specOf(charger.station, outlet).hasLock) return step(charger);
  if (!isJammed(connector)) return step(withConnector(charger, outlet, { locked }));
  if (hasFailed(connector)) return step(charger);
  // No charging over a cable that is not held; a cable that is held on to only annoys.
  const fault = { errorCode: lockFailure, blocking: locked, info: null, vendorErrorCode: null, untilMs: null };
  return addFault(charger, outlet, fault, atMs);
}

/** Opens it for whoever wants the cable back, and they hear of it when it stays shut. */
export function release(charger: Charger, outlet: number, atMs: number): Step {
  const moved = andThen(moveLock(charger, outlet, false, atMs), (next) => reportChanges(next, atMs));
  return andThen(moved, (next) =>
    step(next, connectorAt(next, outlet).locked ? [{ kind: 'fail', ...refusesToOpen(next, outlet) }] : []),
  );
}

export const refusesToOpen = (charger: Charger, outlet: number): Refusal =>
  refuse('lock_failure', `the lock of ${named(charger, outlet)} does not move and holds the cable`);
