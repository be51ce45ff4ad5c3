// One outlet of a charger: independent facts about it, and the status that follows from them.

import { type Battery, type EvSpec, isFull } from './battery.ts';
import type { Fault } from './faults.ts';
import type { ChargingState, ConnectorStatus, Shown, Token } from './report.ts';
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
  readonly locked: boolean;
  readonly faults: readonly Fault[];
  /** Absent where the world is as it should be. */
  readonly conditions?: ConnectorConditions;
  /** The operator's set point, until unplug. */
  readonly setPointW: number | null;
  /** What may be drawn, all limits considered. */
  readonly offeredW: number;
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
    locked: false,
    faults: noFaults,
    setPointW: null,
    offeredW: spec.maxPowerW,
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
    !isBlocked(connector.faults)
  );
}

/** The status as if no fault were there; first match wins. */
export function underlyingStatus(connector: Connector): ConnectorStatus {
  const { ev, session } = connector;
  if (session !== null) {
    if (ev?.refuses) return 'SuspendedEV';
    if (connector.offeredW <= 0 || isPaused(session)) return 'SuspendedEVSE';
    return ev !== null && wantsEnergy(ev) ? 'Charging' : 'SuspendedEV';
  }
  if (ev?.refuses) return 'SuspendedEV';
  if (!connector.operative) return 'Unavailable';
  if (ev !== null) return connector.afterSession ? 'Finishing' : 'Preparing';
  return connector.waiting !== null ? 'Preparing' : 'Available';
}

/** What the outside sees now. `stationFaults` are those of the whole charger. */
export function show(connector: Connector, stationFaults: readonly Fault[]): Shown {
  const blocked = isBlocked(connector.faults) || isBlocked(stationFaults);
  return {
    status: blocked ? 'Faulted' : underlyingStatus(connector),
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
  const status = underlyingStatus(connector);
  return status === 'Charging' || status === 'SuspendedEV' || status === 'SuspendedEVSE' ? status : 'EVConnected';
}
