// When the meters are read: on the clock whether anybody charges or not, when the CSMS asks, and for the end of a transaction.

import { andThen, type Charger, connectorAt, type Effect, type Step, step, withConnector } from './charger.ts';
import { chargingState } from './connector.ts';
import { hasMainMeter, mainRegisterWh, readMainMeter } from './main-meter.ts';
import { registerWh } from './meter.ts';
import type { Sample, SampleContext } from './report.ts';
import { type MeasurandSetting, sample, tell, updateSession } from './session.ts';
import { listSetting, setting } from './settings.ts';
import { connectorRef } from './station.ts';

/** The next reading on the clock, and what the registers showed at the last one; the main meter's comes last. */
export interface Aligned {
  readonly atMs: number;
  readonly registersWh: readonly number[];
}

/** Null where nothing is read on the clock. Aligned to midnight as the charger's clock shows it. */
export function nextAligned(charger: Charger, atMs: number): Aligned | null {
  const intervalMs = setting(charger, 'AlignedDataCtrlr.Interval') * 1000;
  if (intervalMs === 0) return null;
  const shownMs = atMs + charger.clockOffsetMs;
  const midnightMs = Math.floor(shownMs / dayMs) * dayMs;
  const next = midnightMs + (Math.floor((shownMs - midnightMs) / intervalMs) + 1) * intervalMs;
  // An interval that does not divide the day begins anew at midnight.
  const nextMs = Math.min(next, midnightMs + dayMs);
  const registersWh = charger.connectors.map(registerWh);
  return { atMs: nextMs - charger.clockOffsetMs, registersWh: [...registersWh, mainRegisterWh(charger)] };
}

const dayMs = 86_400_000;

/** Reads all meters on the clock. `nowMs` is later when the process was held up: what was missed is not made up for. */
export function takeAligned(charger: Charger, aligned: Aligned, nowMs: number): Step {
  const { atMs, registersWh } = aligned;
  const main = hasMainMeter(charger) ? readMain(charger, 'Sample.Clock', registersWh.at(-1) ?? 0, atMs) : step(charger);
  const told = charger.connectors.reduce(
    (taken, _, outlet) => andThen(taken, (next) => alignedAt(next, outlet, registersWh[outlet] ?? 0, atMs)),
    main,
  );
  return step({ ...told.charger, aligned: nextAligned(told.charger, Math.max(atMs, nowMs)) }, told.effects);
}

function alignedAt(charger: Charger, outlet: number, sinceWh: number, atMs: number): Step {
  const samples = sample(charger, outlet, 'AlignedDataCtrlr.Measurands', 'Sample.Clock', atMs, sinceWh);
  const connector = connectorAt(charger, outlet);
  if (connector.session === null) return step(charger, meterEffects(charger, outlet, samples, atMs));
  const collected = collect(charger, outlet, 'AlignedDataCtrlr.TxEndedMeasurands', 'Sample.Clock', atMs, sinceWh);
  if (samples.length === 0) return step(collected);
  const state = chargingState(connector);
  return tell(collected, outlet, atMs, { phase: 'updated', trigger: 'MeterValueClock', chargingState: state, samples });
}

/** The CSMS wants to know what the meters show, in a transaction or not. */
export function triggerMeters(charger: Charger, station: boolean, outlets: readonly number[], atMs: number): Step {
  const context = 'Trigger';
  // Asked for the station alone, one that has a single outlet reads that as the whole.
  const isRead = station && (hasMainMeter(charger) || outlets.length === 0);
  const main = isRead ? readMain(charger, context, mainRegisterWh(charger), atMs) : step(charger);
  return outlets.reduce((told, outlet) => {
    if (connectorAt(charger, outlet).session !== null) {
      return andThen(told, (next) => updateSession(next, outlet, 'Trigger', context, atMs));
    }
    const samples = sample(charger, outlet, 'SampledDataCtrlr.TxUpdatedMeasurands', context, atMs);
    return andThen(told, (next) => step(next, meterEffects(next, outlet, samples, atMs)));
  }, main);
}

function readMain(charger: Charger, context: SampleContext, sinceWh: number, atMs: number): Step {
  const name = context === 'Sample.Clock' ? 'AlignedDataCtrlr.Measurands' : 'SampledDataCtrlr.TxUpdatedMeasurands';
  const readings = readMainMeter(charger, listSetting(setting(charger, name)), sinceWh);
  return step(charger, meterEffects(charger, null, readings.length === 0 ? [] : [{ atMs, context, readings }], atMs));
}

/** `outlet` null is the main meter. */
function meterEffects(
  { station }: Charger,
  outlet: number | null,
  samples: readonly Sample[],
  atMs: number,
): readonly Effect[] {
  if (samples.length === 0) return [];
  const connector = outlet === null ? null : connectorRef(station, outlet);
  return [{ kind: 'report', report: { kind: 'meter', connector, atMs, samples } }];
}

/** More samples than this the end of a transaction does not tell: every second one goes. */
export const maxCollected = 100;

/** Keeps a sample for the end of the transaction. */
export function collect(
  charger: Charger,
  outlet: number,
  measurands: MeasurandSetting,
  context: SampleContext,
  atMs: number,
  sinceWh?: number,
): Charger {
  const { session } = connectorAt(charger, outlet);
  const samples = sample(charger, outlet, measurands, context, atMs, sinceWh);
  if (session === null || samples.length === 0) return charger;
  const all = [...session.collected, ...samples];
  const collected = all.length > maxCollected ? all.filter((_, index) => index % 2 === 0) : all;
  return withConnector(charger, outlet, { session: { ...session, collected } });
}
