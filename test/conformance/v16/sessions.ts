// OCPP 1.6: sessions that a driver starts and stops at the charger.

import { type Group, theCase } from '../case.ts';
import { above, absent, expectSame } from '../expecting.ts';

export const starting: Group = {
  name: 'start of a session',
  cases: [
    theCase(
      'TC_003_CS',
      'the car first, then the tag',
      {
        given: 'an idle charger',
        when: 'a car is plugged in, its driver presents a tag, later again, and leaves',
        follows: 'Preparing, Authorize, StartTransaction, Charging, StopTransaction (Local), Finishing, Available',
      },
      async ({ station, csms }) => {
        await station.plug();
        csms.expectStatus('Preparing');
        await station.present('TAG-1');
        csms.expect('Authorize', { idTag: 'TAG-1' });
        csms.expect('StartTransaction', { connectorId: 1, idTag: 'TAG-1', meterStart: 0, reservationId: absent });
        csms.expectStatus('Charging');
        await station.waitS(60);
        await station.present('TAG-1');
        csms.expect('StopTransaction', { transactionId: 1, idTag: 'TAG-1', reason: 'Local', meterStop: above(0) });
        csms.expectStatus('Finishing');
        await station.unplug();
        csms.expectStatus('Available');
      },
    ),
    theCase(
      'TC_004_1_CS',
      'the tag first, then the car',
      {
        given: 'an idle charger',
        when: 'a tag is presented, and a car is plugged in within the connection time-out',
        follows: 'Authorize, Preparing; with the car StartTransaction and Charging',
      },
      async ({ station, csms }) => {
        await station.present('TAG-1');
        csms.expect('Authorize', { idTag: 'TAG-1' });
        csms.expectStatus('Preparing');
        await station.waitS(20);
        csms.expectSilence();
        await station.plug();
        csms.expect('StartTransaction', { connectorId: 1, idTag: 'TAG-1' });
        csms.expectStatus('Charging');
      },
    ),
    theCase(
      'TC_004_2_CS',
      'the tag, and no car',
      {
        given: 'a connection time-out of 30 s',
        when: 'a tag is presented and no car comes in time',
        follows: 'Preparing for 30 s, then Available; a car that comes later starts nothing',
      },
      async ({ station, csms }) => {
        await csms.configure('ConnectionTimeOut', '30');
        await station.present('TAG-1');
        csms.expect('Authorize');
        csms.expectStatus('Preparing');
        await station.waitS(29);
        csms.expectSilence();
        await station.waitS(1);
        csms.expectStatus('Available');
        await station.plug();
        csms.expectStatus('Preparing');
      },
    ),
  ],
};

const disconnects = 'StopTransactionOnEVSideDisconnect';

export const stopping: Group = {
  name: 'end of a session',
  cases: [
    theCase(
      'TC_005_1_CS',
      'the car leaves: the transaction ends, the cable is free',
      {
        given: `${disconnects} and UnlockConnectorOnEVSideDisconnect true, a charging car`,
        when: 'the cable is pulled from the car',
        follows: 'StopTransaction (EVDisconnected), and Available',
      },
      async ({ station, csms }) => {
        await csms.configure(disconnects, 'true');
        await csms.configure('UnlockConnectorOnEVSideDisconnect', 'true');
        await station.charges();
        await station.unplug();
        csms.expect('StopTransaction', { transactionId: 1, reason: 'EVDisconnected', idTag: absent });
        csms.expectStatus('Available');
      },
    ),
    theCase(
      'TC_005_2_CS',
      'the car leaves: the transaction ends, the cable stays locked',
      {
        given: `${disconnects} true, UnlockConnectorOnEVSideDisconnect false, a charging car`,
        when: 'the cable is pulled from the car, and later the driver presents the tag',
        follows: 'StopTransaction (EVDisconnected), Finishing; Available only when the tag has released the cable',
      },
      async ({ station, csms }) => {
        await csms.configure(disconnects, 'true');
        await csms.configure('UnlockConnectorOnEVSideDisconnect', 'false');
        await station.charges();
        await station.unplug();
        csms.expect('StopTransaction', { transactionId: 1, reason: 'EVDisconnected' });
        csms.expectStatus('Finishing');
        await station.present('TAG-1');
        csms.expect('Authorize', { idTag: 'TAG-1' });
        csms.expectStatus('Available');
      },
    ),
    theCase(
      'TC_005_3_CS',
      'the car leaves: the transaction goes on',
      {
        given: `${disconnects} false, a charging car`,
        when: 'the cable is pulled from the car, put back, and the driver presents the tag',
        follows: 'SuspendedEV, Charging again in the same transaction, StopTransaction only with the tag',
      },
      async ({ station, csms }) => {
        await csms.configure(disconnects, 'false');
        await station.charges();
        await station.unplug();
        csms.expectStatus('SuspendedEV');
        await station.plug();
        csms.expectStatus('Charging');
        await station.present('TAG-1');
        csms.expect('StopTransaction', { transactionId: 1, reason: 'Local' });
        csms.expectStatus('Finishing');
      },
    ),
    theCase(
      'TC_068_CS',
      'the tag that started it stops it',
      {
        given: 'a charging car',
        when: 'another tag is presented, then the one that started it',
        follows: 'the other is asked about and stops nothing; its own stops it unasked: StopTransaction (Local)',
      },
      async ({ station, csms }) => {
        await station.charges('TAG-1');
        await station.present('TAG-2');
        csms.expect('Authorize', { idTag: 'TAG-2' });
        csms.expectSilence();
        await station.present('TAG-1');
        csms.expect('StopTransaction', { transactionId: 1, idTag: 'TAG-1', reason: 'Local' });
        csms.expectStatus('Finishing');
      },
    ),
    theCase(
      'TC_069_CS',
      'a tag of the same group stops it',
      {
        given: 'a car that charges with a tag of the group FAMILY',
        when: 'another tag of that group is presented',
        follows: 'Authorize, StopTransaction (Local) with the other tag, Finishing',
      },
      async ({ station, csms }) => {
        csms.answers('Authorize', { idTagInfo: { status: 'Accepted', parentIdTag: 'FAMILY' } });
        await station.charges('TAG-1');
        await station.present('TAG-2');
        csms.expect('Authorize', { idTag: 'TAG-2' });
        csms.expect('StopTransaction', { transactionId: 1, idTag: 'TAG-2', reason: 'Local' });
        csms.expectStatus('Finishing');
      },
    ),
  ],
};

export const refusedStarts: Group = {
  name: 'start that is refused',
  cases: [
    theCase(
      'TC_023_4_CS',
      'a tag at the charger that may not charge',
      {
        given: 'a car that is plugged in',
        when: 'tags are presented that the CSMS calls Invalid, Expired and Blocked',
        follows: 'each is asked about and none starts anything; the connector stays Preparing',
      },
      async ({ station, csms }) => {
        await station.plug();
        csms.expectStatus('Preparing');
        for (const status of ['Invalid', 'Expired', 'Blocked']) {
          csms.answers('Authorize', { idTagInfo: { status } });
          await station.present(`TAG-${status}`);
          csms.expect('Authorize', { idTag: `TAG-${status}` });
          csms.expectSilence();
        }
        await station.unplug();
        csms.expectStatus('Available');
      },
    ),
    theCase(
      'TC_023_5_CS',
      'a tag from afar that may not charge',
      {
        given: 'AuthorizeRemoteTxRequests true, a car that is plugged in',
        when: 'the CSMS starts from afar with a tag and then calls it Invalid',
        follows: 'Accepted, Authorize, and no transaction',
      },
      async ({ station, csms }) => {
        await csms.configure('AuthorizeRemoteTxRequests', 'true');
        csms.answers('Authorize', { idTagInfo: { status: 'Invalid' } });
        await station.plug();
        csms.expectStatus('Preparing');
        await csms.send('RemoteStartTransaction', { idTag: 'TAG-1', connectorId: 1 }, { status: 'Accepted' });
        csms.expect('Authorize', { idTag: 'TAG-1' });
        csms.expectSilence();
        await station.unplug();
        csms.expectStatus('Available');
      },
    ),
    theCase(
      'TC_024_CS',
      'the lock does not close',
      {
        given: 'a car that is plugged in at a socket',
        when: 'the lock fails, and a tag is presented',
        follows: 'Faulted with ConnectorLockFailure, and no transaction; Preparing again when it is mended',
      },
      async ({ station, csms }) => {
        await station.plug();
        csms.expectStatus('Preparing');
        await station.breaks('ConnectorLockFailure');
        csms.expectStatus('Faulted', 1, 'ConnectorLockFailure');
        await station.present('TAG-1');
        csms.expectSilence();
        await station.mends();
        csms.expectStatus('Preparing');
      },
    ),
  ],
};

export const faults: Group = {
  name: 'faults',
  cases: [
    theCase(
      'TC_041_CS',
      'a fault comes and goes',
      {
        given: 'a car that is plugged in',
        when: 'a fault appears and is mended',
        follows: 'Faulted with its code, then what the connector was before, with NoError',
      },
      async ({ station, csms }) => {
        await station.plug();
        csms.expectStatus('Preparing');
        await station.breaks('GroundFailure', 1, { info: 'earth leakage' });
        const { info } = csms.expectStatus('Faulted', 1, 'GroundFailure');
        expectSame(info, 'earth leakage', 'the info');
        await station.mends();
        csms.expectStatus('Preparing');
      },
    ),
  ],
};
