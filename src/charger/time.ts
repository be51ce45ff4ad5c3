// The passing of time: what falls due on a charger, in order, each at its own moment and with the meters settled.

import { giveUpWaiting, withdrawEnergy } from './authorization.ts';
import { secondsToEnergy, secondsToFull } from './battery.ts';
import { announce } from './boot.ts';
import { reportChanges } from './changes.ts';
import { andThen, type Charger, connectorAt, isRefusal, type Step, step, withConnector } from './charger.ts';
import { endSession } from './charging.ts';
import { type Connector, isDrawing } from './connector.ts';
import type { FaultPlace } from './fault-changes.ts';
import { clearFault } from './faulting.ts';
import { meteredUntil, registerWh } from './meter.ts';
import { collect, takeAligned } from './metering.ts';
import { cancelReservation, type Reservation } from './reservations.ts';
import { considerService, isUnserviced } from './service.ts';
import { checkpointMs, nextCollectMs, nextSampleMs, updateSession } from './session.ts';
import { setting } from './settings.ts';
import { settledDueMs } from './settling.ts';
import { reachLimit } from './transaction-limit.ts';

const never = Number.POSITIVE_INFINITY;

/** Lets everything happen that is due until `atMs`, each at its own time, and says when the next thing will be. */
export function passTime(charger: Charger, atMs: number): Step & { readonly dueMs: number } {
  let passed = step(charger);
  for (;;) {
    const due = nextDue(passed.charger);
    if (due === null || due.atMs > atMs) return { ...passed, dueMs: due?.atMs ?? never };
    passed = andThen(passed, (next) => due.happen(settled(next, due.atMs), atMs));
  }
}

/** When this charger must be woken next; Infinity when nothing will happen by itself. */
export const nextDueMs = (charger: Charger): number => nextDue(charger)?.atMs ?? never;

interface Due {
  readonly atMs: number;
  /** `nowMs` is the moment the clock really shows; later than the due time when the process was held up. */
  happen(charger: Charger, nowMs: number): Step;
}

/** As it is at `atMs`. */
export const chargerAt = (charger: Charger, atMs: number): Charger => settled(passTime(charger, atMs).charger, atMs);

/** With its meters brought up to `atMs`; nothing may be due before that. */
export function settled(charger: Charger, atMs: number): Charger {
  if (!charger.connectors.some((connector) => connector.session !== null)) return charger;
  return { ...charger, connectors: charger.connectors.map((connector) => meteredUntil(connector, atMs)) };
}

/** Most chargers, most of the time: nothing will happen by itself. Worth knowing cheaply, at every message. */
function isQuiet(charger: Charger): boolean {
  const { boot, faults, waiting, reservation, settling, offersUntilMs, aligned, connectors } = charger;
  if (boot.retryAtMs !== null || waiting !== null || faults.length > 0) return false;
  if (reservation !== null || settling.length > 0 || offersUntilMs !== null || aligned !== null) return false;
  if (!isUnserviced(charger)) return false;
  return connectors.every(
    (connector) =>
      connector.session === null &&
      connector.waiting === null &&
      connector.reservation === null &&
      connector.faults.length === 0,
  );
}

function nextDue(charger: Charger): Due | null {
  if (isQuiet(charger)) return null;
  let first: Due | null = null;
  const consider = (atMs: number, happen: Due['happen']): void => {
    if (atMs < (first?.atMs ?? never)) first = { atMs, happen };
  };
  if (charger.boot.retryAtMs !== null && charger.online) consider(charger.boot.retryAtMs, announce);
  if (charger.waiting !== null) {
    const { untilMs } = charger.waiting;
    consider(untilMs, (next) => giveUpWaiting(next, null, untilMs));
  }
  if (charger.reservation !== null) consider(charger.reservation.untilMs, reservationEnds(charger.reservation));
  if (charger.settling.length > 0) {
    const dueMs = settledDueMs(charger);
    consider(dueMs, (next) => reportChanges(next, dueMs));
  }
  const { offersUntilMs, aligned } = charger;
  if (aligned !== null) consider(aligned.atMs, (next, nowMs) => takeAligned(next, aligned, nowMs));
  if (offersUntilMs !== null) consider(offersUntilMs, (next) => reportChanges(next, offersUntilMs));
  if (!isUnserviced(charger)) considerService(charger, consider);
  for (const fault of charger.faults) {
    if (fault.untilMs !== null) consider(fault.untilMs, faultEnds(null, fault.errorCode, fault.untilMs));
  }
  charger.connectors.forEach((connector, outlet) => {
    considerConnector(connector, outlet, consider);
  });
  return first;
}

function considerConnector(
  connector: Connector,
  outlet: number,
  consider: (atMs: number, happen: Due['happen']) => void,
): void {
  const { waiting, reservation, session, ev } = connector;
  if (reservation !== null) consider(reservation.untilMs, reservationEnds(reservation));
  for (const fault of connector.faults) {
    if (fault.untilMs !== null) consider(fault.untilMs, faultEnds(outlet, fault.errorCode, fault.untilMs));
  }
  if (waiting !== null) {
    const { untilMs } = waiting;
    consider(untilMs, (charger) => giveUpWaiting(charger, outlet, untilMs));
  }
  if (session === null) return;
  const { sampleAtMs, plan } = session;
  if (sampleAtMs !== null) consider(sampleAtMs, (charger, nowMs) => takeSample(charger, outlet, sampleAtMs, nowMs));
  const { collectAtMs } = session;
  if (collectAtMs !== null) consider(collectAtMs, (charger) => takeForTheEnd(charger, outlet, collectAtMs));
  if (plan.durationS !== null) {
    const endMs = session.startedAtMs + plan.durationS * 1000;
    consider(endMs, (charger) => endAsPlanned(charger, outlet, 'TimeLimitReached', endMs));
  }
  const limit = plan.limit?.reached === false ? plan.limit : null;
  if (limit !== null && limit.timeS !== null) {
    const reachedMs = session.startedAtMs + limit.timeS * 1000;
    consider(reachedMs, (charger) => reachLimit(charger, outlet, 'TimeLimitReached', reachedMs));
  }
  const { checkpointAtMs } = session;
  consider(checkpointAtMs, (charger) => checkpoint(charger, outlet, checkpointAtMs));
  if (ev === null || !isDrawing(connector)) return;
  const energyMs = (energyWh: number): number => {
    const missingWh = energyWh - (connector.meterWh - session.startWh);
    return laterMs(connector, secondsToEnergy(ev.battery, connector.offeredW, missingWh));
  };
  // The end before the pause, when both are due: what is paused never gets to its end.
  if (plan.energyWh !== null) {
    const endMs = energyMs(plan.energyWh);
    consider(endMs, (charger) => endAsPlanned(charger, outlet, 'EnergyLimitReached', endMs));
  }
  if (limit !== null && limit.energyWh !== null) {
    const reachedMs = energyMs(limit.energyWh);
    consider(reachedMs, (charger) => reachLimit(charger, outlet, 'EnergyLimitReached', reachedMs));
  }
  const { graceUntilWh } = session;
  if (graceUntilWh !== null) {
    const endMs = energyMs(graceUntilWh - session.startWh);
    consider(endMs, (charger) => withdrawEnergy(charger, outlet, endMs));
  }
  const fullMs = laterMs(connector, secondsToFull(ev.battery, connector.offeredW));
  consider(fullMs, (charger) => batteryFull(charger, outlet, fullMs));
}

/** Whole milliseconds, rounded up: never before the event itself. The hair taken off is rounding, not time. */
const laterMs = (connector: Connector, seconds: number): number =>
  connector.meteredAtMs + Math.ceil(Math.max(0, seconds) * 1000 - 1e-3);

function takeSample(charger: Charger, outlet: number, sampleMs: number, nowMs: number): Step {
  const isCollected = setting(charger, 'SampledDataCtrlr.TxEndedInterval') < 0;
  const measured = isCollected ? collectSample(charger, outlet, sampleMs) : charger;
  const told = updateSession(measured, outlet, 'MeterValuePeriodic', 'Sample.Periodic', sampleMs);
  return andThen(told, (next) => {
    const connector = connectorAt(next, outlet);
    const { session } = connector;
    if (session === null) return step(next);
    let sampleAtMs = nextSampleMs(next, sampleMs);
    if (sampleAtMs !== null) {
      // A process that was held up does not make up for every missed sample: it goes on with the latest one.
      const missed = Math.floor((nowMs - sampleAtMs) / (sampleAtMs - sampleMs));
      if (missed > 0) sampleAtMs += missed * (sampleAtMs - sampleMs);
    }
    return reportChanges(
      withConnector(next, outlet, { session: { ...session, sampleAtMs, sampledWh: registerWh(connector) } }),
      sampleMs,
    );
  });
}

const collectSample = (charger: Charger, outlet: number, atMs: number): Charger =>
  collect(charger, outlet, 'SampledDataCtrlr.TxEndedMeasurands', 'Sample.Periodic', atMs);

/** A sample for the end of the transaction alone. */
function takeForTheEnd(charger: Charger, outlet: number, atMs: number): Step {
  const collected = collectSample(charger, outlet, atMs);
  const { session } = connectorAt(collected, outlet);
  if (session === null) return step(charger);
  const collectAtMs = nextCollectMs(collected, atMs);
  return step(withConnector(collected, outlet, { session: { ...session, collectAtMs } }));
}

/** The meters stand at this moment; that is worth keeping. */
function checkpoint(charger: Charger, outlet: number, atMs: number): Step {
  const { session } = connectorAt(charger, outlet);
  if (session === null) return step(charger);
  const next = { ...session, checkpointAtMs: atMs + checkpointMs };
  return step(withConnector(charger, outlet, { session: next }), [{ kind: 'keep' }]);
}

function endAsPlanned(
  charger: Charger,
  outlet: number,
  limit: 'TimeLimitReached' | 'EnergyLimitReached',
  atMs: number,
): Step {
  return endSession(charger, outlet, { trigger: limit, reason: limit, token: null }, atMs);
}

/** Rounding must not leave a battery a hair below full, or it would be due again and again. */
function batteryFull(charger: Charger, outlet: number, atMs: number): Step {
  const { ev } = connectorAt(charger, outlet);
  if (ev === null) return step(charger);
  const full = { ...ev, battery: { ...ev.battery, soc: 1 } };
  return reportChanges(withConnector(charger, outlet, { ev: full }), atMs);
}

const reservationEnds =
  ({ id, untilMs }: Reservation): Due['happen'] =>
  (charger) =>
    cancelReservation(charger, id, untilMs) ?? step(charger);

const faultEnds =
  (place: FaultPlace, errorCode: string, atMs: number): Due['happen'] =>
  (charger) => {
    const cleared = clearFault(charger, place, errorCode, atMs);
    return isRefusal(cleared) ? step(charger) : cleared;
  };
