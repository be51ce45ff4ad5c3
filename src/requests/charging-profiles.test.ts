// Charging profiles of the CSMS: which are taken, what they do to the power as time passes, and how long they last.

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
import { booted, charging, type Payload, startMs, station, Talk } from '../../test/talk.ts';

describe('a default for transactions', () => {
  it('limits the next transaction', async () => {
    const talk = await booted('1.6');
    expect(set(talk, profile([[0, 10]]))).toBe('Accepted');
    talk.command('start-session', { id_tag: 'A' });
    expect(offersW(talk)).toEqual([amperes(10)]);
  });

  it('limits the one that is running', async () => {
    const talk = await charging('1.6');
    expect(set(talk, profile([[0, 10]]))).toBe('Accepted');
    expect(offersW(talk)).toEqual([amperes(10)]);
    expect(talk.saidInShort()).toEqual([]);
  });

  it('changes the power at the beginning of each period, by itself, and only the energy of each is metered', async () => {
    const talk = await charging('1.6');
    const [limit, lower] = [16, 8];
    set(
      talk,
      profile([
        [0, limit],
        [600, lower],
        [1_200, 32],
      ]),
    );
    talk.pass(599);
    expect(offersW(talk)).toEqual([amperes(limit)]);
    talk.pass(1);
    expect(offersW(talk)).toEqual([amperes(lower)]);
    talk.pass(600);
    expect(offersW(talk)).toEqual([22_000]);
    const { meterWh } = talk.conversation.charger.connectors[0] as { meterWh: number };
    expect(meterWh).toBeCloseTo((amperes(limit) + amperes(lower)) / 6, 3);
  });

  it('of nothing, or of less than a car can take, suspends by the EVSE; of more again goes on', async () => {
    const talk = await charging('1.6');
    set(
      talk,
      profile([
        [0, 16],
        [60, 0],
        [120, 5.9],
        [180, 6],
      ]),
    );
    talk.pass(200);
    const statuses = talk.said().filter(({ action }) => action === 'StatusNotification');
    expect(statuses.map(({ payload, atMs }) => [payload['status'], (atMs - startMs) / 1000])).toEqual([
      ['SuspendedEVSE', 60],
      ['Charging', 180],
    ]);
    talk.command('ev-stops-energy');
    clear(talk, {});
    expect(talk.conversation.charger.connectors[0]?.shown.status).toBe('SuspendedEV');
  });

  it('in watts limits a single phase as it limits three', async () => {
    const talk = await booted('1.6');
    talk.command('start-session', { id_tag: 'A', ev: { phases: 1 } });
    set(talk, profile([[0, 3_000]], { unit: 'W' }));
    expect(offersW(talk)).toEqual([3_000]);
    set(talk, profile([[0, 10]]));
    expect(offersW(talk)).toEqual([amperes(10, 1)]);
  });

  it('for the station as a whole is for each connector, and one for a connector is for that one', async () => {
    const plate = station({ connectorCount: 2, maxPowerW: 44_000 });
    const talk = await booted('1.6', { station: plate });
    talk.command('start-session', { id_tag: 'A', evse_id: 1 });
    talk.command('start-session', { id_tag: 'B', evse_id: 2 });
    expect(set(talk, profile([[0, 10]]), 0)).toBe('Accepted');
    expect(offersW(talk)).toEqual([amperes(10), amperes(10)]);
    set(talk, profile([[0, 8]], { chargingProfileId: 2, stackLevel: 1 }), 2);
    expect(offersW(talk)).toEqual([amperes(10), amperes(8)]);
  });

  it('counts from the start of the transaction when it is relative', async () => {
    const talk = await booted('1.6');
    const periods = [
      [0, 16],
      [300, 8],
    ] as const;
    expect(set(talk, profile(periods, relative))).toBe('Accepted');
    talk.pass(1_000).command('start-session', { id_tag: 'A' });
    expect(offersW(talk)).toEqual([amperes(16)]);
    talk.pass(300);
    expect(offersW(talk)).toEqual([amperes(8)]);
  });

  it.each([
    ['Daily', 86_400],
    ['Weekly', 7 * 86_400],
  ])('that recurs %s begins again, and its gaps are free', async (recurrencyKind, cycleS) => {
    const talk = await booted('1.6');
    talk.command('set-configuration', { key: 'MeterValueSampleInterval', value: '0' });
    const recurring = { chargingProfileKind: 'Recurring', recurrencyKind, startSchedule: at(-cycleS), duration: 120 };
    const periods = [
      [0, 16],
      [60, 8],
    ] as const;
    expect(set(talk, profile(periods, recurring))).toBe('Accepted');
    talk.command('start-session', { id_tag: 'A', ev: { battery_kwh: 200, soc_percent: 1, max_power_w: 1_000 } });
    expect(offersW(talk)).toEqual([amperes(16)]);
    expect(offersW(talk.pass(60))).toEqual([amperes(8)]);
    expect(offersW(talk.pass(60))).toEqual([22_000]);
    expect(offersW(talk.pass(cycleS - 121))).toEqual([22_000]);
    expect(offersW(talk.pass(1))).toEqual([amperes(16)]);
  });

  it('is valid from and until the times that it says', async () => {
    const talk = await charging('1.6');
    set(talk, profile([[0, 10]], { validFrom: at(60), validTo: at(120) }));
    expect(offersW(talk)).toEqual([22_000]);
    expect(offersW(talk.pass(60))).toEqual([amperes(10)]);
    expect(offersW(talk.pass(60))).toEqual([22_000]);
  });

  it('survives a power cut; that of a transaction does not', async () => {
    const talk = await charging('1.6');
    set(talk, profile([[0, 10]]));
    set(talk, profile([[0, 8]], { ...txProfile, chargingProfileId: 2 }));
    expect(offersW(talk)).toEqual([amperes(8)]);
    talk.pass(1).powerCut();
    expect(talk.conversation.charger.profiles.map(({ id }) => id)).toEqual([1]);
    talk.command('start-session', { id_tag: 'A' });
    expect(offersW(talk)).toEqual([amperes(10)]);
  });

  it('and that of a transaction go on together after a sleep in good order', async () => {
    const talk = await charging('1.6');
    set(
      talk,
      profile(
        [
          [0, 10],
          [600, 8],
        ],
        { ...txProfile, ...relative },
      ),
    );
    talk.sleepAndWake(300);
    expect(offersW(talk)).toEqual([amperes(10)]);
    expect(offersW(talk.pass(300))).toEqual([amperes(8)]);
  });
});

describe('the profile of a transaction', () => {
  it('overrules the default, even upwards, and dies with the transaction', async () => {
    const talk = await charging('1.6');
    set(talk, profile([[0, 8]]));
    expect(set(talk, profile([[0, 16]], { ...txProfile, chargingProfileId: 2, transactionId: 1 }))).toBe('Accepted');
    expect(offersW(talk)).toEqual([amperes(16)]);
    talk.command('stop-session');
    talk.command('start-session', { id_tag: 'A' });
    expect(offersW(talk)).toEqual([amperes(8)]);
    expect(talk.conversation.charger.profiles).toHaveLength(1);
  });

  it('lets the default through where it says nothing', async () => {
    const talk = await charging('1.6');
    set(talk, profile([[0, 8]]));
    set(talk, profile([[0, 16]], { ...txProfile, chargingProfileId: 2, duration: 60 }));
    expect(offersW(talk)).toEqual([amperes(16)]);
    expect(offersW(talk.pass(60))).toEqual([amperes(8)]);
  });

  it('is refused without a transaction, for another one, and for the station', async () => {
    const talk = await booted('1.6');
    expect(set(talk, profile([[0, 8]], txProfile))).toBe('Rejected');
    talk.command('start-session', { id_tag: 'A' });
    expect(set(talk, profile([[0, 8]], { ...txProfile, transactionId: 99 }))).toBe('Rejected');
    expect(set(talk, profile([[0, 8]], txProfile), 0)).toBe('Rejected');
    expect(offersW(talk)).toEqual([22_000]);
  });
});

describe('a profile that comes with a remote start', () => {
  const start = (talk: Talk, chargingProfile: Payload): string =>
    result(talk.request('RemoteStartTransaction', { idTag: 'A', connectorId: 1, chargingProfile }))['status'];

  it('limits the transaction that follows, and no other', async () => {
    const talk = await booted('1.6');
    const periods = [
      [0, 10],
      [60, 8],
    ] as const;
    expect(start(talk, profile(periods, { ...txProfile, ...relative }))).toBe('Accepted');
    talk.pass(20).command('plug-connector');
    expect(offersW(talk)).toEqual([amperes(10)]);
    expect(offersW(talk.pass(60))).toEqual([amperes(8)]);
    expect(set(talk, profile([[0, 16]], { ...txProfile, chargingProfileId: 2, transactionId: 1 }))).toBe('Accepted');
    expect(offersW(talk)).toEqual([amperes(16)]);
    talk.command('stop-session');
    expect(talk.conversation.charger.profiles).toEqual([]);
  });

  it('must be for the transaction, name none, and be right; else nothing starts', async () => {
    const talk = await booted('1.6');
    talk.command('plug-connector');
    const wrong = [
      profile([[0, 10]]),
      profile([[0, 10]], max),
      profile([[0, 10]], { ...txProfile, transactionId: 1 }),
      profile([[5, 10]], txProfile),
    ];
    expect(wrong.map((each) => start(talk, each))).toEqual(wrong.map(() => 'Rejected'));
    expect(talk.conversation.charger.connectors[0]?.session).toBeNull();
  });
});

describe('profiles on each other', () => {
  it('the highest level counts, and a lower one where the higher says nothing', async () => {
    const talk = await charging('1.6');
    set(talk, profile([[0, 16]], { stackLevel: 1 }));
    set(talk, profile([[0, 8]], { chargingProfileId: 2, stackLevel: 2, duration: 60 }));
    expect(offersW(talk)).toEqual([amperes(8)]);
    expect(composite(talk, 120)).toEqual([
      [0, 8],
      [60, 16],
    ]);
    expect(offersW(talk.pass(60))).toEqual([amperes(16)]);
  });

  it('the same id, or the same level of the same purpose, takes the place of the earlier one', async () => {
    const talk = await charging('1.6');
    set(talk, profile([[0, 16]]));
    set(talk, profile([[0, 8]], { stackLevel: 3 }));
    expect(offersW(talk)).toEqual([amperes(8)]);
    set(talk, profile([[0, 10]], { chargingProfileId: 7, stackLevel: 3 }));
    expect(talk.conversation.charger.profiles.map(({ id }) => id)).toEqual([7]);
  });

  it('whatever is refused changes nothing', async () => {
    const talk = await charging('1.6');
    const wrong: [Payload, number?][] = [
      [profile([[0, 8]]), 2],
      [profile([[0, 8]], max), 1],
      [profile([[0, 8]], { ...max, ...relative }), 0],
      [profile([[0, 8]], { stackLevel: 11 })],
      [profile([[0, 8]], { stackLevel: -1 })],
      [profile([])],
      [profile([[10, 8]])],
      [profile(Array.from({ length: 201 }, (_, index) => [index, 8] as const))],
      [
        profile([
          [0, 8],
          [60, 9],
          [60, 10],
        ]),
      ],
      [profile([[0, -1]])],
      [profile([[0, 8, 4]])],
      [profile([[0, 8]], { startSchedule: null })],
      [profile([[0, 8]], { chargingProfileKind: 'Recurring' })],
      [profile([[0, 8]], { duration: -1 })],
    ];
    for (const [each, connectorId] of wrong) expect([set(talk, each, connectorId), each]).toEqual(['Rejected', each]);
    expect(offersW(talk)).toEqual([22_000]);
    expect(talk.conversation.charger.profiles).toEqual([]);
  });

  it('there are no more of them than the charger can hold', async () => {
    const talk = await booted('1.6', { station: station({ connectorCount: 3 }) });
    const outcomes = Array.from({ length: 21 }, (_, index) =>
      set(talk, profile([[0, 8]], { chargingProfileId: index, stackLevel: index % 10 }), 1 + Math.floor(index / 10)),
    );
    expect(outcomes.filter((status) => status === 'Accepted')).toHaveLength(20);
    expect(outcomes.at(-1)).toBe('Rejected');
    expect(set(talk, profile([[0, 9]], { chargingProfileId: 3 }))).toBe('Accepted');
  });
});

describe('the maximum of a charge point', () => {
  it('is shared by its connectors, and what one does not need the other gets', async () => {
    const talk = await booted('1.6', { station: station({ connectorCount: 2, maxPowerW: 44_000 }) });
    talk.command('start-session', { id_tag: 'A', evse_id: 1 });
    talk.command('start-session', { id_tag: 'B', evse_id: 2 });
    expect(set(talk, profile([[0, 20]], max), 0)).toBe('Accepted');
    expect(offersW(talk)).toEqual([amperes(10), amperes(10)]);
    talk.command('ev-stops-energy', { evse_id: 1 });
    expect(offersW(talk)[1]).toBe(amperes(20));
  });

  it('that is too little for all serves the first alone, and the next when that one is done', async () => {
    const talk = await booted('1.6', { station: station({ connectorCount: 2, maxPowerW: 44_000 }) });
    talk.command('start-session', { id_tag: 'A', evse_id: 1 });
    talk.command('start-session', { id_tag: 'B', evse_id: 2 });
    set(talk, profile([[0, 10]], max), 0);
    expect(offersW(talk)).toEqual([amperes(10), 0]);
    expect(talk.conversation.charger.connectors[1]?.shown.status).toBe('SuspendedEVSE');
    talk.command('stop-session', { evse_id: 1 });
    expect(offersW(talk)[1]).toBe(amperes(10));
  });

  it('holds whatever the profile of the transaction says', async () => {
    const talk = await charging('1.6');
    set(talk, profile([[0, 10]], { ...max, chargingProfileId: 2 }), 0);
    set(talk, profile([[0, 16]], txProfile));
    expect(offersW(talk)).toEqual([amperes(10)]);
    expect(talk.command('power-update', { power_w: 20_000 })?.result).toMatchObject({
      offered_w: amperes(10),
      limited_by: 'charging_profile',
    });
    expect(talk.command('power-update', { power_w: 1_000 })?.result).toMatchObject({ offered_w: 1_000 });
  });
});

describe('limits', () => {
  it('hold and change while there is no line to the CSMS', async () => {
    const talk = await charging('1.6');
    const periods = [
      [0, 16],
      [60, 8],
    ] as const;
    set(talk, profile(periods));
    expect(offersW(talk.cut().pass(60))).toEqual([amperes(8)]);
  });

  it('begin by the clock that the CSMS has set', async () => {
    const currentTime = at(3_600);
    const BootNotification = () => ({ status: 'Accepted', currentTime, interval: 300 });
    const Heartbeat = () => ({ currentTime: new Date(talk.nowMs + 3_600_000).toISOString() });
    const talk = await Talk.with('1.6', { answers: { BootNotification, Heartbeat } });
    talk.connect().command('start-session', { id_tag: 'A' });
    set(talk, profile([[0, 8]], { startSchedule: at(3_660) }));
    expect(composite(talk, 120)).toEqual([
      [0, 31.9],
      [60, 8],
    ]);
    expect(offersW(talk.pass(59))).toEqual([22_000]);
    expect(offersW(talk.pass(1))).toEqual([amperes(8)]);
  });
});

describe('the number of phases', () => {
  it('that a profile names at the start is used, and shows on the meter', async () => {
    const talk = await booted('1.6');
    set(talk, profile([[0, 16, 1]]));
    talk.command('start-session', { id_tag: 'A' });
    expect(offersW(talk)).toEqual([amperes(16, 1)]);
    const values = talk.pass(60).said().at(-1)?.payload['meterValue'][0].sampledValue as Payload[];
    const currents = values.filter((value) => value['measurand'] === 'Current.Import').map((value) => value['value']);
    expect(currents).toEqual(['16', '0', '0']);
  });

  it('that a transaction began with stays, whatever becomes of the profile, until its end', async () => {
    const talk = await booted('1.6');
    set(talk, profile([[0, 16, 1]]));
    talk.command('start-session', { id_tag: 'A' });
    clear(talk.pass(10), {});
    expect(offersW(talk)).toEqual([Math.round(22_000 / 3)]);
    talk.command('stop-session');
    talk.command('start-session', { id_tag: 'A' });
    expect(offersW(talk)).toEqual([22_000]);
  });

  it('is not changed under load, except where the charger can', async () => {
    const talk = await charging('1.6');
    set(talk.pass(1), profile([[0, 16, 1]]));
    expect(offersW(talk)).toEqual([amperes(16, 3)]);
    talk.command('set-configuration', { key: 'ConnectorSwitch3to1PhaseSupported', value: 'true' });
    set(talk, profile([[0, 16, 1]]));
    expect(offersW(talk)).toEqual([amperes(16, 1)]);
    clear(talk, {});
    expect(offersW(talk)).toEqual([22_000]);
  });
});
