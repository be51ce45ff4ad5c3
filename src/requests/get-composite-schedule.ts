// The CSMS asks what all limits together allow in the time to come.

import { type Charger, step } from '../charger/charger.ts';
import { clockMs } from '../charger/clock.ts';
import { compositeSchedule } from '../charger/composite-schedule.ts';
import { isUnitAllowed } from '../charger/profiles.ts';
import type { ProfilePlace, RateUnit } from '../charger/schedule.ts';
import type { RequestHandler } from './request.ts';

export const getCompositeSchedule: RequestHandler<'get-composite-schedule'> = {
  kind: 'get-composite-schedule',
  answer(charger, { place, durationS, unit }, atMs) {
    const chosen = unit ?? usualUnit(charger, place);
    const problem = problemWith(charger, place, durationS, chosen);
    if (problem !== null) return { ...step(charger), answer: { status: 'Rejected', reasonCode: problem } };
    const schedule = compositeSchedule(charger, place, durationS, chosen, atMs);
    const startMs = clockMs(charger, schedule.startMs);
    return { ...step(charger), answer: { status: 'Accepted', schedule: { ...schedule, startMs } } };
  },
};

function problemWith(charger: Charger, place: ProfilePlace, durationS: number, unit: RateUnit): string | null {
  if (place !== 'station' && place.length === 0) return 'UnknownEvse';
  if (!isUnitAllowed(charger, unit)) return 'UnsupportedRateUnit';
  return durationS < 0 ? 'InvalidValue' : null;
}

/** Cars on AC are told amperes, cars on DC watts. */
function usualUnit(charger: Charger, place: ProfilePlace): RateUnit {
  const spec = charger.station.connectors[place === 'station' ? 0 : (place[0] ?? 0)];
  const usual = spec?.current === 'DC' ? 'W' : 'A';
  return isUnitAllowed(charger, usual) ? usual : usual === 'A' ? 'W' : 'A';
}
