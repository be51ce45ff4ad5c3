// Whatever profiles and limits from outside come and go while cars do: nobody draws more than is allowed, at any moment, and the meters count just that.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { at, profile } from '../../test/profiles.ts';
import { booted, startMs, station, type Talk } from '../../test/talk.ts';
import { compositeSchedule } from '../charger/composite-schedule.ts';
import type { Connector } from '../charger/connector.ts';
import { powerW } from '../charger/meter.ts';
import { chargerAt } from '../charger/time.ts';

type Happening = (talk: Talk) => unknown;

const outlet = fc.constantFrom(1, 2);
const amperes = fc.constantFrom(0, 5, 6, 8, 10.5, 16, 32, 40);
const periods = fc.tuple(amperes, amperes, fc.integer({ min: 1, max: 400 }));

const profiles: fc.Arbitrary<Happening> = fc
  .record({
    connectorId: fc.constantFrom(0, 1, 2),
    chargingProfilePurpose: fc.constantFrom('ChargePointMaxProfile', 'TxDefaultProfile', 'TxProfile'),
    chargingProfileKind: fc.constantFrom('Absolute', 'Recurring', 'Relative'),
    stackLevel: fc.constantFrom(0, 1),
    chargingProfileId: fc.integer({ min: 1, max: 6 }),
    startS: fc.integer({ min: -500, max: 500 }),
    duration: fc.constantFrom(undefined, 100, 600),
    periods,
  })
  .map(({ connectorId, startS, periods: [first, second, changeS], ...rest }) => (talk) => {
    const startSchedule = rest.chargingProfileKind === 'Relative' ? null : at((talk.nowMs - startMs) / 1000 + startS);
    const recurrency = rest.chargingProfileKind === 'Recurring' ? { recurrencyKind: 'Daily' } : {};
    const csChargingProfiles = profile(
      [
        [0, first],
        [changeS, second],
      ],
      { ...rest, ...recurrency, startSchedule },
    );
    return talk.request('SetChargingProfile', { connectorId, csChargingProfiles });
  });

const others: fc.Arbitrary<Happening> = fc.oneof(
  fc.integer({ min: 1, max: 6 }).map((id) => (talk: Talk) => talk.request('ClearChargingProfile', { id })),
  fc.integer({ min: 1, max: 700 }).map((seconds) => (talk: Talk) => talk.pass(seconds)),
  outlet.map((evse_id) => (talk: Talk) => talk.command('start-session', { id_tag: `TAG${evse_id}`, evse_id })),
  outlet.map((evse_id) => (talk: Talk) => talk.command('stop-session', { evse_id })),
  fc.tuple(outlet, fc.constantFrom(0, 3_000, 22_000)).map(
    ([evse_id, power_w]) =>
      (talk: Talk) =>
        talk.command('power-update', { power_w, evse_id }),
  ),
  fc.tuple(outlet, fc.constantFrom(0, 4_000, 9_000, 30_000, null)).map(
    ([evse_id, value]) =>
      (talk: Talk) =>
        talk.command('set-condition', { condition: 'external_limit', value, evse_id }),
  ),
  fc.constantFrom((talk: Talk) => talk.powerCut()),
  fc.constantFrom((talk: Talk) => talk.sleepAndWake(60)),
);

/** What may be drawn right now; the schedule is told in tenths. */
const allowedW = ({ conversation, nowMs }: Talk, place: 'station' | readonly number[]): number =>
  (compositeSchedule(conversation.charger, place, 1, 'W', nowMs).periods[0]?.limit ?? 0) + 0.1;

/** The connectors with their meters at this very moment. */
const metered = ({ conversation, nowMs }: Talk): readonly Connector[] =>
  chargerAt(conversation.charger, nowMs).connectors;

function check(talk: Talk): void {
  const { charger } = talk.conversation;
  const drawn = charger.connectors.map(powerW);
  expect(drawn.reduce((sum, watts) => sum + watts, 0)).toBeLessThanOrEqual(allowedW(talk, 'station'));
  for (const [index, connector] of charger.connectors.entries()) {
    if (connector.session === null) continue;
    const mayW = allowedW(talk, [index]);
    expect(connector.offeredW).toBeLessThanOrEqual(mayW);
    expect(connector.shown.status === 'SuspendedEVSE').toBe(connector.offeredW === 0);
    if (mayW < 6 * 690) expect(connector.offeredW).toBe(0);
  }
  if (charger.offersUntilMs !== null) expect(charger.offersUntilMs).toBeGreaterThan(talk.nowMs);
  const sessions = charger.connectors.flatMap(({ session }) => session?.id ?? []);
  for (const { sessionId } of charger.profiles) if (sessionId !== null) expect(sessions).toContain(sessionId);
}

describe('any day with charging profiles', () => {
  it('draws what is allowed and meters what is drawn', async () => {
    const happenings = fc.array(fc.oneof(profiles, others), { maxLength: 25 });
    const property = fc.asyncProperty(happenings, async (story) => {
      const talk = await booted('1.6', { station: station({ connectorCount: 2, maxPowerW: 44_000 }) });
      talk.command('set-configuration', { key: 'ClockAlignedDataInterval', value: '300' });
      for (const happening of story) {
        happening(talk);
        check(talk);
        const before = metered(talk);
        talk.pass(1);
        check(talk);
        for (const [index, connector] of metered(talk).entries()) {
          const was = before[index];
          const most = Math.max(was?.offeredW ?? 0, connector.offeredW) / 3600;
          expect(connector.meterWh - (was?.meterWh ?? 0)).toBeLessThanOrEqual(most + 1e-6);
          expect(connector.meterWh).toBeGreaterThanOrEqual(was?.meterWh ?? 0);
        }
      }
    });
    await fc.assert(property, { numRuns: 100 });
  });
});
