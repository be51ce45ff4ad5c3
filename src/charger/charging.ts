// The course of charging: a transaction begins, is throttled, ends; each step ends by telling what has changed.

import { reportChanges, reportStation } from './changes.ts';
import { andThen, type Charger, connectorAt, type Step, step, withConnector } from './charger.ts';
import type { Connector } from './connector.ts';
import { presentLimit } from './limits.ts';
import { moveLock } from './lock.ts';
import { powerW, registerWh } from './meter.ts';
import { collect } from './metering.ts';
import { withoutTxProfiles, withTxProfile } from './profiles.ts';
import { drawUuid } from './random.ts';
import type { StopReason, Token, TransactionTrigger } from './report.ts';
import { useReservation } from './reservations.ts';
import {
  checkpointMs,
  nextCollectMs,
  nextSampleMs,
  noSamples,
  type Session,
  type SessionPlan,
  sample,
  tell,
  updateSession,
} from './session.ts';
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
    sampledWh: registerWh(connector),
    collected: noSamples,
    collectAtMs: nextCollectMs(charger, atMs),
    checkpointAtMs: atMs + checkpointMs,
    deauthorized: false,
    graceUntilWh: null,
  };
  const { profile } = start.plan;
  const limited = profile === undefined ? charger : withTxProfile(charger, outlet, id, profile);
  const { charger: free, reservationId } = useReservation(limited, outlet, start);
  const begun = withConnector({ ...free, chance }, outlet, {
    session,
    waiting: null,
    afterSession: false,
    // Nothing flowed before: what lies behind is not this session's to meter.
    meteredAtMs: atMs,
  });
  const samples = sample(begun, outlet, 'SampledDataCtrlr.TxStartedMeasurands', 'Transaction.Begin', atMs);
  const measured = collect(begun, outlet, forTheEnd, 'Transaction.Begin', atMs);
  const told = tell(measured, outlet, atMs, {
    phase: 'started',
    trigger: start.plan.remoteStartId === null ? start.trigger : 'RemoteStart',
    chargingState: 'EVConnected',
    samples,
    token: start.token,
    remoteStartId: start.plan.remoteStartId,
    ...(reservationId === undefined ? {} : { reservationId }),
  });
  return andThen(told, (next) => reportChanges(next, atMs));
}

const forTheEnd = 'SampledDataCtrlr.TxEndedMeasurands';

/** Ends the transaction; the cable may still be in. */
export function endSession(charger: Charger, outlet: number, end: SessionEnd, atMs: number): Step {
  const plugged = connectorAt(charger, outlet).ev !== null;
  const isCutOff = end.reason === 'PowerLoss';
  const measured = isCutOff ? collect(charger, outlet, forTheEnd, 'Interruption.Begin', atMs) : charger;
  const told = tell(measured, outlet, atMs, {
    phase: 'ended',
    trigger: end.trigger,
    chargingState: plugged ? 'EVConnected' : 'Idle',
    samples: [
      ...(connectorAt(measured, outlet).session?.collected ?? noSamples),
      ...sample(measured, outlet, forTheEnd, 'Transaction.End', atMs),
    ],
    token: end.token,
    stopReason: end.reason,
  });
  return andThen(told, (next) => {
    const { ev, session, locked } = connectorAt(next, outlet);
    // The car's refusal is forgotten with the transaction, and a socket lets go of the cable of a car that is there.
    const isHeld = locked && !plugged;
    const over = withConnector(next, outlet, {
      session: null,
      waiting: null,
      afterSession: plugged || isHeld,
      ev: ev === null ? null : { ...ev, refuses: false },
    });
    const changed = reportChanges(session === null ? over : withoutTxProfiles(over, session.id), atMs);
    const shown = over.operative ? changed : andThen(changed, (after) => reportStation(next, after, atMs));
    return isHeld ? shown : andThen(shown, (last) => moveLock(last, outlet, false, atMs));
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
  return andThen(told, (next) =>
    step(next, [{ kind: 'result', value: setPointResult(next, outlet, requestedW, atMs) }]),
  );
}

function setPointResult(
  charger: Charger,
  outlet: number,
  requestedW: number,
  atMs: number,
): Readonly<Record<string, unknown>> {
  const connector = connectorAt(charger, outlet);
  const drawn = powerW(connector);
  return {
    requested_w: requestedW,
    offered_w: Math.round(connector.offeredW),
    drawn_w: Math.round(drawn),
    limited_by: limitedBy(charger, outlet, requestedW, drawn, atMs),
  };
}

function limitedBy(charger: Charger, outlet: number, requestedW: number, drawn: number, atMs: number): string {
  const { offeredW, conditions } = connectorAt(charger, outlet);
  if (drawn < offeredW) return 'ev';
  if (offeredW >= requestedW) return 'power_update';
  if (offeredW >= specOf(charger.station, outlet).maxPowerW) return 'rating';
  const { limitW, isReduced } = presentLimit(charger, outlet, atMs);
  if (!isReduced) return 'station';
  if (limitW !== conditions?.externalLimitW) return 'charging_profile';
  // What is too little to charge with is not offered at all.
  return offeredW === 0 || offeredW >= limitW ? 'external_limit' : 'station';
}
