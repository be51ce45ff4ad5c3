// What a CSMS of the 2.x family asks of a charger that every version can do alike.

import { describe, expect, it } from 'vitest';
import { booted, charging, startMs, station } from '../../../test/talk.ts';

const two = { station: station({ connectorCount: 2 }) };
const token = (idToken: string) => ({ idToken, type: 'ISO14443' });
const later = new Date(startMs + 600_000).toISOString();

for (const version of ['2.0.1', '2.1'] as const) {
  describe(`OCPP ${version}`, () => {
    it('takes an EVSE or the whole station out of use, after the transaction that runs there', async () => {
      const talk = await charging(version, two);
      const change = (operationalStatus: string, evse?: { id: number }) =>
        talk.ask('ChangeAvailability', { operationalStatus, ...(evse === undefined ? {} : { evse }) });
      expect(change('Inoperative', { id: 9 })).toMatchObject({ status: 'Rejected' });
      expect(change('Inoperative', { id: 2 })).toEqual({ status: 'Accepted' });
      expect(talk.saidInShort()).toEqual(['StatusNotification 2 Unavailable']);
      expect(change('Inoperative')).toEqual({ status: 'Scheduled' });
      talk.command('stop-session');
      expect(talk.saidInShort().at(-1)).toBe('StatusNotification 1 Unavailable');
      expect(change('Operative')).toEqual({ status: 'Accepted' });
      // The other one was switched off by itself.
      expect(talk.saidInShort()).toEqual(['StatusNotification 1 Available']);
    });

    it('does not unlock under a transaction', async () => {
      const talk = await charging(version);
      const unlock = (evseId: number) => talk.ask('UnlockConnector', { evseId, connectorId: 1 })['status'];
      expect(unlock(1)).toBe('OngoingAuthorizedTransaction');
      expect(unlock(2)).toBe('UnknownConnector');
      talk.command('stop-session');
      expect(unlock(1)).toBe('Unlocked');
    });

    it('says what it is asked to say', async () => {
      const talk = await booted(version, two);
      const trigger = (requestedMessage: string, evse?: object) =>
        talk.ask('TriggerMessage', { requestedMessage, ...(evse === undefined ? {} : { evse }) })['status'];
      expect(trigger('BootNotification')).toBe('Accepted');
      expect(talk.said()[0]?.payload['reason']).toBe('Triggered');
      expect(trigger('StatusNotification', { id: 2, connectorId: 1 })).toBe('Accepted');
      expect(talk.saidInShort()).toEqual(['StatusNotification 2 Available']);
      expect(trigger('StatusNotification', { id: 9, connectorId: 1 })).toBe('Rejected');
      expect(trigger('PublishFirmwareStatusNotification')).toBe('NotImplemented');
    });

    it('keeps a list, and forgets its cache', async () => {
      const talk = await booted(version);
      const entry = { idToken: token('A'), idTokenInfo: { status: 'Accepted' } };
      const send = { versionNumber: 3, updateType: 'Full', localAuthorizationList: [entry] };
      expect(talk.ask('SendLocalList', send)).toEqual({ status: 'Accepted' });
      expect(talk.ask('GetLocalListVersion')).toEqual({ versionNumber: 3 });
      expect(talk.ask('SendLocalList', { ...send, updateType: 'Differential' })).toEqual({ status: 'VersionMismatch' });
      expect(talk.ask('ClearCache')).toEqual({ status: 'Accepted' });
    });

    it('keeps an EVSE for a token, whose transaction names the reservation', async () => {
      const talk = await booted(version, two);
      const reserve = { id: 7, expiryDateTime: later, idToken: token('MINE'), evseId: 1 };
      expect(talk.ask('ReserveNow', reserve)).toEqual({ status: 'Accepted' });
      expect(talk.saidInShort()).toEqual(['StatusNotification 1 Reserved']);
      expect(talk.command('start-session', { id_tag: 'OTHER' })?.failure).toMatchObject({ refused: 'reserved' });
      talk.said();
      talk.command('start-session', { id_tag: 'MINE' });
      expect(talk.said().find(({ payload }) => payload['eventType'] === 'Started')?.payload).toMatchObject({
        reservationId: 7,
      });
      expect(talk.ask('CancelReservation', { reservationId: 7 })).toMatchObject({ status: 'Rejected' });
    });
  });
}
