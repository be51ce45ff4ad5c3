// OCPP 1.6: coming up, going down, and failing power.

import { type Group, theCase } from '../case.ts';
import { expectSame, present } from '../expecting.ts';

export const coldBoot: Group = {
  name: 'cold boot',
  cases: [
    theCase(
      'TC_001_CS',
      'a charger comes up',
      {
        given: 'a charger without power',
        when: 'the power comes and the CSMS accepts it with an interval of 10 s',
        follows: 'BootNotification, a status for the station and each connector, then a Heartbeat after each 10 s',
      },
      async ({ station, csms }) => {
        const boot = { status: 'Accepted', currentTime: csms.inS(0), interval: 10 };
        csms.answers('BootNotification', boot);
        await station.powerOn();
        csms.expect('BootNotification', { chargePointVendor: present, chargePointModel: present });
        for (const connectorId of [0, 1, 2]) csms.expectStatus('Available', connectorId);
        csms.expectSilence();
        await station.waitS(30);
        expectSame(csms.heard('Heartbeat').length, 3, 'the number of Heartbeats in 30 s');
      },
      { connectors: 2, isOff: true },
    ),
    theCase(
      'TC_002_CS',
      'a charger that may not speak yet',
      {
        given: 'a CSMS that answers Pending with an interval of 60 s',
        when: 'it reads and changes the configuration, tries a remote start, and later accepts',
        follows:
          'requests are answered, the remote start is Rejected, and nothing is said but the next BootNotification',
      },
      async ({ station, csms }) => {
        csms.answers('BootNotification', { status: 'Pending', currentTime: csms.inS(0), interval: 60 });
        await station.powerOn();
        csms.expect('BootNotification');
        const key = 'MeterValueSampleInterval';
        await csms.configure(key, '30');
        await csms.send('GetConfiguration', { key: [key] }, { configurationKey: [{ key, value: '30' }] });
        await csms.send('RemoteStartTransaction', { idTag: 'TAG-1', connectorId: 1 }, { status: 'Rejected' });
        await station.waitS(59);
        csms.expectSilence();
        csms.answersAsUsual('BootNotification');
        await station.waitS(1);
        csms.expectBoot();
      },
      { isOff: true },
    ),
  ],
};

export const resetting: Group = {
  name: 'resetting',
  cases: [
    ...(['Hard', 'Soft'] as const).map((type) =>
      theCase(
        type === 'Hard' ? 'TC_013_CS' : 'TC_014_CS',
        `a ${type.toLowerCase()} reset of an idle charger`,
        {
          given: 'an idle charger',
          when: `the CSMS sends Reset (${type})`,
          follows: 'Accepted, and the charger comes up again: BootNotification, Available',
        },
        async ({ station, csms }) => {
          await csms.send('Reset', { type }, { status: 'Accepted' });
          csms.expectSilence();
          await station.waitS(10);
          csms.expectBoot();
        },
      ),
    ),
    ...(['Hard', 'Soft'] as const).map((type) =>
      theCase(
        type === 'Hard' ? 'TC_015_CS' : 'TC_016_CS',
        `a ${type.toLowerCase()} reset during a transaction`,
        {
          given: 'a charging car',
          when: `the CSMS sends Reset (${type})`,
          follows: `Accepted, StopTransaction (${type}Reset), Finishing; then BootNotification with the car still there`,
        },
        async ({ station, csms }) => {
          await station.charges();
          await station.waitS(20);
          await csms.send('Reset', { type }, { status: 'Accepted' });
          csms.expect('StopTransaction', { transactionId: 1, reason: `${type}Reset` });
          csms.expectStatus('Finishing');
          await station.waitS(10);
          csms.expectBoot(1, 'Finishing');
          await station.unplug();
          csms.expectStatus('Available');
        },
      ),
    ),
  ],
};

export const powerFailure: Group = {
  name: 'power failure',
  cases: [
    theCase(
      'TC_032_1_CS',
      'the power fails, and the transaction is stopped in time',
      {
        given: 'a charging car at a charger with a reserve of power',
        when: 'the power fails: the transaction is ended for it, then the charger goes down',
        follows: 'StopTransaction (PowerLoss) before the line breaks; after the boot nothing more of the transaction',
      },
      async ({ station, csms }) => {
        await station.charges();
        await station.waitS(20);
        await station.stops('PowerLoss');
        csms.expect('StopTransaction', { transactionId: 1, reason: 'PowerLoss' });
        csms.expectStatus('Finishing');
        await station.powerCycle();
        await station.waitS(10);
        csms.expectBoot(1, 'Finishing');
      },
    ),
    theCase(
      'TC_032_2_CS',
      'the power fails, and the transaction is stopped afterwards',
      {
        given: 'a charging car',
        when: 'the power fails at once and comes back after 5 s',
        follows: 'BootNotification, the statuses, and StopTransaction (PowerLoss) with a moment before the boot',
      },
      async ({ station, csms }) => {
        await station.charges();
        await station.waitS(20);
        const failedAt = csms.inS(0);
        await station.powerCycle();
        csms.expectSilence();
        await station.waitS(5);
        csms.expectBoot(1, 'Finishing');
        const stop = csms.expect('StopTransaction', { transactionId: 1, reason: 'PowerLoss' });
        expectSame(stop['timestamp'] <= failedAt, true, 'that it ended when the power failed');
      },
    ),
    theCase(
      'TC_034_CS',
      'a connector that is out of service stays so over a power failure',
      {
        given: 'a charger whose connector the CSMS has made Inoperative',
        when: 'the power fails and comes back, and the CSMS makes it Operative again',
        follows: 'Unavailable after the boot, and Available only on the request of the CSMS',
      },
      async ({ station, csms }) => {
        await csms.send('ChangeAvailability', { connectorId: 1, type: 'Inoperative' }, { status: 'Accepted' });
        csms.expectStatus('Unavailable');
        await station.powerCycle();
        await station.waitS(5);
        csms.expectBoot(1, 'Unavailable');
        await csms.send('ChangeAvailability', { connectorId: 1, type: 'Operative' }, { status: 'Accepted' });
        csms.expectStatus('Available');
      },
    ),
  ],
};
