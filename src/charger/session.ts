// A charging session and what is said of it: each word is numbered for the CSMS.

import { type Charger, connectorAt, type Effect, type Step, step, withConnector } from './charger.ts';
import { chargingState } from './connector.ts';
import { powerW, readMeter, registerWh, socPercent } from './meter.ts';
import type {
  ChargingState,
  Sample,
  SampleContext,
  Token,
  TransactionLimit,
  TransactionReport,
  TransactionTrigger,
} from './report.ts';
import type { ChargingProfile } from './schedule.ts';
import { listSetting, setting } from './settings.ts';
import { connectorRef, specOf } from './station.ts';

/** When the visit ends by itself, and who asked for it from afar. */
export interface SessionPlan {
  readonly energyWh: number | null;
  readonly durationS: number | null;
  readonly remoteStartId: number | null;
  /** The charging profile that came with the remote start. */
  readonly profile?: ChargingProfile;
  /** Whoever asked for it wants to hear when it does not come about. */
  readonly mustStart: boolean;
  /** Where the driver has set one. It does not end the visit, it pauses it. */
  readonly limit?: TransactionLimit & { readonly reached: boolean };
}

export const openEnd: SessionPlan = Object.freeze({
  energyWh: null,
  durationS: null,
  remoteStartId: null,
  mustStart: false,
});

/** So much metering a crash may cost at most. */
export const checkpointMs = 5 * 60_000;

export interface Session {
  readonly id: string;
  readonly token: Token;
  readonly parentIdTag: string | null;
  readonly startedAtMs: number;
  readonly startWh: number;
  readonly plan: SessionPlan;
  /** The number of the next word about it. */
  readonly seqNo: number;
  /** The charging state last told. */
  readonly state: ChargingState;
  readonly sampleAtMs: number | null;
  /** What the register showed at the last periodic sample. */
  readonly sampledWh: number;
  /** Samples that the end will tell, and when the next of them is taken for the end alone. */
  readonly collected: readonly Sample[];
  readonly collectAtMs: number | null;
  /** When the register is next put on record, samples or none. */
  readonly checkpointAtMs: number;
  /** The CSMS has withdrawn its permission; no energy flows any more. */
  readonly deauthorized: boolean;
  /** The permission is withdrawn, and energy flows until the register shows this; null: it is not, or no energy flows any more. */
  readonly graceUntilWh: number | null;
}

/** Says how the session stands, with a meter sample. `changes`: what else becomes of it. */
export function updateSession(
  charger: Charger,
  outlet: number,
  trigger: TransactionTrigger,
  context: SampleContext,
  atMs: number,
  changes?: Partial<Session>,
): Step {
  const samples = sample(charger, outlet, 'SampledDataCtrlr.TxUpdatedMeasurands', context, atMs);
  const connector = connectorAt(charger, outlet);
  if (samples.length === 0 && (trigger === 'MeterValuePeriodic' || trigger === 'Trigger')) {
    if (connector.session === null || changes === undefined) return step(charger);
    return step(withConnector(charger, outlet, { session: { ...connector.session, ...changes } }));
  }
  const state = chargingState(connector);
  return tell(charger, outlet, atMs, { phase: 'updated', trigger, chargingState: state, samples }, changes);
}

/** The time of the first sample after `atMs`, or null when sampling is off. */
export function nextSampleMs(charger: Charger, atMs: number): number | null {
  const intervalS = setting(charger, 'SampledDataCtrlr.TxUpdatedInterval');
  return intervalS > 0 ? atMs + intervalS * 1000 : null;
}

/** The time of the next sample that is taken for the end alone, or null when none is. */
export function nextCollectMs(charger: Charger, atMs: number): number | null {
  const intervalS = setting(charger, 'SampledDataCtrlr.TxEndedInterval');
  return intervalS > 0 ? atMs + intervalS * 1000 : null;
}

export type Telling = Pick<TransactionReport, 'phase' | 'trigger' | 'chargingState' | 'samples'> &
  Partial<Pick<TransactionReport, 'token' | 'stopReason' | 'remoteStartId' | 'reservationId' | 'limit'>>;

/** Adds one numbered word about the session of this outlet. */
export function tell(
  charger: Charger,
  outlet: number,
  atMs: number,
  telling: Telling,
  changes?: Partial<Session>,
): Step {
  const connector = connectorAt(charger, outlet);
  const { session } = connector;
  if (session === null) throw new Error('no session to tell of');
  const report: TransactionReport = {
    kind: 'transaction',
    sessionId: session.id,
    seqNo: session.seqNo,
    atMs,
    connector: connectorRef(charger.station, outlet),
    meterWh: registerWh(connector),
    token: null,
    stopReason: null,
    remoteStartId: null,
    offline: !charger.online,
    ...telling,
  };
  const told = { ...session, ...changes, seqNo: session.seqNo + 1, state: telling.chargingState };
  return step(withConnector(charger, outlet, { session: told }), [
    { kind: 'report', report },
    sessionEvent(charger, outlet, report),
  ]);
}

function sessionEvent(charger: Charger, outlet: number, report: TransactionReport): Effect {
  const connector = connectorAt(charger, outlet);
  const { evseId, connectorId } = report.connector;
  return {
    kind: 'event',
    type: `transaction.${report.phase}`,
    data: {
      evse_id: evseId,
      connector_id: connectorId,
      transaction_id: report.sessionId,
      id_tag: connector.session?.token.idTag,
      trigger: report.trigger,
      charging_state: report.chargingState,
      energy_wh: Math.round(connector.meterWh - (connector.session?.startWh ?? connector.meterWh)),
      power_w: Math.round(powerW(connector)),
      soc_percent: socPercent(connector),
      ...(report.stopReason === null ? {} : { reason: report.stopReason }),
    },
  };
}

export type MeasurandSetting =
  | 'AlignedDataCtrlr.Measurands'
  | 'AlignedDataCtrlr.TxEndedMeasurands'
  | 'SampledDataCtrlr.TxStartedMeasurands'
  | 'SampledDataCtrlr.TxUpdatedMeasurands'
  | 'SampledDataCtrlr.TxEndedMeasurands';

export const noSamples: readonly Sample[] = Object.freeze([]);

/** No measurands, no sample: an empty one is not allowed on the wire. `sinceWh`: see `readMeter`. */
export function sample(
  charger: Charger,
  outlet: number,
  measurands: MeasurandSetting,
  context: SampleContext,
  atMs: number,
  sinceWh?: number,
): readonly Sample[] {
  const wanted = listSetting(setting(charger, measurands));
  if (wanted.length === 0) return noSamples;
  const connector = connectorAt(charger, outlet);
  const beforeWh = sinceWh ?? connector.session?.sampledWh ?? registerWh(connector);
  const readings = readMeter(connector, specOf(charger.station, outlet), wanted, beforeWh);
  return readings.length === 0 ? noSamples : [{ atMs, context, readings }];
}
