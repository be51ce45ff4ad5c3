// How OCPP 1.6 speaks of charging profiles.

import type {
  ChargingProfile,
  ProfilePlace,
  ProfilePurpose,
  RateUnit,
  SchedulePeriod,
} from '../../charger/schedule.ts';
import type { RequestRow, Slice, Talk } from '../dialect.ts';
import type { Payload } from '../frame.ts';
import { timestamp } from '../wording.ts';

export const setChargingProfile: RequestRow<'set-charging-profile'> = {
  kind: 'set-charging-profile',
  decode: (payload, talk) => ({
    kind: 'set-charging-profile',
    profile: profileOf(payload['csChargingProfiles'] as Payload, placeOf(payload['connectorId'] as number, talk), talk),
  }),
  encode: ({ status }) => ({ status }),
};

export const clearChargingProfile: RequestRow<'clear-charging-profile'> = {
  kind: 'clear-charging-profile',
  decode(payload, talk) {
    const connectorId = payload['connectorId'] as number | undefined;
    const purpose = payload['chargingProfilePurpose'] as string | undefined;
    return {
      kind: 'clear-charging-profile',
      id: (payload['id'] as number | undefined) ?? null,
      place: connectorId === undefined ? null : placeOf(connectorId, talk),
      purpose: purpose === undefined ? null : purposeOf(purpose),
      stackLevel: (payload['stackLevel'] as number | undefined) ?? null,
    };
  },
  encode: ({ status }) => ({ status }),
};

export const getCompositeSchedule: RequestRow<'get-composite-schedule'> = {
  kind: 'get-composite-schedule',
  decode: (payload, talk) => ({
    kind: 'get-composite-schedule',
    place: placeOf(payload['connectorId'] as number, talk),
    durationS: payload['duration'] as number,
    unit: (payload['chargingRateUnit'] as RateUnit | undefined) ?? null,
  }),
  encode({ status, schedule }) {
    if (schedule === undefined) return { status };
    const { place, startMs, durationS, unit, periods } = schedule;
    return {
      status,
      connectorId: place === 'station' ? 0 : (place[0] ?? 0) + 1,
      scheduleStart: timestamp(startMs),
      chargingSchedule: {
        duration: durationS,
        startSchedule: timestamp(startMs),
        chargingRateUnit: unit,
        chargingSchedulePeriod: periods.map(({ startS, limit, phases }) => ({
          startPeriod: startS,
          limit,
          ...(phases === null ? {} : { numberPhases: phases }),
        })),
      },
    };
  },
};

export function profileOf(profile: Payload, place: ProfilePlace, { slice }: Pick<Talk, 'slice'>): ChargingProfile {
  const schedule = profile['chargingSchedule'] as Payload;
  const periods = schedule['chargingSchedulePeriod'] as readonly Payload[];
  const transactionId = profile['transactionId'] as number | undefined;
  return {
    id: profile['chargingProfileId'] as number,
    place,
    purpose: purposeOf(profile['chargingProfilePurpose'] as string),
    stackLevel: profile['stackLevel'] as number,
    kind: profile['chargingProfileKind'] as ChargingProfile['kind'],
    recurrency: (profile['recurrencyKind'] as ChargingProfile['recurrency'] | undefined) ?? null,
    validFromMs: time(profile['validFrom']),
    validToMs: time(profile['validTo']),
    sessionId: transactionId === undefined ? null : sessionOf(slice, transactionId),
    schedules: [
      {
        id: null,
        startMs: time(schedule['startSchedule']),
        durationS: (schedule['duration'] as number | undefined) ?? null,
        unit: schedule['chargingRateUnit'] as RateUnit,
        minRate: (schedule['minChargingRate'] as number | undefined) ?? null,
        periods: periods.map(periodOf),
      },
    ],
  };
}

const periodOf = (period: Payload): SchedulePeriod => ({
  startS: period['startPeriod'] as number,
  limit: period['limit'] as number,
  phases: (period['numberPhases'] as number | undefined) ?? null,
});

function placeOf(connectorId: number, { station }: Talk): ProfilePlace {
  if (connectorId === 0) return 'station';
  return station.connectors[connectorId - 1] === undefined ? [] : [connectorId - 1];
}

const purposeOf = (purpose: string): ProfilePurpose =>
  purpose === 'ChargePointMaxProfile' ? 'ChargingStationMaxProfile' : (purpose as ProfilePurpose);

/** A number that was never given out stands for itself: no session has such an id. */
const sessionOf = ({ transactionIds }: Slice, wanted: number): string =>
  Object.keys(transactionIds).find((sessionId) => transactionIds[sessionId] === wanted) ?? String(wanted);

const time = (text: unknown): number | null => (text === undefined ? null : Date.parse(text as string));
