// OCPP 1.6: what the CSMS does from afar: starting, stopping, unlocking.

import { type Group, theCase } from '../case.ts';
import { above, absent, expectTrue } from '../expecting.ts';

const start = { idTag: 'TAG-1', connectorId: 1 };

export const remoteActions: Group = {
  name: 'remote start and stop',
  cases: [
    theCase(
      'TC_010_CS',
      'the car first, then a remote start',
      {
        given: 'AuthorizeRemoteTxRequests true, a car that is plugged in',
        when: 'the CSMS starts from afar',
        follows: 'Accepted, then Authorize, StartTransaction, Charging',
      },
      async ({ station, csms }) => {
        await csms.configure('AuthorizeRemoteTxRequests', 'true');
        await station.plug();
        csms.expectStatus('Preparing');
        await csms.send('RemoteStartTransaction', start, { status: 'Accepted' });
        csms.expect('Authorize', { idTag: 'TAG-1' });
        csms.expect('StartTransaction', { connectorId: 1, idTag: 'TAG-1' });
        csms.expectStatus('Charging');
      },
    ),
    theCase(
      'TC_011_1_CS',
      'a remote start, then the car',
      {
        given: 'AuthorizeRemoteTxRequests false, an idle charger',
        when: 'the CSMS starts from afar, and a car comes within the connection time-out',
        follows: 'Accepted, Preparing without Authorize; with the car StartTransaction and Charging',
      },
      async ({ station, csms }) => {
        await csms.configure('AuthorizeRemoteTxRequests', 'false');
        await csms.send('RemoteStartTransaction', start, { status: 'Accepted' });
        csms.expectStatus('Preparing');
        await station.waitS(20);
        await station.plug();
        csms.expect('StartTransaction', { connectorId: 1, idTag: 'TAG-1' });
        csms.expectStatus('Charging');
      },
    ),
    theCase(
      'TC_011_2_CS',
      'a remote start, and no car',
      {
        given: 'a connection time-out of 30 s',
        when: 'the CSMS starts from afar, and no car comes in time',
        follows: 'Accepted, Preparing for 30 s, then Available; a car that comes later starts nothing',
      },
      async ({ station, csms }) => {
        await csms.configure('ConnectionTimeOut', '30');
        await csms.send('RemoteStartTransaction', start, { status: 'Accepted' });
        csms.expectStatus('Preparing');
        await station.waitS(29);
        csms.expectSilence();
        await station.waitS(1);
        csms.expectStatus('Available');
        await station.plug();
        csms.expectStatus('Preparing');
      },
    ),
    theCase(
      'TC_012_CS',
      'a remote stop',
      {
        given: 'a charging car',
        when: 'the CSMS stops the transaction from afar, and the driver leaves',
        follows: 'Accepted, StopTransaction (Remote) without a tag, Finishing, Available',
      },
      async ({ station, csms }) => {
        await station.charges();
        await station.waitS(60);
        await csms.send('RemoteStopTransaction', { transactionId: 1 }, { status: 'Accepted' });
        csms.expect('StopTransaction', { transactionId: 1, reason: 'Remote', idTag: absent, meterStop: above(0) });
        csms.expectStatus('Finishing');
        await station.unplug();
        csms.expectStatus('Available');
      },
    ),
  ],
};

export const refusedRemoteActions: Group = {
  name: 'remote start and stop that are refused',
  cases: [
    theCase(
      'TC_026_CS',
      'a remote start where somebody charges, and where nobody may',
      {
        given: 'a charging car at connector 1, and connector 2 out of service',
        when: 'the CSMS starts from afar at each of them',
        follows: 'Rejected, and nothing follows',
      },
      async ({ station, csms }) => {
        await csms.send('ChangeAvailability', { connectorId: 2, type: 'Inoperative' }, { status: 'Accepted' });
        csms.expectStatus('Unavailable', 2);
        await station.charges();
        for (const connectorId of [1, 2]) {
          await csms.send('RemoteStartTransaction', { idTag: 'TAG-2', connectorId }, { status: 'Rejected' });
        }
        await station.waitS(5);
        csms.expectSilence();
      },
      { connectors: 2 },
    ),
    theCase(
      'TC_027_CS',
      'a remote start at connector 0',
      {
        given: 'a car that is plugged in',
        when: 'the CSMS starts from afar at connector 0',
        follows: 'Rejected, and nothing follows',
      },
      async ({ station, csms }) => {
        await station.plug();
        csms.expectStatus('Preparing');
        await csms.send('RemoteStartTransaction', { idTag: 'TAG-1', connectorId: 0 }, { status: 'Rejected' });
      },
    ),
    theCase(
      'TC_028_CS',
      'a remote stop of something else',
      {
        given: 'a charging car with transaction 1',
        when: 'the CSMS stops transaction 2 from afar',
        follows: 'Rejected, and transaction 1 goes on',
      },
      async ({ station, csms }) => {
        await station.charges();
        await csms.send('RemoteStopTransaction', { transactionId: 2 }, { status: 'Rejected' });
        csms.expectSilence();
        await station.waitS(60);
        csms.expect('MeterValues', { transactionId: 1 });
      },
    ),
  ],
};

const fixedCable = { cable: 'fixed' } as const;
const first = { connectorId: 1 };

export const unlocking: Group = {
  name: 'unlocking',
  cases: [
    theCase(
      'TC_017_1_CS',
      'a socket is unlocked',
      { given: 'a car that is plugged in at a socket', when: 'the CSMS unlocks it', follows: 'Unlocked, and it is' },
      async ({ station, csms }) => {
        await station.plug();
        csms.expectStatus('Preparing');
        expectTrue(station.isLocked, 'the socket is not locked');
        await csms.send('UnlockConnector', first, { status: 'Unlocked' });
        expectTrue(!station.isLocked, 'the socket is still locked');
      },
    ),
    theCase(
      'TC_017_2_CS',
      'a fixed cable is unlocked',
      { given: 'a connector with a fixed cable', when: 'the CSMS unlocks it', follows: 'NotSupported' },
      async ({ csms }) => void (await csms.send('UnlockConnector', first, { status: 'NotSupported' })),
      fixedCable,
    ),
    theCase(
      'TC_018_1_CS',
      'a socket is unlocked during a transaction',
      {
        given: 'a charging car at a socket',
        when: 'the CSMS unlocks it, and the driver leaves',
        follows: 'Unlocked, StopTransaction (UnlockCommand), Finishing, Available',
      },
      async ({ station, csms }) => {
        await station.charges();
        await csms.send('UnlockConnector', first, { status: 'Unlocked' });
        csms.expect('StopTransaction', { transactionId: 1, reason: 'UnlockCommand' });
        csms.expectStatus('Finishing');
        await station.unplug();
        csms.expectStatus('Available');
      },
    ),
    theCase(
      'TC_018_2_CS',
      'a fixed cable is unlocked during a transaction',
      {
        given: 'a charging car at a fixed cable',
        when: 'the CSMS unlocks it',
        follows: 'NotSupported, and the transaction goes on until the driver stops it',
      },
      async ({ station, csms }) => {
        await station.charges();
        await csms.send('UnlockConnector', first, { status: 'NotSupported' });
        csms.expectSilence();
        await station.present('TAG-1');
        csms.expect('StopTransaction', { transactionId: 1, reason: 'Local' });
        csms.expectStatus('Finishing');
      },
      fixedCable,
    ),
    theCase(
      'TC_030_CS',
      'a lock that does not open',
      {
        given: 'a car that is plugged in at a socket whose lock is stuck',
        when: 'the CSMS unlocks it',
        follows: 'the status carries ConnectorLockFailure; UnlockFailed, and it is still locked',
      },
      async ({ station, csms }) => {
        await station.plug();
        csms.expectStatus('Preparing');
        await station.breaks('ConnectorLockFailure', 1, { blocking: false });
        csms.expectStatus('Preparing', 1, 'ConnectorLockFailure');
        await csms.send('UnlockConnector', first, { status: 'UnlockFailed' });
        expectTrue(station.isLocked, 'the socket is not locked any more');
      },
    ),
    theCase(
      'TC_031_CS',
      'a connector is unlocked that there is not',
      { given: 'a charger with one connector', when: 'the CSMS unlocks connector 2', follows: 'NotSupported' },
      async ({ csms }) => void (await csms.send('UnlockConnector', { connectorId: 2 }, { status: 'NotSupported' })),
    ),
  ],
};
