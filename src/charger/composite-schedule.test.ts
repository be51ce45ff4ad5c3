// The composite schedule, held against one that is worked out second by second.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { booted, startMs, station } from '../../test/talk.ts';
import { type Charger, connectorAt, withConnector } from './charger.ts';
import { compositeSchedule } from './composite-schedule.ts';
import { withOffers } from './limits.ts';
import type { ChargingProfile, ProfilePlace, SchedulePeriod } from './schedule.ts';
import { connectorKind } from './station.ts';

const volts = 230;
const dayS = 86_400;
const connectorCount = 2;

const seconds = fc.integer({ min: -4_000, max: 4_000 });
const limits = fc.integer({ min: 0, max: 400 }).map((tenths) => tenths / 10);
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });

const periods = fc
  .uniqueArray(fc.integer({ min: 1, max: 1_500 }), { maxLength: 4 })
  .chain((starts) =>
    fc.tuple(
      ...[0, ...starts.sort((one, other) => one - other)].map((startS) =>
        fc.record({ startS: fc.constant(startS), limit: limits, phases: maybe(fc.constantFrom(1, 2, 3)) }),
      ),
    ),
  );

const profiles = fc.array(
  fc
    .record({
      id: fc.nat(),
      purpose: fc.constantFrom('ChargingStationMaxProfile', 'TxDefaultProfile', 'TxProfile'),
      place: fc.constantFrom<ProfilePlace>('station', [0], [1]),
      stackLevel: fc.integer({ min: 0, max: 3 }),
      kind: fc.constantFrom('Absolute', 'Recurring', 'Relative'),
      recurrency: fc.constantFrom('Daily', 'Weekly'),
      validFromS: maybe(seconds),
      validToS: maybe(seconds),
      startS: fc.oneof(
        seconds,
        seconds.map((s) => s - dayS),
        seconds.map((s) => s - 7 * dayS),
      ),
      durationS: maybe(fc.integer({ min: 0, max: 3_000 })),
      unit: fc.constantFrom('A', 'W'),
      periods,
    })
    .map(
      ({ purpose, place, kind, recurrency, validFromS, validToS, startS, durationS, unit, periods, ...rest }) =>
        ({
          ...rest,
          purpose,
          place: purpose === 'ChargingStationMaxProfile' ? 'station' : purpose === 'TxProfile' ? [0] : place,
          kind: purpose === 'ChargingStationMaxProfile' && kind === 'Relative' ? 'Absolute' : kind,
          recurrency,
          validFromMs: validFromS === null ? null : startMs + validFromS * 1000,
          validToMs: validToS === null ? null : startMs + validToS * 1000,
          sessionId: purpose === 'TxProfile' ? 'session' : null,
          schedules: [
            {
              id: null,
              startMs: kind === 'Relative' && purpose !== 'ChargingStationMaxProfile' ? null : startMs + startS * 1000,
              durationS,
              unit,
              minRate: null,
              periods: periods.map((period) => ({ ...period, limit: period.limit * (unit === 'W' ? 690 : 1) })),
            },
          ],
        }) as ChargingProfile,
    ),
  { maxLength: 6 },
);

/** The period that counts at this second, by looking at each second of the definition. */
function naivePeriod(profile: ChargingProfile, atS: number, sinceS: number): SchedulePeriod | undefined {
  const [schedule] = profile.schedules;
  if (schedule === undefined) return undefined;
  const relativeS = (ms: number) => (ms - startMs) / 1000;
  if (profile.validFromMs !== null && atS < relativeS(profile.validFromMs)) return undefined;
  if (profile.validToMs !== null && atS >= relativeS(profile.validToMs)) return undefined;
  let beginS = schedule.startMs === null ? sinceS : relativeS(schedule.startMs);
  if (profile.kind === 'Recurring') {
    const cycleS = profile.recurrency === 'Daily' ? dayS : 7 * dayS;
    while (beginS + cycleS <= atS) beginS += cycleS;
  }
  const elapsedS = atS - beginS;
  if (elapsedS < 0 || (schedule.durationS !== null && elapsedS >= schedule.durationS)) return undefined;
  return schedule.periods.filter((period) => period.startS <= elapsedS).at(-1);
}

/** Watts and phases at this second. */
function naiveLimit(charger: Charger, outlet: number, atS: number, sinceS: number): { limitW: number; phases: number } {
  const strongest = (wanted: (profile: ChargingProfile) => boolean) =>
    charger.profiles
      .filter(wanted)
      .map((profile) => ({ profile, period: naivePeriod(profile, atS, sinceS) }))
      .filter(({ period }) => period !== undefined)
      .toSorted(
        (one, other) =>
          other.profile.stackLevel - one.profile.stackLevel ||
          Number(one.profile.place === 'station') - Number(other.profile.place === 'station'),
      )[0];
  const here = ({ place }: ChargingProfile) => place === 'station' || place.includes(outlet);
  const { session } = connectorAt(charger, outlet);
  const own = strongest(({ purpose, sessionId }) => purpose === 'TxProfile' && sessionId === session?.id);
  const byDefault = strongest((profile) => profile.purpose === 'TxDefaultProfile' && here(profile));
  const max = strongest(({ purpose }) => purpose === 'ChargingStationMaxProfile');
  const said = [own ?? byDefault, max].filter((each) => each !== undefined);
  const phases = Math.min(3, ...said.map(({ period }) => period?.phases ?? 3));
  const watts = said.map(({ profile, period }) =>
    profile.schedules[0]?.unit === 'W' ? (period?.limit ?? 0) : (period?.limit ?? 0) * volts * phases,
  );
  return { limitW: Math.min((22_000 * phases) / 3, ...watts), phases };
}

/** No two profiles of one place, purpose and level, as a charger holds them. */
const distinct = (all: readonly ChargingProfile[]): readonly ChargingProfile[] => [
  ...new Map(all.map((profile) => [`${profile.purpose} ${profile.place} ${profile.stackLevel}`, profile])).values(),
];

const tenths = (value: number): number => Math.round(value * 10) / 10;

describe('the composite schedule', async () => {
  const talk = await booted('1.6', { station: station({ connectorCount, maxPowerW: 22_000 }) });
  talk.command('start-session', { id_tag: 'A' });
  const base = talk.conversation.charger;
  const sinceS = -700;
  const session = { ...connectorAt(base, 0).session, id: 'session', startedAtMs: startMs + sinceS * 1000 };
  const charger = withConnector(base, 0, { session: session as NonNullable<Charger['connectors'][0]['session']> });

  it('says at every second what the profiles say at that second', () => {
    fc.assert(
      fc.property(profiles, fc.constantFrom(0, 1), fc.constantFrom('A', 'W'), (installed, outlet, unit) => {
        const limited = { ...charger, profiles: distinct(installed) };
        const durationS = 2_000;
        const schedule = compositeSchedule(limited, [outlet], durationS, unit, startMs + 400);
        expect(schedule).toMatchObject({ startMs, durationS, unit });
        expect(schedule.periods[0]?.startS).toBe(0);
        let index = 0;
        for (let atS = 0; atS < durationS; atS++) {
          if (schedule.periods[index + 1]?.startS === atS) index++;
          const { limitW, phases } = naiveLimit(limited, outlet, atS, outlet === 0 ? sinceS : 0);
          const expected = tenths(unit === 'W' ? limitW : limitW / (volts * phases));
          if (schedule.periods[index]?.limit !== expected) {
            expect({ atS, limit: schedule.periods[index]?.limit }).toEqual({ atS, limit: expected });
          }
        }
        expect(index).toBe(schedule.periods.length - 1);
      }),
      { numRuns: 150 },
    );
  });

  it('is what the outlets are really held to, until the moment that the charger gives for a change', () => {
    fc.assert(
      fc.property(profiles, fc.integer({ min: 0, max: 2_000 }), (installed, atS) => {
        const limited = withOffers({ ...charger, profiles: distinct(installed) }, startMs + atS * 1000);
        const total = limited.connectors.reduce((sum, { offeredW, session: own }) => sum + (own ? offeredW : 0), 0);
        const { limitW, phases } = naiveLimit(limited, 0, atS, sinceS);
        // In the middle of a transaction the phases stay as they were, and no car charges with less than 6 A.
        expect(total).toBeLessThanOrEqual((limitW * 3) / phases + 1e-6);
        if (phases === 3 && limitW >= 6 * volts * 3) expect(limited.connectors[0]?.offeredW).toBeCloseTo(limitW, 6);
        if (phases === 3 && limitW < 6 * volts * 3 - 1e-6) expect(limited.connectors[0]?.offeredW).toBe(0);
        const untilS = ((limited.offersUntilMs ?? Number.POSITIVE_INFINITY) - startMs) / 1000;
        expect(untilS).toBeGreaterThan(atS);
        for (let laterS = atS; laterS < Math.min(untilS, atS + 500); laterS++) {
          expect(naiveLimit(limited, 0, laterS, sinceS)).toEqual({ limitW, phases });
        }
      }),
      { numRuns: 150 },
    );
  });

  it('of the station is the sum of its outlets, and no more than its maximum', () => {
    const tx = (outlet: number, limit: number): ChargingProfile => ({
      id: outlet,
      place: [outlet],
      purpose: 'TxDefaultProfile',
      stackLevel: 0,
      kind: 'Relative',
      recurrency: null,
      validFromMs: null,
      validToMs: null,
      sessionId: null,
      schedules: [
        {
          id: null,
          startMs: null,
          durationS: null,
          unit: 'A',
          minRate: null,
          periods: [{ startS: 0, limit, phases: null }],
        },
      ],
    });
    const limited = { ...charger, profiles: [tx(0, 8), tx(1, 10)] };
    expect(compositeSchedule(limited, 'station', 60, 'A', startMs).periods).toEqual([
      { startS: 0, limit: 18, phases: null },
    ]);
    const max = {
      ...tx(0, 7),
      id: 9,
      place: 'station',
      purpose: 'ChargingStationMaxProfile',
      kind: 'Absolute',
    } as const;
    const schedules = [{ ...tx(0, 12).schedules[0], startMs: startMs + 30_000 }] as ChargingProfile['schedules'];
    const capped = { ...limited, profiles: [...limited.profiles, { ...max, schedules }] };
    expect(compositeSchedule(capped, 'station', 60, 'A', startMs).periods).toEqual([
      { startS: 0, limit: 18, phases: null },
      { startS: 30, limit: 12, phases: null },
    ]);
  });

  it('counts an EVSE once, whichever of its connectors is in use, and what limits it from outside', async () => {
    const spec = { connectorId: 1, type: 'Type2', ...connectorKind('Type2', 22_000), hasLock: true, maxPowerW: 22_000 };
    const connectors = [
      { ...spec, evseId: 1 },
      { ...spec, evseId: 1, connectorId: 2 },
      { ...spec, evseId: 2 },
    ];
    const shared = await booted('2.0.1', { station: station({ connectors, maxPowerW: 66_000 }) });
    shared.command('start-session', { id_tag: 'A', evse_id: 1, connector_id: 2 });
    const own = shared.conversation.charger;
    const sessionId = connectorAt(own, 1).session?.id ?? '';
    const limit = (purpose: ChargingProfile['purpose'], place: ProfilePlace, limitW: number): ChargingProfile => ({
      id: limitW,
      place,
      purpose,
      stackLevel: 0,
      kind: 'Relative',
      recurrency: null,
      validFromMs: null,
      validToMs: null,
      sessionId: purpose === 'TxProfile' ? sessionId : null,
      schedules: [
        {
          id: 1,
          startMs: null,
          durationS: null,
          unit: 'W',
          minRate: null,
          periods: [{ startS: 0, limit: limitW, phases: null }],
        },
      ],
    });
    const planned = (profiles: readonly ChargingProfile[], place: ProfilePlace): number | undefined =>
      compositeSchedule({ ...own, profiles }, place, 60, 'W', startMs).periods[0]?.limit;
    const tx = limit('TxProfile', [0, 1], 10_000);
    expect(planned([tx], [0, 1])).toBe(10_000);
    expect(planned([tx], [2])).toBe(22_000);
    expect(planned([tx], 'station')).toBe(32_000);
    expect(planned([tx, limit('ChargingStationExternalConstraints', 'station', 15_000)], 'station')).toBe(15_000);
    expect(planned([tx, limit('ChargingStationExternalConstraints', [0, 1], 7_000)], 'station')).toBe(29_000);
  });

  it('without profiles is the rating, and never has more periods than a schedule may have', () => {
    expect(compositeSchedule(charger, [0], 60, 'W', startMs).periods).toEqual([
      { startS: 0, limit: 22_000, phases: null },
    ]);
    const manyPeriods = Array.from({ length: 150 }, (_, index) => ({
      startS: index,
      limit: 6 + (index % 2),
      phases: 1,
    }));
    const daily: ChargingProfile = {
      id: 1,
      place: 'station',
      purpose: 'TxDefaultProfile',
      stackLevel: 0,
      kind: 'Recurring',
      recurrency: 'Daily',
      validFromMs: null,
      validToMs: null,
      sessionId: null,
      schedules: [{ id: null, startMs, durationS: null, unit: 'A', minRate: null, periods: manyPeriods }],
    };
    const schedule = compositeSchedule({ ...charger, profiles: [daily] }, [0], 2 ** 31, 'A', startMs);
    expect(schedule.periods).toHaveLength(200);
    expect(schedule.durationS).toBe(dayS + 50);
  });

  it('converts amperes of a DC outlet by the voltage of the battery', async () => {
    const kind = connectorKind('CCS2', 150_000);
    const connectors = [{ evseId: 1, connectorId: 1, type: 'CCS2', ...kind, hasLock: false, maxPowerW: 150_000 }];
    const direct = await booted('1.6', { station: station({ maxPowerW: 150_000, connectors }) });
    direct.command('start-session', { id_tag: 'A', ev: { soc_percent: 50 } });
    const limited = {
      ...direct.conversation.charger,
      profiles: [
        {
          id: 1,
          place: [0],
          purpose: 'TxDefaultProfile',
          stackLevel: 0,
          kind: 'Relative',
          recurrency: null,
          validFromMs: null,
          validToMs: null,
          sessionId: null,
          schedules: [
            {
              id: null,
              startMs: null,
              durationS: null,
              unit: 'A',
              minRate: null,
              periods: [{ startS: 0, limit: 100, phases: null }],
            },
          ],
        } satisfies ChargingProfile,
      ],
    };
    expect(compositeSchedule(limited, [0], 60, 'W', startMs).periods[0]?.limit).toBe(37_000);
    expect(compositeSchedule(limited, [0], 60, 'A', startMs).periods[0]?.limit).toBe(100);
  });
});
