// The passing of time: what falls due on a charger, in order, each at its own moment and with the meters settled.

import { giveUpWaiting, withdrawEnergy } from './authorization.ts';
import { secondsToEnergy, secondsToFull } from './battery.ts';
import { announce } from './boot.ts';
import { reportChanges } from './changes.ts';
import { andThen, type Charger, connectorAt, isRefusal, type Step, step, withConnector } from './charger.ts';
import { endSession } from './charging.ts';
import { type Connector, type Ev, isDrawing } from './connector.ts';
import type { FaultPlace } from './fault-changes.ts';
import { clearFault } from './faulting.ts';
import { meteredUntil, registerWh } from './meter.ts';
import { collect, takeAligned } from './metering.ts';
import { cancelReservation, type Reservation } from './reservations.ts';
import { considerService, isUnserviced } from './service.ts';
import { checkpointMs, nextCollectMs, nextSampleMs, type Session, updateSession } from './session.ts';
import { setting } from './settings.ts';
import { settledDueMs } from './settling.ts';
import { reachLimit } from './transaction-limit.ts';

const never = Number.POSITIVE_INFINITY;

/** Lets everything happen that is due until `atMs`, each at its own time, and says when the next thing will be. */
export function passTime(charger: Charger, atMs: number): Step & { readonly dueMs: number } {
  let passed = step(charger);
  for (;;) {
    const due = nextDue(passed.charger);
    if (due.atMs > atMs) return { charger: passed.charger, effects: passed.effects, dueMs: due.atMs };
    passed = andThen(passed, (next) => due.happen(settled(next, due.atMs), due, atMs));
  }
}

/** When this charger must be woken next; Infinity when nothing will happen by itself. */
export const nextDueMs = (charger: Charger): number => nextDue(charger).atMs;

interface Due {
  atMs: number;
  happen: Happening;
  /** Where it happens, for what happens at an outlet. */
  outlet: number;
}

/** `nowMs` is the moment the clock really shows; later than the due time when the process was held up. */
type Happening = (charger: Charger, due: Readonly<Due>, nowMs: number) => Step;

const nothingDue = (): Due => ({ atMs: never, happen: (charger) => step(charger), outlet: -1 });
const nothing: Readonly<Due> = Object.freeze(nothingDue());

/** Keeps the first of all that is considered. Without closures: this is done at every sample of every charger. */
function consider(first: Due, atMs: number, happen: Happening, outlet = -1): void {
  if (atMs >= first.atMs) return;
  first.atMs = atMs;
  first.happen = happen;
  first.outlet = outlet;
}

/** As it is at `atMs`. */
export const chargerAt = (charger: Charger, atMs: number): Charger => settled(passTime(charger, atMs).charger, atMs);

/** With its meters brought up to `atMs`; nothing may be due before that. */
export function settled(charger: Charger, atMs: number): Charger {
  if (!charger.connectors.some(isInSession)) return charger;
  return { ...charger, connectors: charger.connectors.map((connector) => meteredUntil(connector, atMs)) };
}

const isInSession = ({ session }: Connector): boolean => session !== null;

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

function nextDue(charger: Charger): Readonly<Due> {
  if (isQuiet(charger)) return nothing;
  const first = nothingDue();
  const { boot, waiting, reservation, settling, offersUntilMs, aligned, faults, connectors } = charger;
  if (boot.retryAtMs !== null && charger.online) consider(first, boot.retryAtMs, announce);
  if (waiting !== null) consider(first, waiting.untilMs, (next, { atMs }) => giveUpWaiting(next, null, atMs));
  if (reservation !== null) consider(first, reservation.untilMs, reservationEnds(reservation));
  if (settling.length > 0) consider(first, settledDueMs(charger), lookAnew);
  if (aligned !== null) consider(first, aligned.atMs, (next, _due, nowMs) => takeAligned(next, aligned, nowMs));
  if (offersUntilMs !== null) consider(first, offersUntilMs, lookAnew);
  if (!isUnserviced(charger)) {
    considerService(charger, (atMs, happen) => consider(first, atMs, (next, _due, nowMs) => happen(next, nowMs)));
  }
  for (const fault of faults) {
    if (fault.untilMs !== null) consider(first, fault.untilMs, faultEnds(null, fault.errorCode));
  }
  for (let outlet = 0; outlet < connectors.length; outlet++) {
    considerConnector(first, connectorAt(charger, outlet), outlet);
  }
  return first;
}

function considerConnector(first: Due, connector: Connector, outlet: number): void {
  const { waiting, reservation, session, ev, faults } = connector;
  if (reservation !== null) consider(first, reservation.untilMs, reservationEnds(reservation));
  for (const fault of faults) {
    if (fault.untilMs !== null) consider(first, fault.untilMs, faultEnds(outlet, fault.errorCode));
  }
  if (waiting !== null) consider(first, waiting.untilMs, waitingEnds, outlet);
  if (session === null) return;
  const { sampleAtMs, collectAtMs, plan, startedAtMs } = session;
  if (sampleAtMs !== null) consider(first, sampleAtMs, takeSample, outlet);
  if (collectAtMs !== null) consider(first, collectAtMs, takeForTheEnd, outlet);
  if (plan.durationS !== null) consider(first, startedAtMs + plan.durationS * 1000, timeIsUp, outlet);
  const limit = plan.limit?.reached === false ? plan.limit : null;
  if (limit !== null && limit.timeS !== null) {
    consider(first, startedAtMs + limit.timeS * 1000, timeLimitReached, outlet);
  }
  consider(first, session.checkpointAtMs, checkpoint, outlet);
  if (ev === null || !isDrawing(connector)) return;
  // The end before the pause, when both are due: what is paused never gets to its end.
  if (plan.energyWh !== null) consider(first, energyMs(connector, session, ev, plan.energyWh), energyIsDrawn, outlet);
  if (limit !== null && limit.energyWh !== null) {
    consider(first, energyMs(connector, session, ev, limit.energyWh), energyLimitReached, outlet);
  }
  const { graceUntilWh, startWh } = session;
  if (graceUntilWh !== null) {
    consider(first, energyMs(connector, session, ev, graceUntilWh - startWh), graceEnds, outlet);
  }
  consider(first, laterMs(connector, secondsToFull(ev.battery, connector.offeredW)), batteryFull, outlet);
}

/** When this much has been drawn in the session. */
function energyMs(connector: Connector, session: Session, ev: Ev, energyWh: number): number {
  const missingWh = energyWh - (connector.meterWh - session.startWh);
  return laterMs(connector, secondsToEnergy(ev.battery, connector.offeredW, missingWh));
}

/** Whole milliseconds, rounded up: never before the event itself. The hair taken off is rounding, not time. */
const laterMs = (connector: Connector, seconds: number): number =>
  connector.meteredAtMs + Math.ceil(Math.max(0, seconds) * 1000 - 1e-3);

const lookAnew: Happening = (charger, { atMs }) => reportChanges(charger, atMs);

const waitingEnds: Happening = (charger, { atMs, outlet }) => giveUpWaiting(charger, outlet, atMs);
const graceEnds: Happening = (charger, { atMs, outlet }) => withdrawEnergy(charger, outlet, atMs);
const timeIsUp: Happening = (charger, due) => endAsPlanned(charger, due, 'TimeLimitReached');
const energyIsDrawn: Happening = (charger, due) => endAsPlanned(charger, due, 'EnergyLimitReached');
const timeLimitReached: Happening = (charger, { atMs, outlet }) =>
  reachLimit(charger, outlet, 'TimeLimitReached', atMs);
const energyLimitReached: Happening = (charger, { atMs, outlet }) =>
  reachLimit(charger, outlet, 'EnergyLimitReached', atMs);

function takeSample(charger: Charger, { atMs, outlet }: Due, nowMs: number): Step {
  const isCollected = setting(charger, 'SampledDataCtrlr.TxEndedInterval') < 0;
  const measured = isCollected ? collectSample(charger, outlet, atMs) : charger;
  let sampleAtMs = nextSampleMs(charger, atMs);
  if (sampleAtMs !== null) {
    // A process that was held up does not make up for every missed sample: it goes on with the latest one.
    const missed = Math.floor((nowMs - sampleAtMs) / (sampleAtMs - atMs));
    if (missed > 0) sampleAtMs += missed * (sampleAtMs - atMs);
  }
  const sampled = { sampleAtMs, sampledWh: registerWh(connectorAt(charger, outlet)) };
  const told = updateSession(measured, outlet, 'MeterValuePeriodic', 'Sample.Periodic', atMs, sampled);
  return andThen(told, (next) => reportChanges(next, atMs));
}

const collectSample = (charger: Charger, outlet: number, atMs: number): Charger =>
  collect(charger, outlet, 'SampledDataCtrlr.TxEndedMeasurands', 'Sample.Periodic', atMs);

/** A sample for the end of the transaction alone. */
function takeForTheEnd(charger: Charger, { atMs, outlet }: Due): Step {
  const collected = collectSample(charger, outlet, atMs);
  const { session } = connectorAt(collected, outlet);
  if (session === null) return step(charger);
  const collectAtMs = nextCollectMs(collected, atMs);
  return step(withConnector(collected, outlet, { session: { ...session, collectAtMs } }));
}

/** The meters stand at this moment; that is worth keeping. */
function checkpoint(charger: Charger, { atMs, outlet }: Due): Step {
  const { session } = connectorAt(charger, outlet);
  if (session === null) return step(charger);
  const next = { ...session, checkpointAtMs: atMs + checkpointMs };
  return step(withConnector(charger, outlet, { session: next }), [{ kind: 'keep' }]);
}

function endAsPlanned(charger: Charger, { atMs, outlet }: Due, limit: 'TimeLimitReached' | 'EnergyLimitReached'): Step {
  return endSession(charger, outlet, { trigger: limit, reason: limit, token: null }, atMs);
}

/** Rounding must not leave a battery a hair below full, or it would be due again and again. */
function batteryFull(charger: Charger, { atMs, outlet }: Due): Step {
  const { ev } = connectorAt(charger, outlet);
  if (ev === null) return step(charger);
  const full = { ...ev, battery: { ...ev.battery, soc: 1 } };
  return reportChanges(withConnector(charger, outlet, { ev: full }), atMs);
}

const reservationEnds =
  ({ id }: Reservation): Happening =>
  (charger, { atMs }) =>
    cancelReservation(charger, id, atMs) ?? step(charger);

const faultEnds =
  (place: FaultPlace, errorCode: string): Happening =>
  (charger, { atMs }) => {
    const cleared = clearFault(charger, place, errorCode, atMs);
    return isRefusal(cleared) ? step(charger) : cleared;
  };
