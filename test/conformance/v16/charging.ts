// OCPP 1.6: meter values, and charging profiles that the CSMS sets.

import type { Payload } from '../../talk.ts';
import { type Group, theCase } from '../case.ts';
import { absent, expectSame, expectTrue } from '../expecting.ts';
import type { Stage, StageCsms } from '../stage.ts';

export const meterValues: Group = {
  name: 'meter values',
  cases: [
    theCase(
      'TC_070_CS',
      'samples during a transaction',
      {
        given: 'a sample every 10 s, of energy and voltage',
        when: 'a car charges for 30 s',
        follows: 'three MeterValues of the transaction, 10 s apart, with both readings, and the energy rises',
      },
      async ({ station, csms }) => {
        await csms.configure('MeterValueSampleInterval', '10');
        await csms.configure('MeterValuesSampledData', 'Energy.Active.Import.Register,Voltage');
        await station.charges();
        await station.waitS(30);
        const samples = csms.heard('MeterValues').map(({ payload }) => sampleOf(payload));
        expectSame(samples.length, 3, 'the number of samples');
        expectTrue(rises(samples.map(({ energy }) => energy)), 'the energy does not rise');
        for (const { payload, values } of samples) {
          expectSame(payload['transactionId'], 1, 'the transaction');
          expectSame([...new Set(values.map(({ measurand }) => measurand))], [register, 'Voltage'], 'what is measured');
          expectSame([...new Set(values.map(({ context }) => context))], ['Sample.Periodic'], 'the context');
        }
      },
    ),
    theCase(
      'TC_071_CS',
      'samples on the clock',
      {
        given: 'a sample every full minute, of energy alone, and none between',
        when: 'a car charges for three minutes, from some moment within a minute',
        follows: 'MeterValues of the connector on each full minute, with their context, and the energy rises',
      },
      async ({ station, csms }) => {
        await csms.configure('MeterValueSampleInterval', '0');
        await csms.configure('MeterValuesAlignedData', register);
        await csms.configure('ClockAlignedDataInterval', '60');
        await station.waitS(17);
        await station.charges();
        await station.waitS(180);
        const samples = csms
          .heard('MeterValues')
          .flatMap(({ payload }) => (payload['connectorId'] === 1 ? [sampleOf(payload)] : []));
        expectSame(samples.length, 3, 'the number of samples');
        expectTrue(rises(samples.map(({ energy }) => energy)), 'the energy does not rise');
        for (const { payload, values, timestamp } of samples) {
          expectSame(payload['transactionId'], 1, 'the transaction');
          expectSame(Date.parse(timestamp) % 60_000, 0, 'the moment within a minute');
          expectSame(
            values.map(({ context, measurand }) => [context, measurand]),
            [['Sample.Clock', register]],
            'the values',
          );
        }
      },
    ),
  ],
};

const register = 'Energy.Active.Import.Register';

function sampleOf(payload: Payload) {
  const [{ timestamp, sampledValue }] = payload['meterValue'] as [{ timestamp: string; sampledValue: Payload[] }];
  const energy = Number(sampledValue.find(({ measurand }) => measurand === register)?.['value']);
  return { payload, timestamp, energy, values: sampledValue };
}

const rises = (values: readonly number[]): boolean =>
  values.every((value, index) => index === 0 || value > (values[index - 1] ?? 0));

/** From `[second, amperes]` pairs, from now on. */
function profile(csms: StageCsms, periods: readonly (readonly [number, number])[], more: Payload = {}): Payload {
  const { duration, ...rest } = more;
  return {
    chargingProfileId: 1,
    stackLevel: 0,
    chargingProfilePurpose: 'TxDefaultProfile',
    chargingProfileKind: 'Absolute',
    ...rest,
    chargingSchedule: {
      startSchedule: csms.inS(0),
      ...(duration === undefined ? {} : { duration }),
      chargingRateUnit: 'A',
      chargingSchedulePeriod: periods.map(([startPeriod, limit]) => ({ startPeriod, limit })),
    },
  };
}

const ofTransaction = { chargingProfilePurpose: 'TxProfile' };

const set = (csms: StageCsms, csChargingProfiles: Payload, status = 'Accepted', connectorId = 1) =>
  csms.send('SetChargingProfile', { connectorId, csChargingProfiles }, { status });

/** The plan for connector 1, as `[second, amperes]` pairs. */
async function expectPlan(
  csms: StageCsms,
  duration: number,
  plan: readonly (readonly [number, number])[],
): Promise<void> {
  const request = { connectorId: 1, duration, chargingRateUnit: 'A' };
  const { chargingSchedule } = await csms.send('GetCompositeSchedule', request, { status: 'Accepted', connectorId: 1 });
  const periods = chargingSchedule.chargingSchedulePeriod as { startPeriod: number; limit: number }[];
  expectSame(
    periods.map(({ startPeriod, limit }) => [startPeriod, limit]),
    plan,
    'the plan',
  );
}

/** What the car draws now on each of its three phases, as the meter says. */
async function expectAmperes({ station, csms }: Stage, amperes: number): Promise<void> {
  await csms.configure('MeterValuesSampledData', 'Power.Active.Import');
  await station.waitS(40);
  csms.expectSilence();
  await csms.send('TriggerMessage', { requestedMessage: 'MeterValues', connectorId: 1 }, { status: 'Accepted' });
  const { meterValue } = csms.expect('MeterValues', { connectorId: 1 });
  expectSame(Math.round(Number(meterValue[0].sampledValue[0].value) / 690), amperes, 'the current in A');
}

export const smartCharging: Group = {
  name: 'smart charging',
  cases: [
    theCase(
      'TC_056_CS',
      'a limit for every transaction',
      {
        given: 'an idle charger',
        when: 'the CSMS sets a TxDefaultProfile of 10 A, asks for the plan, and a car charges',
        follows: 'Accepted, a plan of 10 A, and the car draws 10 A',
      },
      async (stage) => {
        await set(stage.csms, profile(stage.csms, [[0, 10]]));
        await expectPlan(stage.csms, 300, [[0, 10]]);
        await stage.station.charges();
        await expectAmperes(stage, 10);
      },
    ),
    theCase(
      'TC_057_CS',
      'a limit for one transaction',
      {
        given: 'a charging car',
        when: 'the CSMS sets a TxProfile for its transaction: 8 A, after two minutes 12 A',
        follows: 'Accepted, a plan of both, and the car draws first the one, then the other',
      },
      async (stage) => {
        const { station, csms } = stage;
        await station.charges();
        await set(
          csms,
          profile(
            csms,
            [
              [0, 8],
              [120, 12],
            ],
            { ...ofTransaction, transactionId: 1 },
          ),
        );
        await expectPlan(csms, 300, [
          [0, 8],
          [120, 12],
        ]);
        await expectAmperes(stage, 8);
        await station.waitS(80);
        await expectAmperes(stage, 12);
      },
    ),
    theCase(
      'TC_058_1_CS',
      'a limit for a transaction that there is not',
      { given: 'an idle charger', when: 'the CSMS sets a TxProfile', follows: 'Rejected, and no limit' },
      async ({ csms }) => {
        await set(csms, profile(csms, [[0, 8]], { ...ofTransaction, transactionId: 1 }), 'Rejected');
        await expectPlan(csms, 60, [[0, 31.9]]);
      },
    ),
    theCase(
      'TC_058_2_CS',
      'a limit for another transaction',
      {
        given: 'a car that charges in transaction 1',
        when: 'the CSMS sets a TxProfile for transaction 2',
        follows: 'Rejected, and no limit',
      },
      async (stage) => {
        await stage.station.charges();
        await set(stage.csms, profile(stage.csms, [[0, 8]], { ...ofTransaction, transactionId: 2 }), 'Rejected');
        await expectAmperes(stage, 32);
      },
    ),
    theCase(
      'TC_059_CS',
      'a remote start with a limit',
      {
        given: 'a car that is plugged in',
        when: 'the CSMS starts from afar with a TxProfile of 9 A',
        follows: 'Accepted, StartTransaction, Charging, a plan of 9 A, and the car draws 9 A',
      },
      async (stage) => {
        const { station, csms } = stage;
        await station.plug();
        csms.expectStatus('Preparing');
        const chargingProfile = profile(csms, [[0, 9]], ofTransaction);
        await csms.send(
          'RemoteStartTransaction',
          { idTag: 'TAG-1', connectorId: 1, chargingProfile },
          { status: 'Accepted' },
        );
        csms.expect('StartTransaction', { idTag: 'TAG-1' });
        csms.expectStatus('Charging');
        await expectPlan(csms, 60, [[0, 9]]);
        await expectAmperes(stage, 9);
      },
    ),
    theCase(
      'TC_060_CS',
      'a remote start with a limit of another purpose',
      {
        given: 'a car that is plugged in',
        when: 'the CSMS starts from afar with a TxDefaultProfile',
        follows: 'Rejected, and no transaction',
      },
      async ({ station, csms }) => {
        await station.plug();
        csms.expectStatus('Preparing');
        const chargingProfile = profile(csms, [[0, 9]]);
        await csms.send(
          'RemoteStartTransaction',
          { idTag: 'TAG-1', connectorId: 1, chargingProfile },
          { status: 'Rejected' },
        );
      },
    ),
    theCase(
      'TC_066_CS',
      'the plan of several limits',
      {
        given:
          'the charger limited to 24 A, every transaction to 20 A and after 60 s to 16 A, this one to 28 A for 120 s',
        when: 'the CSMS asks for the plan of the connector',
        follows: 'what may be drawn at each time: 24 A under the limit of the charger, then 16 A',
      },
      async ({ station, csms }) => {
        await set(csms, profile(csms, [[0, 24]], { chargingProfilePurpose: 'ChargePointMaxProfile' }), 'Accepted', 0);
        await set(
          csms,
          profile(
            csms,
            [
              [0, 20],
              [60, 16],
            ],
            { chargingProfileId: 2 },
          ),
        );
        await station.charges();
        await set(csms, profile(csms, [[0, 28]], { ...ofTransaction, chargingProfileId: 3, duration: 120 }));
        await expectPlan(csms, 300, [
          [0, 24],
          [120, 16],
        ]);
      },
    ),
    theCase(
      'TC_067_CS',
      'a limit is taken away',
      {
        given: 'a car that charges at 10 A because of a profile',
        when: 'the CSMS clears a profile that there is not, then the one that there is',
        follows: 'Unknown, then Accepted, and the car draws what it can',
      },
      async (stage) => {
        const { station, csms } = stage;
        await set(csms, profile(csms, [[0, 10]]));
        await station.charges();
        await csms.send('ClearChargingProfile', { id: 2 }, { status: 'Unknown' });
        await expectAmperes(stage, 10);
        await csms.send('ClearChargingProfile', { id: 1 }, { status: 'Accepted' });
        await expectAmperes(stage, 32);
      },
    ),
    theCase(
      'TC_072_CS',
      'limits on top of each other',
      {
        given: 'an idle charger',
        when: 'the CSMS sets a TxDefaultProfile of 10 A, and above it one of 7 A for two minutes',
        follows:
          'Accepted both times; the upper one counts for its time, then the lower one, in the plan and in the car',
      },
      async (stage) => {
        const { station, csms } = stage;
        await set(csms, profile(csms, [[0, 10]]));
        await set(csms, profile(csms, [[0, 7]], { chargingProfileId: 2, stackLevel: 1, duration: 120 }));
        await expectPlan(csms, 300, [
          [0, 7],
          [120, 10],
        ]);
        await station.charges();
        await expectAmperes(stage, 7);
        await station.waitS(80);
        await expectAmperes(stage, 10);
      },
    ),
    theCase(
      'TC_082_CS',
      'a limit for every transaction, while one runs',
      {
        given: 'a charging car',
        when: 'the CSMS sets a TxDefaultProfile of 10 A, and later one of 0 A in its place',
        follows: 'Accepted; the car draws 10 A at once, then SuspendedEVSE',
      },
      async (stage) => {
        const { station, csms } = stage;
        await station.charges();
        await set(csms, profile(csms, [[0, 10]]));
        await expectAmperes(stage, 10);
        await set(csms, profile(csms, [[0, 0]]));
        const { info } = csms.expectStatus('SuspendedEVSE');
        expectTrue(absent(info), 'there is an info');
      },
    ),
  ],
};
