// OCPP 1.6: connectors that are kept for somebody.

import { type Group, theCase } from '../case.ts';
import { absent } from '../expecting.ts';
import type { StageCsms } from '../stage.ts';

type Wishes = { connectorId?: number; parentIdTag?: string; expiryS?: number };

/** A reservation 7 for TAG-1. */
function reserve(csms: StageCsms, status: string, { connectorId = 1, expiryS = 600, ...more }: Wishes = {}) {
  const request = { connectorId, idTag: 'TAG-1', reservationId: 7, expiryDate: csms.inS(expiryS), ...more };
  return csms.send('ReserveNow', request, { status });
}

const station = { connectorId: 0 };
const group = { idTagInfo: { status: 'Accepted', parentIdTag: 'FAMILY' } };
const two = { connectors: 2 };

const availability = (csms: StageCsms, connectorId: number) =>
  csms.send('ChangeAvailability', { connectorId, type: 'Inoperative' }, { status: 'Accepted' });

export const reservations: Group = {
  name: 'reservation',
  cases: [
    theCase(
      'TC_046_1_CS',
      'a reserved connector is used at the charger',
      {
        given: 'connector 1 reserved for TAG-1',
        when: 'another tag is presented, then TAG-1, and a car is plugged in',
        follows: 'Reserved; the other starts nothing; then Preparing, StartTransaction with the reservation, Charging',
      },
      async ({ station: hands, csms }) => {
        await reserve(csms, 'Accepted');
        csms.expectStatus('Reserved');
        await hands.present('TAG-2');
        csms.expect('Authorize', { idTag: 'TAG-2' });
        csms.expectSilence();
        await hands.present('TAG-1');
        csms.expect('Authorize', { idTag: 'TAG-1' });
        csms.expectStatus('Preparing');
        await hands.plug();
        csms.expect('StartTransaction', { connectorId: 1, idTag: 'TAG-1', reservationId: 7 });
        csms.expectStatus('Charging');
      },
    ),
    theCase(
      'TC_046_2_CS',
      'a reserved connector is used from afar',
      {
        given: 'connector 1 reserved for TAG-1',
        when: 'the CSMS starts from afar with another tag, then with TAG-1, and a car is plugged in',
        follows: 'Rejected; then Accepted, Preparing, StartTransaction with the reservation, Charging',
      },
      async ({ station: hands, csms }) => {
        await reserve(csms, 'Accepted');
        csms.expectStatus('Reserved');
        await csms.send('RemoteStartTransaction', { idTag: 'TAG-2', connectorId: 1 }, { status: 'Rejected' });
        await csms.send('RemoteStartTransaction', { idTag: 'TAG-1', connectorId: 1 }, { status: 'Accepted' });
        csms.expectStatus('Preparing');
        await hands.plug();
        csms.expect('StartTransaction', { connectorId: 1, idTag: 'TAG-1', reservationId: 7 });
        csms.expectStatus('Charging');
      },
    ),
    theCase(
      'TC_047_CS',
      'a reservation runs out',
      {
        given: 'connector 1 reserved for 60 s',
        when: '60 s pass, and another tag is used',
        follows: 'Available; the other tag starts, without a reservation',
      },
      async ({ station: hands, csms }) => {
        await reserve(csms, 'Accepted', { expiryS: 60 });
        csms.expectStatus('Reserved');
        await hands.waitS(59);
        csms.expectSilence();
        await hands.waitS(1);
        csms.expectStatus('Available');
        await hands.plug();
        csms.expectStatus('Preparing');
        await hands.present('TAG-2');
        csms.expect('Authorize');
        csms.expect('StartTransaction', { idTag: 'TAG-2', reservationId: absent });
        csms.expectStatus('Charging');
      },
    ),
    theCase(
      'TC_048_1_CS',
      'a broken connector cannot be reserved',
      { given: 'connector 1 Faulted', when: 'the CSMS reserves it', follows: 'Faulted' },
      async ({ station: hands, csms }) => {
        await hands.breaks('GroundFailure');
        csms.expectStatus('Faulted', 1, 'GroundFailure');
        await reserve(csms, 'Faulted');
      },
    ),
    theCase(
      'TC_048_2_CS',
      'a connector in use cannot be reserved',
      { given: 'a charging car at connector 1', when: 'the CSMS reserves it', follows: 'Occupied' },
      async ({ station: hands, csms }) => {
        await hands.charges();
        await reserve(csms, 'Occupied');
      },
    ),
    theCase(
      'TC_048_3_CS',
      'a connector out of service cannot be reserved',
      { given: 'connector 1 Unavailable', when: 'the CSMS reserves it', follows: 'Unavailable' },
      async ({ csms }) => {
        await availability(csms, 1);
        csms.expectStatus('Unavailable');
        await reserve(csms, 'Unavailable');
      },
    ),
    theCase(
      'TC_048_4_CS',
      'a charger that takes no reservations',
      { given: 'reservations switched off', when: 'the CSMS reserves connector 1', follows: 'Rejected' },
      async ({ station: hands, csms }) => {
        await hands.set('ReservationEnabled', 'false');
        await reserve(csms, 'Rejected');
      },
    ),
    theCase(
      'TC_049_CS',
      'any connector of the charger is reserved and used',
      {
        given: 'a charger with two connectors, reserved for TAG-1 as a whole',
        when: 'a car is plugged in at connector 2 and TAG-1 is presented there',
        follows: 'no connector is Reserved; Preparing, Authorize, StartTransaction with the reservation, Charging',
      },
      async ({ station: hands, csms }) => {
        await reserve(csms, 'Accepted', station);
        csms.expectSilence();
        await hands.plug(2);
        csms.expectStatus('Preparing', 2);
        await hands.present('TAG-1', 2);
        csms.expect('Authorize');
        csms.expect('StartTransaction', { connectorId: 2, idTag: 'TAG-1', reservationId: 7 });
        csms.expectStatus('Charging', 2);
      },
      two,
    ),
    theCase(
      'TC_050_1_CS',
      'a broken charger cannot be reserved',
      { given: 'the charger as a whole Faulted', when: 'the CSMS reserves connector 0', follows: 'Faulted' },
      async ({ station: hands, csms }) => {
        await hands.breaks('InternalError', 0);
        for (const connectorId of [0, 1]) csms.expectStatus('Faulted', connectorId, 'InternalError');
        await reserve(csms, 'Faulted', station);
      },
    ),
    theCase(
      'TC_050_2_CS',
      'a charger in use cannot be reserved',
      { given: 'charging cars at both connectors', when: 'the CSMS reserves connector 0', follows: 'Occupied' },
      async ({ station: hands, csms }) => {
        await hands.charges('TAG-2', 1);
        await hands.charges('TAG-3', 2);
        await reserve(csms, 'Occupied', station);
      },
      two,
    ),
    theCase(
      'TC_050_3_CS',
      'a charger out of service cannot be reserved',
      { given: 'the charger as a whole Unavailable', when: 'the CSMS reserves connector 0', follows: 'Unavailable' },
      async ({ csms }) => {
        await availability(csms, 0);
        for (const connectorId of [0, 1]) csms.expectStatus('Unavailable', connectorId);
        await reserve(csms, 'Unavailable', station);
      },
    ),
    theCase(
      'TC_050_4_CS',
      'a charger that cannot be reserved as a whole',
      {
        given: 'ReserveConnectorZeroSupported false',
        when: 'the CSMS reserves connector 0, then connector 1',
        follows: 'Rejected, then Accepted',
      },
      async ({ station: hands, csms }) => {
        await hands.set('ReserveConnectorZeroSupported', 'false');
        await reserve(csms, 'Rejected', station);
        await reserve(csms, 'Accepted');
        csms.expectStatus('Reserved');
      },
    ),
    theCase(
      'TC_051_CS',
      'a reservation is cancelled',
      {
        given: 'connector 1 reserved',
        when: 'the CSMS cancels it',
        follows: 'Accepted, Available',
      },
      async ({ csms }) => {
        await reserve(csms, 'Accepted');
        csms.expectStatus('Reserved');
        await csms.send('CancelReservation', { reservationId: 7 }, { status: 'Accepted' });
        csms.expectStatus('Available');
      },
    ),
    theCase(
      'TC_052_CS',
      'a reservation is cancelled that there is not',
      {
        given: 'connector 1 reserved with number 7',
        when: 'the CSMS cancels number 8',
        follows: 'Rejected, and the connector stays Reserved',
      },
      async ({ csms }) => {
        await reserve(csms, 'Accepted');
        csms.expectStatus('Reserved');
        await csms.send('CancelReservation', { reservationId: 8 }, { status: 'Rejected' });
      },
    ),
    theCase(
      'TC_053_1_CS',
      'a reserved connector is used by another of the group, at the charger',
      {
        given: 'connector 1 reserved for TAG-1 of the group FAMILY',
        when: 'another tag of the group is presented, and a car is plugged in',
        follows: 'Authorize, Preparing, StartTransaction with the reservation and the other tag, Charging',
      },
      async ({ station: hands, csms }) => {
        csms.answers('Authorize', group);
        await reserve(csms, 'Accepted', { parentIdTag: 'FAMILY' });
        csms.expectStatus('Reserved');
        await hands.present('TAG-2');
        csms.expect('Authorize', { idTag: 'TAG-2' });
        csms.expectStatus('Preparing');
        await hands.plug();
        csms.expect('StartTransaction', { idTag: 'TAG-2', reservationId: 7 });
        csms.expectStatus('Charging');
      },
    ),
    theCase(
      'TC_053_2_CS',
      'a reserved connector is used by another of the group, from afar',
      {
        given: 'connector 1 reserved for TAG-1 of the group FAMILY',
        when: 'the CSMS starts from afar with another tag of the group, and a car is plugged in',
        follows: 'Accepted; Authorize tells the group; Preparing, StartTransaction with the reservation, Charging',
      },
      async ({ station: hands, csms }) => {
        csms.answers('Authorize', group);
        await reserve(csms, 'Accepted', { parentIdTag: 'FAMILY' });
        csms.expectStatus('Reserved');
        await csms.send('RemoteStartTransaction', { idTag: 'TAG-2', connectorId: 1 }, { status: 'Accepted' });
        csms.expect('Authorize', { idTag: 'TAG-2' });
        csms.expectStatus('Preparing');
        await hands.plug();
        csms.expect('StartTransaction', { idTag: 'TAG-2', reservationId: 7 });
        csms.expectStatus('Charging');
      },
    ),
  ],
};
