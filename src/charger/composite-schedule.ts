// What all charging profiles together allow in the time to come, as one schedule.

import { type Charger, connectorAt } from './charger.ts';
import { type Limit, outletLimit, stationLimit } from './profile-limits.ts';
import type { ProfilePlace, RateUnit, SchedulePeriod } from './schedule.ts';
import { setting } from './settings.ts';
import { specOf } from './station.ts';

export interface CompositeSchedule {
  readonly place: ProfilePlace;
  readonly startMs: number;
  readonly durationS: number;
  readonly unit: RateUnit;
  readonly periods: readonly SchedulePeriod[];
}

/** So many times a profile is looked into at most: nobody can make a charger think for long. */
const maxLooks = 50_000;

/**
 * The time to come, as far as is known now. Shorter than asked for when it would have more periods than a schedule may have, or
 * changes more often than can be looked at.
 */
export function compositeSchedule(
  charger: Charger,
  place: ProfilePlace,
  durationS: number,
  unit: RateUnit,
  atMs: number,
): CompositeSchedule {
  const startMs = Math.floor(atMs / 1000) * 1000;
  const endMs = startMs + durationS * 1000;
  const mostPeriods = setting(charger, 'SmartChargingCtrlr.PeriodsPerSchedule');
  const maxSteps = maxLooks / (charger.connectors.length * Math.max(1, charger.profiles.length));
  const periods: SchedulePeriod[] = [];
  let reachedMs = startMs;
  for (let steps = 0; (reachedMs < endMs || steps === 0) && steps < maxSteps; steps++) {
    const planned = plannedLimit(charger, place, reachedMs, startMs);
    const next = {
      startS: Math.floor((reachedMs - startMs) / 1000),
      limit: tenths(unit === 'W' ? planned.limitW : planned.limitW / planned.wattsPerAmpere),
      phases: planned.namedPhases,
    };
    const last = periods.at(-1);
    if (last?.startS === next.startS) periods.pop();
    const before = periods.at(-1);
    if (before?.limit !== next.limit || before.phases !== next.phases) {
      if (periods.length === mostPeriods) break;
      periods.push(next);
    }
    reachedMs = planned.untilMs;
  }
  const reachedS = Math.ceil((Math.min(reachedMs, endMs) - startMs) / 1000);
  return { place, startMs, durationS: Math.max(0, reachedS), unit, periods };
}

/** `startMs`: a session that has not begun would begin then. */
function plannedLimit(charger: Charger, place: ProfilePlace, atMs: number, startMs: number): Limit {
  const planned = (outlet: number): Limit => {
    const sinceMs = connectorAt(charger, outlet).session?.startedAtMs ?? startMs;
    return outletLimit(
      charger,
      outlet,
      { usable: specOf(charger.station, outlet).phases, isFixed: false },
      atMs,
      sinceMs,
    );
  };
  if (place !== 'station') return planned(outletInUse(charger, place));
  const whole = stationLimit(charger, atMs);
  const evses = new Set(charger.station.connectors.map(({ evseId }) => evseId));
  const outlets = [...evses].map((evseId) => planned(outletInUse(charger, outletsOf(charger, evseId))));
  return {
    ...whole,
    limitW: Math.min(
      whole.limitW,
      outlets.reduce((sum, { limitW }) => sum + limitW, 0),
    ),
    untilMs: outlets.reduce((first, { untilMs }) => Math.min(first, untilMs), whole.untilMs),
  };
}

const outletsOf = ({ station }: Charger, evseId: number): readonly number[] =>
  [...station.connectors.keys()].filter((outlet) => station.connectors[outlet]?.evseId === evseId);

/** An EVSE serves one of its outlets at a time. */
const outletInUse = (charger: Charger, outlets: readonly number[]): number =>
  outlets.find((outlet) => connectorAt(charger, outlet).session !== null) ?? outlets[0] ?? 0;

const tenths = (value: number): number => Math.round(value * 10) / 10;
