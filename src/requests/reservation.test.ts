// Reservations of a 1.6 charger: kept for one tag or its group, used up by a transaction, gone when their time is over.

import { describe, expect, it } from 'vitest';
import { booted, charging, type Payload, startMs, station, type Talk } from '../../test/talk.ts';

const two = { station: station({ connectorCount: 2 }) };
const inMinutes = (minutes: number): string => new Date(startMs + minutes * 60_000).toISOString();

function reserve(talk: Talk, connectorId = 1, more: Payload = {}): string {
  const request = { connectorId, expiryDate: inMinutes(10), idTag: 'MINE', reservationId: 7, ...more };
  return talk.ask('ReserveNow', request)['status'];
}
const cancel = (talk: Talk, reservationId = 7): string => talk.ask('CancelReservation', { reservationId })['status'];
const family = (idTag: string) => () => ({ idTagInfo: { status: 'Accepted', parentIdTag: idTag } });

describe('ReserveNow', () => {
  it('keeps a free connector, and shows it', async () => {
    const talk = await booted('1.6');
    expect(reserve(talk)).toBe('Accepted');
    expect(talk.saidInShort()).toEqual(['StatusNotification 1 Reserved']);
  });

  it('says why a connector cannot be kept', async () => {
    const talk = await booted('1.6', two);
    talk.command('plug-connector');
    expect(reserve(talk)).toBe('Occupied');
    talk.command('unplug-connector');
    talk.request('ChangeAvailability', { connectorId: 1, type: 'Inoperative' });
    expect(reserve(talk)).toBe('Unavailable');
    talk.command('inject-fault', { error_code: 'GroundFailure' });
    expect(reserve(talk)).toBe('Faulted');
    expect(reserve(talk, 9)).toBe('Rejected');
    expect(reserve(talk, 2, { expiryDate: inMinutes(-1) })).toBe('Rejected');
    expect(reserve(talk, 2)).toBe('Accepted');
    expect(reserve(talk, 2, { reservationId: 8 })).toBe('Occupied');
    talk.command('set-configuration', { key: 'ReservationEnabled', value: 'false' });
    expect(reserve(talk, 2)).toBe('Rejected');
  });

  it('again with the same id takes the place of the first', async () => {
    const talk = await booted('1.6', two);
    reserve(talk, 1);
    expect(reserve(talk, 2, { idTag: 'YOURS' })).toBe('Accepted');
    expect(talk.saidInShort()).toEqual([
      'StatusNotification 1 Reserved',
      'StatusNotification 1 Available',
      'StatusNotification 2 Reserved',
    ]);
  });

  it('goes when its time is over, also if the charger was without power then', async () => {
    const talk = await booted('1.6');
    reserve(talk);
    talk.said();
    expect(talk.pass(599).saidInShort()).not.toContain('StatusNotification 1 Available');
    expect(talk.pass(1).saidInShort()).toContain('StatusNotification 1 Available');
    reserve(talk, 1, { expiryDate: inMinutes(20) });
    talk.powerCut();
    expect(talk.saidInShort().at(-1)).toBe('StatusNotification 1 Reserved');
    talk.nowMs += 3_600_000;
    talk.powerCut();
    expect(talk.saidInShort().at(-1)).toBe('StatusNotification 1 Available');
  });

  it('is let go by CancelReservation, once', async () => {
    const talk = await booted('1.6');
    reserve(talk);
    talk.said();
    expect(cancel(talk)).toBe('Accepted');
    expect(talk.saidInShort()).toEqual(['StatusNotification 1 Available']);
    expect(cancel(talk)).toBe('Rejected');
  });
});

describe('a reserved connector', () => {
  it('is for the tag that it is kept for; its transaction names the reservation', async () => {
    const talk = await booted('1.6');
    reserve(talk);
    talk.command('authorize', { id_tag: 'mine', id_token_type: 'ISO14443' });
    talk.said();
    talk.command('plug-connector');
    const [first, second] = talk.said();
    expect(first?.action).toBe('StartTransaction');
    expect(first?.payload).toMatchObject({ reservationId: 7 });
    expect(second?.payload['status']).toBe('Charging');
    talk.command('stop-session');
    expect(talk.saidInShort().at(-1)).toBe('StatusNotification 1 Available');
    expect(cancel(talk)).toBe('Rejected');
  });

  it('is not for others, whether they come in person or from afar', async () => {
    const talk = await booted('1.6');
    reserve(talk);
    talk.command('plug-connector');
    expect(talk.saidInShort()).toEqual(['StatusNotification 1 Reserved', 'StatusNotification 1 Preparing']);
    expect(talk.command('start-transaction', { id_tag: 'OTHER' })?.failure).toMatchObject({ refused: 'reserved' });
    talk.command('authorize', { id_tag: 'OTHER', id_token_type: 'ISO14443' });
    expect(talk.saidInShort()).toEqual(['Authorize']);
    expect(talk.request('RemoteStartTransaction', { idTag: 'OTHER', connectorId: 1 })?.[2]).toEqual({
      status: 'Rejected',
    });
    expect(talk.request('RemoteStartTransaction', { idTag: 'MINE', connectorId: 1 })?.[2]).toEqual({
      status: 'Accepted',
    });
    expect(talk.said()[0]?.payload).toMatchObject({ idTag: 'MINE', reservationId: 7 });
  });

  it('is for the group of the tag, too', async () => {
    const talk = await booted('1.6', { answers: { Authorize: family('FAMILY') } });
    reserve(talk, 1, { parentIdTag: 'FAMILY' });
    talk.command('plug-connector');
    talk.said();
    talk.command('authorize', { id_tag: 'SISTER', id_token_type: 'ISO14443' });
    const calls = talk.said();
    expect(calls.map(({ action }) => action)).toEqual(['Authorize', 'StartTransaction', 'StatusNotification']);
    expect(calls[1]?.payload).toMatchObject({ idTag: 'SISTER', reservationId: 7 });
  });

  it('started from afar by another tag asks the CSMS for its group first', async () => {
    for (const [group, started] of [
      ['FAMILY', true],
      ['NEIGHBOURS', false],
    ] as const) {
      const talk = await booted('1.6', { answers: { Authorize: family(group) } });
      reserve(talk, 1, { parentIdTag: 'FAMILY' });
      talk.command('plug-connector');
      talk.said();
      const asked = { idTag: 'SISTER', connectorId: 1 };
      expect(talk.request('RemoteStartTransaction', asked)?.[2]).toEqual({ status: 'Accepted' });
      const actions = talk.said().map(({ action }) => action);
      expect(actions[0]).toBe('Authorize');
      expect(actions.includes('StartTransaction')).toBe(started);
    }
  });

  it('is reserved again when its tag was presented and no car came', async () => {
    const talk = await booted('1.6');
    reserve(talk);
    talk.command('authorize', { id_tag: 'MINE', id_token_type: 'ISO14443' });
    expect(talk.saidInShort().at(-1)).toBe('StatusNotification 1 Preparing');
    expect(talk.pass(60).saidInShort()).toEqual(['StatusNotification 1 Reserved']);
  });
});

describe('a reservation of the charger as a whole', () => {
  it('shows on no connector, and keeps the last free one', async () => {
    const talk = await booted('1.6', two);
    expect(reserve(talk, 0)).toBe('Accepted');
    expect(talk.saidInShort()).toEqual([]);
    expect(talk.command('start-session', { id_tag: 'OTHER' })?.failure).toBeNull();
    expect(talk.command('start-session', { id_tag: 'THIRD', evse_id: 2 })?.failure).toMatchObject({
      refused: 'reserved',
    });
    talk.said();
    talk.command('start-session', { id_tag: 'MINE', evse_id: 2 });
    expect(talk.said().find(({ action }) => action === 'StartTransaction')?.payload).toMatchObject({
      connectorId: 2,
      reservationId: 7,
    });
  });

  it('says why it cannot be', async () => {
    const talk = await charging('1.6', two);
    talk.command('plug-connector', { evse_id: 2, connector_id: 1 });
    expect(reserve(talk, 0)).toBe('Occupied');
    talk.command('unplug-connector', { evse_id: 2, connector_id: 1 });
    talk.request('ChangeAvailability', { connectorId: 2, type: 'Inoperative' });
    talk.command('stop-session');
    talk.request('ChangeAvailability', { connectorId: 1, type: 'Inoperative' });
    expect(reserve(talk, 0)).toBe('Unavailable');
    talk.command('inject-fault', { evse_id: 0, connector_id: 0, error_code: 'InternalError' });
    expect(reserve(talk, 0)).toBe('Faulted');
    talk.command('set-configuration', { key: 'ReserveConnectorZeroSupported', value: 'false' });
    expect(reserve(talk, 0)).toBe('Rejected');
  });
});
