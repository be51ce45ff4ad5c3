// One outlet of a charger: independent facts about it, and the status that follows from them.

import { type Battery, type EvSpec, isFull } from './battery.ts';
import type { Fault } from './faults.ts';
import { type FirmwareUpdate, isUpdating } from './firmware-update.ts';
import type { ChargingState, ConnectorStatus, Shown, Token } from './report.ts';
import type { Reservation } from './reservations.ts';
import type { Session, SessionPlan } from './session.ts';
import type { ConnectorSpec } from './station.ts';

export interface Ev {
  readonly battery: Battery;
  readonly phases: number;
  /** The driver or the car said that it takes no energy. Outranks a pause by the EVSE until it asks again. */
  readonly refuses: boolean;
}

/** An accepted token that waits for a car. */
export interface Waiting {
  readonly token: Token;
  readonly plan: SessionPlan;
  readonly parentIdTag: string | null;
  readonly untilMs: number;
}

/** What the world has done to an outlet; it outlasts a power cut. */
export interface ConnectorConditions {
  readonly bayOccupied?: boolean;
  readonly externalLimitW?: number | null;
  readonly lockJammed?: boolean;
}

export interface Connector {
  readonly ev: Ev | null;
  readonly waiting: Waiting | null;
  readonly session: Session | null;
  /** A transaction has ended and its cable is still in. */
  readonly afterSession: boolean;
  readonly operative: boolean;
  readonly reservation: Reservation | null;
  readonly locked: boolean;
  readonly faults: readonly Fault[];
  /** Absent where the world is as it should be. */
  readonly conditions?: ConnectorConditions;
  /** The operator's set point, until unplug. */
  readonly setPointW: number | null;
  /** What may be drawn, all limits considered. */
  readonly offeredW: number;
  /** How many phases may be used; 0 for DC. */
  readonly phases: number;
  /** The register never counts down and is never reset. */
  readonly meterWh: number;
  readonly meteredAtMs: number;
  /** What was last told to the outside, and since when it is so. */
  readonly shown: Shown;
  readonly shownAtMs: number;
}

export const available: Shown = Object.freeze({ status: 'Available', plugged: false, errorCode: 'NoError' });

export function newConnector(spec: ConnectorSpec, atMs: number): Connector {
  return {
    ev: null,
    waiting: null,
    session: null,
    afterSession: false,
    operative: true,
    reservation: null,
    locked: false,
    faults: noFaults,
    setPointW: null,
    offeredW: spec.maxPowerW,
    phases: spec.phases,
    meterWh: 0,
    meteredAtMs: atMs,
    shown: available,
    shownAtMs: atMs,
  };
}

const noFaults: readonly Fault[] = Object.freeze([]);

/** The car that stands there unless a driver says otherwise: takes the connector's full rating, 60 kWh at 20 %. */
export function newEv(ev: EvSpec, spec: ConnectorSpec): Ev {
  const ratedPhases = spec.phases === 0 ? 3 : spec.phases;
  const phases = Math.min(ev.phases ?? ratedPhases, ratedPhases);
  // A single-phase car on a three-phase outlet can take only its phase's part of the rating.
  const outletW = spec.current === 'AC' ? (spec.maxPowerW * phases) / ratedPhases : spec.maxPowerW;
  return {
    battery: {
      capacityWh: (ev.batteryKwh ?? 60) * 1000,
      soc: (ev.socPercent ?? 20) / 100,
      maxPowerW: Math.min(ev.maxPowerW ?? outletW, outletW),
      efficiency: spec.current === 'AC' ? 0.92 : 0.97,
    },
    phases,
    refuses: false,
  };
}

export const wantsEnergy = (ev: Ev): boolean => !ev.refuses && !isFull(ev.battery);
/** The charger gives this transaction no energy: no permission any more, or its limit is reached. */
export const isPaused = (session: Session): boolean => session.deauthorized || session.plan.limit?.reached === true;
export const isBlocked = (faults: readonly Fault[]): boolean => faults.some((fault) => fault.blocking);

/** Energy flows: a transaction with an authorised, willing car, something on offer, and nothing broken. */
export function isDrawing(connector: Connector): boolean {
  return (
    connector.session !== null &&
    connector.ev !== null &&
    connector.offeredW > 0 &&
    !isPaused(connector.session) &&
    wantsEnergy(connector.ev) &&
    !isBlocked(connector.faults) &&
    !isOutOfTouch(connector)
  );
}

/** The status as if no fault were there; first match wins. */
export function underlyingStatus(connector: Connector, station: StationFacts): ConnectorStatus {
  if (connector.session !== null) return sessionStatus(connector, connector.session);
  if (connector.ev?.refuses) return 'SuspendedEV';
  if (!connector.operative || !station.operative || isUpdating(station.firmware)) return 'Unavailable';
  // A cable that is still locked in its socket is as good as a car.
  if (connector.ev !== null || connector.locked) return connector.afterSession ? 'Finishing' : 'Preparing';
  if (connector.waiting !== null) return 'Preparing';
  return connector.reservation !== null ? 'Reserved' : 'Available';
}

function sessionStatus(connector: Connector, session: Session): 'Charging' | 'SuspendedEV' | 'SuspendedEVSE' {
  const { ev } = connector;
  if (ev?.refuses) return 'SuspendedEV';
  if (connector.offeredW <= 0 || isPaused(session) || isOutOfTouch(connector)) return 'SuspendedEVSE';
  return ev !== null && wantsEnergy(ev) ? 'Charging' : 'SuspendedEV';
}

/** The charger does not understand the car any more: no energy flows, and yet nothing is broken. */
const isOutOfTouch = ({ faults }: Connector): boolean =>
  faults.length > 0 && faults.some((fault) => fault.errorCode === 'EVCommunicationError');

/** What of the station as a whole shows on every connector. */
interface StationFacts {
  readonly firmware?: FirmwareUpdate | null;
  readonly faults: readonly Fault[];
  readonly operative: boolean;
}

/** What the outside sees now. */
export function show(connector: Connector, station: StationFacts): Shown {
  const stationFaults = station.faults;
  const blocked = isBlocked(connector.faults) || isBlocked(stationFaults);
  return {
    status: blocked ? 'Faulted' : underlyingStatus(connector, station),
    plugged: connector.ev !== null,
    errorCode:
      connector.faults.at(-1)?.errorCode ?? (blocked ? (stationFaults.at(-1)?.errorCode ?? 'NoError') : 'NoError'),
  };
}

export const sameShown = (one: Shown, other: Shown): boolean =>
  one.status === other.status && one.plugged === other.plugged && one.errorCode === other.errorCode;

/** How far the running transaction has come, in the words of the 2.x family. */
export function chargingState(connector: Connector): ChargingState {
  if (connector.ev === null) return 'Idle';
  return connector.session === null ? 'EVConnected' : sessionStatus(connector, connector.session);
}
