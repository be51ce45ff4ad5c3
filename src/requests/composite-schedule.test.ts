// What a CSMS gets to know of the limits together, and how it takes them back.

import { describe, expect, it } from 'vitest';
import {
  amperes,
  at,
  clear,
  composite,
  max,
  offersW,
  profile,
  relative,
  result,
  set,
  txProfile,
} from '../../test/profiles.ts';
import { booted, charging, station } from '../../test/talk.ts';
import { connectorKind } from '../charger/station.ts';

describe('clearing', () => {
  it('by id looks at nothing else', async () => {
    const talk = await charging('1.6');
    set(talk, profile([[0, 10]]));
    expect(clear(talk, { id: 2 })).toBe('Unknown');
    expect(clear(talk, { id: 1, stackLevel: 5, connectorId: 9 })).toBe('Accepted');
    expect(offersW(talk)).toEqual([22_000]);
  });

  it('by connector, purpose and level takes what fits all of them', async () => {
    const talk = await booted('1.6', { station: station({ connectorCount: 2 }) });
    set(talk, profile([[0, 10]]), 1);
    set(talk, profile([[0, 10]], { chargingProfileId: 2 }), 2);
    set(talk, profile([[0, 10]], { chargingProfileId: 3, stackLevel: 1 }), 2);
    set(talk, profile([[0, 10]], { ...max, chargingProfileId: 4 }), 0);
    expect(clear(talk, { connectorId: 3 })).toBe('Unknown');
    expect(clear(talk, { connectorId: 2, chargingProfilePurpose: 'TxProfile' })).toBe('Unknown');
    expect(clear(talk, { connectorId: 2, stackLevel: 1 })).toBe('Accepted');
    expect(talk.conversation.charger.profiles.map(({ id }) => id)).toEqual([1, 2, 4]);
    expect(clear(talk, { connectorId: 0 })).toBe('Accepted');
    expect(clear(talk, { chargingProfilePurpose: 'TxDefaultProfile' })).toBe('Accepted');
    expect(clear(talk, {})).toBe('Unknown');
  });
});

describe('the composite schedule of a charge point', () => {
  it('tells the limits of the time to come', async () => {
    const talk = await charging('1.6');
    set(talk, profile([[0, 20]], { ...max, chargingProfileId: 1, duration: 86_400 }), 0);
    set(
      talk,
      profile(
        [
          [0, 6],
          [60, 10],
          [120, 8],
        ],
        { chargingProfileId: 2, duration: 300 },
      ),
    );
    set(
      talk,
      profile(
        [
          [0, 16],
          [50, 25],
        ],
        { ...txProfile, ...relative, chargingProfileId: 3, duration: 90 },
      ),
    );
    expect(composite(talk, 400)).toEqual([
      [0, 16],
      [50, 20],
      [90, 10],
      [120, 8],
      [300, 20],
    ]);
    talk.pass(100);
    expect(composite(talk, 100)).toEqual([
      [0, 10],
      [20, 8],
    ]);
    expect(composite(talk, 30, 1, 'W')).toEqual([
      [0, amperes(10)],
      [20, amperes(8)],
    ]);
  });

  it('is refused for a connector that is not there, and has at least one period', async () => {
    const talk = await booted('1.6');
    expect(result(talk.request('GetCompositeSchedule', { connectorId: 2, duration: 60 }))).toEqual({
      status: 'Rejected',
    });
    expect(composite(talk, 0)).toEqual([[0, 31.9]]);
    expect(result(talk.request('GetCompositeSchedule', { connectorId: 0, duration: 60 }))).toMatchObject({
      status: 'Accepted',
      scheduleStart: at(0),
      chargingSchedule: { chargingRateUnit: 'A', chargingSchedulePeriod: [{ startPeriod: 0, limit: 31.9 }] },
    });
  });

  it('is refused in a unit that the charger does not allow', async () => {
    const talk = await booted('1.6');
    talk.command('set-configuration', { key: 'ChargingScheduleAllowedChargingRateUnit', value: 'Current' });
    expect(set(talk, profile([[0, 1_000]], { unit: 'W' }))).toBe('Rejected');
    const request = { connectorId: 1, duration: 60, chargingRateUnit: 'W' };
    expect(result(talk.request('GetCompositeSchedule', request))).toEqual({ status: 'Rejected' });
  });

  it('of a DC outlet is told in watts', async () => {
    const kind = connectorKind('CCS2', 150_000);
    const connectors = [{ evseId: 1, connectorId: 1, type: 'CCS2', ...kind, hasLock: false, maxPowerW: 150_000 }];
    const talk = await booted('1.6', { station: station({ maxPowerW: 150_000, connectors }) });
    talk.command('start-session', { id_tag: 'A' });
    set(talk, profile([[0, 50_000, 3]], { unit: 'W' }));
    expect(offersW(talk)).toEqual([50_000]);
    expect(result(talk.request('GetCompositeSchedule', { connectorId: 1, duration: 60 }))).toMatchObject({
      chargingSchedule: { chargingRateUnit: 'W', chargingSchedulePeriod: [{ startPeriod: 0, limit: 50_000 }] },
    });
  });
});
