// Ways to end a transaction at the charger: on purpose, with a reason, or by opening the lock.

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
import { hasFailed, isJammed, refusesToOpen, release } from './lock.ts';
import type { StopReason, TransactionTrigger } from './report.ts';
import { listSetting, setting } from './settings.ts';
import { specOf } from './station.ts';

/** What else, besides the driver's token, a reason says of the cause. */
const triggers: Partial<Record<StopReason, TransactionTrigger>> = {
  DeAuthorized: 'Deauthorized',
  EmergencyStop: 'AbnormalCondition',
  EnergyLimitReached: 'EnergyLimitReached',
  EVDisconnected: 'EVCommunicationLost',
  GroundFault: 'AbnormalCondition',
  HardReset: 'ResetCommand',
  ImmediateReset: 'ResetCommand',
  OvercurrentFault: 'AbnormalCondition',
  PowerLoss: 'AbnormalCondition',
  PowerQuality: 'AbnormalCondition',
  Reboot: 'ResetCommand',
  Remote: 'RemoteStop',
  SoftReset: 'ResetCommand',
  StoppedByEV: 'ChargingStateChanged',
  TimeLimitReached: 'TimeLimitReached',
  Timeout: 'EVConnectTimeout',
  UnlockCommand: 'UnlockCommand',
};

/** Only these are the driver's own doing, with the token in hand. */
const byToken: ReadonlySet<StopReason> = new Set(['Local', 'MasterPass']);

export function stopTransaction(charger: Charger, outlet: number, reason: StopReason, atMs: number): Step | Refusal {
  const { session } = connectorAt(charger, outlet);
  if (session === null) {
    return refuse('no_transaction', `no transaction is active on ${named(charger, outlet)}`);
  }
  const known = listSetting(setting(charger, 'TxCtrlr.StopReasons'));
  if (!known.includes(reason)) {
    return refuse('unknown_reason', `this charger's OCPP version has no reason ${reason}; it has ${known.join(', ')}`);
  }
  const trigger = triggers[reason] ?? 'StopAuthorized';
  return endSession(charger, outlet, { trigger, reason, token: byToken.has(reason) ? session.token : null }, atMs);
}

/** Opens the lock of a socket. */
export function unlock(charger: Charger, outlet: number, atMs: number): Step | Refusal {
  if (!specOf(charger.station, outlet).hasLock) {
    return refuse('no_lock', `${named(charger, outlet)} has a fixed cable and no lock`);
  }
  const connector = connectorAt(charger, outlet);
  const { session } = connector;
  if (session !== null && !setting(charger, 'TxCtrlr.StopTxOnUnlock')) {
    return refuse('transaction_active', `an authorized transaction is ongoing on ${named(charger, outlet)}`);
  }
  if (hasFailed(connector)) return refusesToOpen(charger, outlet);
  if (session === null) return release(charger, outlet, atMs);
  // A lock that opens does so before the transaction ends. That one is jammed shows afterwards.
  const tried = isJammed(connector) ? charger : withConnector(charger, outlet, { locked: false });
  const end = { trigger: 'UnlockCommand', reason: 'UnlockCommand', token: null } as const;
  return andThen(endSession(tried, outlet, end, atMs), (next) => release(next, outlet, atMs));
}
