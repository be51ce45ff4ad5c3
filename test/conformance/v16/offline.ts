// OCPP 1.6: what a charger does and keeps while it has no line to its CSMS.

import { type Group, theCase } from '../case.ts';
import { above, expectSame, expectTrue } from '../expecting.ts';
import type { StageCsms, StationHands } from '../stage.ts';

/** An unknown tag charges without a line; what comes when the line is back is still to be heard. */
async function startsOffline(station: StationHands, csms: StageCsms): Promise<string> {
  await csms.configure('AllowOfflineTxForUnknownId', 'true');
  await station.goesOffline();
  await station.plug();
  await station.present('TAG-1');
  const startedAt = csms.inS(0);
  await station.waitS(30);
  csms.expectSilence();
  await station.comesOnline();
  csms.expectStatus('Available', 0);
  csms.expectStatus('Charging');
  return startedAt;
}

export const offline: Group = {
  name: 'offline',
  cases: [
    theCase(
      'TC_036_CS',
      'the line is lost during a transaction',
      {
        given: 'a charging car, a sample every 10 s',
        when: 'the line is lost for 60 s',
        follows: 'no boot, the statuses, and the samples of that time with their own moments; the transaction goes on',
      },
      async ({ station, csms }) => {
        await csms.configure('MeterValueSampleInterval', '10');
        await station.charges();
        await station.goesOffline();
        const lostAt = csms.inS(0);
        await station.waitS(60);
        csms.expectSilence();
        await station.comesOnline();
        csms.expectStatus('Available', 0);
        csms.expectStatus('Charging');
        const moments = csms.heard('MeterValues').map(({ payload }) => payload['meterValue'][0].timestamp);
        expectSame(moments.length, 6, 'the number of samples of 60 s');
        expectTrue(moments.every((at) => at > lostAt) && moments.toSorted().join() === moments.join(), 'not in order');
        await station.present('TAG-1');
        csms.expect('StopTransaction', { transactionId: 1, reason: 'Local' });
        csms.expectStatus('Finishing');
      },
    ),
    theCase(
      'TC_037_1_CS',
      'a session starts offline, with a tag that may charge',
      {
        given: 'AllowOfflineTxForUnknownId true, no line',
        when: 'a car comes, a tag is presented, and the line returns',
        follows: 'StartTransaction with the moment of the start; the CSMS accepts, and it goes on charging',
      },
      async ({ station, csms }) => {
        const startedAt = await startsOffline(station, csms);
        csms.expect('StartTransaction', { connectorId: 1, idTag: 'TAG-1', timestamp: startedAt });
        await station.waitS(60);
        csms.expect('MeterValues', { transactionId: 1 });
      },
    ),
    theCase(
      'TC_037_2_CS',
      'a session starts offline, with a tag that may not charge: it is paused',
      {
        given: 'StopTransactionOnInvalidId false, MaxEnergyOnInvalidId 0, no line',
        when: 'a car comes, a tag is presented, the line returns and the CSMS calls the tag Invalid',
        follows: 'StartTransaction, then SuspendedEVSE; StopTransaction only when the driver leaves',
      },
      async ({ station, csms }) => {
        await csms.configure('StopTransactionOnInvalidId', 'false');
        csms.answers('StartTransaction', { transactionId: 1, idTagInfo: { status: 'Invalid' } });
        const timestamp = await startsOffline(station, csms);
        csms.expect('StartTransaction', { idTag: 'TAG-1', timestamp });
        csms.expectStatus('SuspendedEVSE');
        await station.unplug();
        csms.expect('StopTransaction', { transactionId: 1, reason: 'EVDisconnected' });
        csms.expectStatus('Available');
      },
    ),
    theCase(
      'TC_037_3_CS',
      'a session starts offline, with a tag that may not charge: it is stopped',
      {
        given: 'StopTransactionOnInvalidId true, no line',
        when: 'a car comes, a tag is presented, the line returns and the CSMS calls the tag Invalid',
        follows: 'StartTransaction, then StopTransaction (DeAuthorized), Finishing',
      },
      async ({ station, csms }) => {
        await csms.configure('StopTransactionOnInvalidId', 'true');
        csms.answers('StartTransaction', { transactionId: 1, idTagInfo: { status: 'Invalid' } });
        const timestamp = await startsOffline(station, csms);
        csms.expect('StartTransaction', { idTag: 'TAG-1', timestamp });
        csms.expect('StopTransaction', { transactionId: 1, reason: 'DeAuthorized' });
        csms.expectStatus('Finishing');
      },
    ),
    theCase(
      'TC_038_CS',
      'a session ends offline',
      {
        given: 'a charging car, then no line',
        when: 'the driver presents the tag, and the line returns later',
        follows: 'the statuses as they are, and StopTransaction with the moment of the stop',
      },
      async ({ station, csms }) => {
        await station.charges();
        await station.waitS(20);
        await station.goesOffline();
        const timestamp = csms.inS(0);
        await station.present('TAG-1');
        await station.waitS(30);
        csms.expectSilence();
        await station.comesOnline();
        csms.expectStatus('Available', 0);
        csms.expectStatus('Finishing');
        csms.expect('StopTransaction', { transactionId: 1, timestamp, reason: 'Local', meterStop: above(0) });
      },
    ),
    theCase(
      'TC_039_CS',
      'a whole session offline',
      {
        given: 'AllowOfflineTxForUnknownId true, no line',
        when: 'a car comes, charges and leaves, and the line returns later',
        follows:
          'StartTransaction and StopTransaction in order, each with its moment, the second with the number of the first',
      },
      async ({ station, csms }) => {
        await csms.configure('AllowOfflineTxForUnknownId', 'true');
        await station.goesOffline();
        await station.plug();
        await station.present('TAG-1');
        const startedAt = csms.inS(0);
        await station.waitS(30);
        await station.present('TAG-1');
        const stoppedAt = csms.inS(0);
        await station.unplug();
        await station.waitS(30);
        await station.comesOnline();
        csms.expectStatus('Available', 0);
        csms.expectStatus('Available');
        csms.expect('StartTransaction', { idTag: 'TAG-1', timestamp: startedAt, meterStart: 0 });
        csms.expect('StopTransaction', {
          transactionId: 1,
          timestamp: stoppedAt,
          reason: 'Local',
          meterStop: above(0),
        });
      },
    ),
  ],
};
