// Charging profiles as a CSMS of OCPP 1.6 sends them, for tests.

import { expect } from 'vitest';
import { type Payload, startMs, type Talk } from './talk.ts';

export const at = (seconds: number): string => new Date(startMs + seconds * 1000).toISOString();

/** A profile from `[startPeriod, limit]` pairs, in amperes from now on unless it says otherwise. */
export function profile(periods: readonly (readonly [number, number, number?])[], more: Payload = {}): Payload {
  const { unit = 'A', startSchedule = at(0), duration, ...rest } = more;
  return {
    chargingProfileId: 1,
    stackLevel: 0,
    chargingProfilePurpose: 'TxDefaultProfile',
    chargingProfileKind: 'Absolute',
    ...rest,
    chargingSchedule: {
      ...(startSchedule === null ? {} : { startSchedule }),
      ...(duration === undefined ? {} : { duration }),
      chargingRateUnit: unit,
      chargingSchedulePeriod: periods.map(([startPeriod, limit, numberPhases]) => ({
        startPeriod,
        limit,
        ...(numberPhases === undefined ? {} : { numberPhases }),
      })),
    },
  };
}

export const txProfile = { chargingProfilePurpose: 'TxProfile' };
export const relative = { chargingProfileKind: 'Relative', startSchedule: null };
export const max = { chargingProfilePurpose: 'ChargePointMaxProfile' };

export const result = (reply: unknown[] | undefined): Payload => reply?.[2] as Payload;

export const set = (talk: Talk, csChargingProfiles: Payload, connectorId = 1): string =>
  result(talk.request('SetChargingProfile', { connectorId, csChargingProfiles }))['status'];

export const clear = (talk: Talk, criteria: Payload): string =>
  result(talk.request('ClearChargingProfile', criteria))['status'];

export const composite = (
  talk: Talk,
  duration: number,
  connectorId = 1,
  chargingRateUnit = 'A',
): [number, number][] => {
  const reply = result(talk.request('GetCompositeSchedule', { connectorId, duration, chargingRateUnit }));
  expect(reply).toMatchObject({ status: 'Accepted', connectorId, chargingSchedule: { duration, chargingRateUnit } });
  return reply['chargingSchedule'].chargingSchedulePeriod.map((period: Payload) => [
    period['startPeriod'],
    period['limit'],
  ]);
};

export const offersW = (talk: Talk): number[] =>
  talk.conversation.charger.connectors.map((connector) => Math.round(connector.offeredW));

export const amperes = (limit: number, phases = 3): number => limit * 230 * phases;
