// The course of charging: a transaction begins, is throttled, ends; each step ends by telling what has changed.

import { reportChanges } from './changes.ts';
import { andThen, type Charger, connectorAt, type Step, step, withConnector } from './charger.ts';
import type { Connector } from './connector.ts';
import { moveLock } from './lock.ts';
import { powerW } from './meter.ts';
import { drawUuid } from './random.ts';
import type { StopReason, Token, TransactionTrigger } from './report.ts';
import { checkpointMs, nextSampleMs, type Session, type SessionPlan, sample, tell, updateSession } from './session.ts';
import { specOf } from './station.ts';

export interface SessionStart {
  readonly token: Token;
  readonly parentIdTag: string | null;
  readonly plan: SessionPlan;
  readonly trigger: TransactionTrigger;
}

export interface SessionEnd {
  readonly trigger: TransactionTrigger;
  readonly reason: StopReason;
  /** The token presented to stop, if one was. */
  readonly token: Token | null;
}

export function beginSession(charger: Charger, outlet: number, start: SessionStart, atMs: number): Step {
  const [id, chance] = drawUuid(charger.chance);
  const connector = connectorAt(charger, outlet);
  const session: Session = {
    id,
    token: start.token,
    parentIdTag: start.parentIdTag,
    startedAtMs: atMs,
    startWh: connector.meterWh,
    plan: start.plan,
    seqNo: 0,
    state: 'EVConnected',
    sampleAtMs: nextSampleMs(charger, atMs),
    checkpointAtMs: atMs + checkpointMs,
    deauthorized: false,
  };
  const begun = withConnector({ ...charger, chance }, outlet, {
    session,
    waiting: null,
    afterSession: false,
    // Nothing flowed before: what lies behind is not this session's to meter.
    meteredAtMs: atMs,
  });
  const samples = sample(begun, outlet, 'SampledDataCtrlr.TxStartedMeasurands', 'Transaction.Begin', atMs);
  const told = tell(begun, outlet, atMs, {
    phase: 'started',
    trigger: start.plan.remoteStartId === null ? start.trigger : 'RemoteStart',
    chargingState: 'EVConnected',
    samples,
    token: start.token,
    remoteStartId: start.plan.remoteStartId,
  });
  return andThen(told, (next) => reportChanges(next, atMs));
}

/** Ends the transaction; the cable may still be in. */
export function endSession(charger: Charger, outlet: number, end: SessionEnd, atMs: number): Step {
  const plugged = connectorAt(charger, outlet).ev !== null;
  const told = tell(charger, outlet, atMs, {
    phase: 'ended',
    trigger: end.trigger,
    chargingState: plugged ? 'EVConnected' : 'Idle',
    samples: sample(charger, outlet, 'SampledDataCtrlr.TxEndedMeasurands', 'Transaction.End', atMs),
    token: end.token,
    stopReason: end.reason,
  });
  return andThen(told, (next) => {
    const { ev } = connectorAt(next, outlet);
    // The car's refusal is forgotten with the transaction, and a socket lets go of the cable.
    const over = withConnector(next, outlet, {
      session: null,
      waiting: null,
      afterSession: plugged,
      ev: ev === null ? null : { ...ev, refuses: false },
    });
    return andThen(reportChanges(over, atMs), (last) => moveLock(last, outlet, false, atMs));
  });
}

/** Ends every running transaction for which `endOf` gives an end. */
export function endSessions(
  charger: Charger,
  endOf: (connector: Connector, outlet: number) => SessionEnd | null,
  atMs: number,
): Step {
  return charger.connectors.reduce((told, connector, outlet) => {
    const end = connector.session === null ? null : endOf(connector, outlet);
    return end === null ? told : andThen(told, (next) => endSession(next, outlet, end, atMs));
  }, step(charger));
}

/** The operator sets what a connector offers from now until unplug; in a transaction the CSMS hears of it at once. */
export function setPoint(charger: Charger, outlet: number, requestedW: number, atMs: number): Step {
  const changed = reportChanges(withConnector(charger, outlet, { setPointW: requestedW }), atMs);
  const told = andThen(changed, (next) =>
    connectorAt(next, outlet).session === null
      ? step(next)
      : updateSession(next, outlet, 'ChargingRateChanged', 'Other', atMs),
  );
  return andThen(told, (next) => step(next, [{ kind: 'result', value: setPointResult(next, outlet, requestedW) }]));
}

function setPointResult(charger: Charger, outlet: number, requestedW: number): Readonly<Record<string, unknown>> {
  const connector = connectorAt(charger, outlet);
  const drawn = powerW(connector);
  return {
    requested_w: requestedW,
    offered_w: Math.round(connector.offeredW),
    drawn_w: Math.round(drawn),
    limited_by: limitedBy(charger, connector, outlet, requestedW, drawn),
  };
}

function limitedBy(charger: Charger, connector: Connector, outlet: number, requestedW: number, drawn: number): string {
  if (drawn < connector.offeredW) return 'ev';
  if (connector.offeredW >= requestedW) return 'power_update';
  if (connector.offeredW >= (connector.conditions?.externalLimitW ?? Number.POSITIVE_INFINITY)) return 'external_limit';
  return connector.offeredW >= specOf(charger.station, outlet).maxPowerW ? 'rating' : 'station';
}
