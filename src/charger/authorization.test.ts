// Who may charge at a 1.6 charger: by the list, the cache and the CSMS, with a line and without.

import { describe, expect, it } from 'vitest';
import { booted, charging, type Payload, type Talk } from '../../test/talk.ts';

const configure = (talk: Talk, key: string, value: string) => talk.command('set-configuration', { key, value });
const tag = (talk: Talk, idTag: string) => talk.command('authorize', { id_tag: idTag, id_token_type: 'ISO14443' });
const list = (talk: Talk, ...entries: Payload[]) => talk.command('local-auth-list', { list_version: 1, entries });
const status = (talk: Talk): string | undefined => talk.conversation.charger.connectors[0]?.shown.status;
const refusing = (word: string) => ({ StartTransaction: () => ({ transactionId: 5, idTagInfo: { status: word } }) });
const blocked = { idTagInfo: { status: 'Blocked' } };

describe('online', () => {
  it('LocalPreAuthorize spares the CSMS the question for whom the cache knows, and only for good ones', async () => {
    const talk = await booted('1.6', { answers: { Authorize: () => blocked } });
    configure(talk, 'LocalPreAuthorize', 'true');
    talk.command('seed-auth-cache', {
      entries: [
        { id_tag: 'GOOD', status: 'Accepted' },
        { id_tag: 'BAD', status: 'Blocked' },
        { id_tag: 'OLD', status: 'Accepted', expiry_date: '2020-01-01T00:00:00Z' },
      ],
    });
    talk.command('plug-connector');
    talk.said();
    for (const idTag of ['BAD', 'OLD', 'NEW']) {
      tag(talk, idTag);
      expect(talk.saidInShort()).toEqual(['Authorize']);
    }
    tag(talk, 'GOOD');
    expect(talk.saidInShort()).toEqual(['StartTransaction', 'StatusNotification 1 Charging']);
  });

  it('the list comes before the cache', async () => {
    const talk = await booted('1.6');
    configure(talk, 'LocalPreAuthorize', 'true');
    talk.command('seed-auth-cache', { entries: [{ id_tag: 'A', status: 'Accepted' }] });
    list(talk, { id_tag: 'A', status: 'Blocked' });
    talk.command('plug-connector');
    talk.said();
    tag(talk, 'A');
    expect(talk.saidInShort()[0]).toBe('Authorize');
  });

  it('a remote start asks about the tag where it is told to, and does not start a refused one', async () => {
    const talk = await booted('1.6', { answers: { Authorize: () => blocked } });
    configure(talk, 'AuthorizeRemoteTxRequests', 'true');
    talk.command('plug-connector');
    talk.said();
    expect(talk.request('RemoteStartTransaction', { idTag: 'A', connectorId: 1 })?.[2]).toEqual({ status: 'Accepted' });
    expect(talk.saidInShort()).toEqual(['Authorize']);
    expect(status(talk)).toBe('Preparing');
  });

  it('a remote start of a known tag is not asked about where the charger may decide', async () => {
    const talk = await booted('1.6');
    configure(talk, 'AuthorizeRemoteTxRequests', 'true');
    configure(talk, 'LocalPreAuthorize', 'true');
    list(talk, { id_tag: 'A', status: 'Accepted' });
    talk.command('plug-connector');
    talk.said();
    talk.request('RemoteStartTransaction', { idTag: 'A', connectorId: 1 });
    expect(talk.saidInShort()).toEqual(['StartTransaction', 'StatusNotification 1 Charging']);
  });

  it.each([
    ['an unknown connector', { connectorId: 9 }],
    ['connector 0', { connectorId: 0 }],
    ['a profile of another purpose', { connectorId: 1, chargingProfile: profile('TxDefaultProfile') }],
  ])('a remote start is rejected with %s', async (_what, more) => {
    const talk = await booted('1.6', { unchecked: true });
    const answer = talk.request('RemoteStartTransaction', { idTag: 'A', ...more })?.[2];
    expect(['Rejected', 'PropertyConstraintViolation']).toContain((answer as Payload)['status'] ?? answer);
    expect(talk.saidInShort()).toEqual([]);
  });

  it('a remote start is rejected on a connector that is faulted or busy', async () => {
    const talk = await charging('1.6');
    const remote = () => talk.request('RemoteStartTransaction', { idTag: 'A', connectorId: 1 })?.[2];
    expect(remote()).toEqual({ status: 'Rejected' });
    talk.command('stop-session');
    talk.command('inject-fault', { error_code: 'GroundFailure' });
    expect(remote()).toEqual({ status: 'Rejected' });
  });

  it('a tag of no right leaves a running transaction alone', async () => {
    const talk = await charging('1.6');
    tag(talk, 'STRANGER');
    expect(talk.saidInShort()).toEqual(['Authorize']);
    expect(status(talk)).toBe('Charging');
  });
});

describe('a tag that the CSMS refuses when it has started', () => {
  it('ends its transaction where the charger is told so', async () => {
    const talk = await booted('1.6', { answers: refusing('Invalid') });
    talk.command('plug-connector');
    talk.said();
    tag(talk, 'A');
    expect(talk.saidInShort()).toEqual([
      'Authorize',
      'StartTransaction',
      'StatusNotification 1 Charging',
      'StopTransaction DeAuthorized',
      'StatusNotification 1 Finishing',
    ]);
  });

  it('gets no more energy elsewhere', async () => {
    const talk = await booted('1.6', { answers: refusing('Expired') });
    configure(talk, 'StopTransactionOnInvalidId', 'false');
    talk.command('plug-connector');
    tag(talk, 'A');
    expect(talk.saidInShort().at(-1)).toBe('StatusNotification 1 SuspendedEVSE');
  });

  it('or just the energy that is left for such', async () => {
    const talk = await booted('1.6', { answers: refusing('Expired') });
    configure(talk, 'StopTransactionOnInvalidId', 'false');
    configure(talk, 'MaxEnergyOnInvalidId', '1000');
    talk.command('plug-connector');
    tag(talk, 'A');
    expect(talk.saidInShort().at(-1)).toBe('StatusNotification 1 Charging');
    talk.pass(3_600);
    expect(talk.saidInShort()).toContain('StatusNotification 1 SuspendedEVSE');
    expect(talk.conversation.charger.connectors[0]?.meterWh).toBeCloseTo(1_000, 0);
    talk.command('stop-session');
    expect(talk.said().find(({ action }) => action === 'StopTransaction')?.payload['meterStop']).toBe(1_000);
  });
});

describe('offline', () => {
  it('a known good tag starts, where the charger may decide', async () => {
    const talk = await booted('1.6');
    list(talk, { id_tag: 'A', status: 'Accepted' }, { id_tag: 'BAD', status: 'Blocked' });
    talk.cut();
    configure(talk, 'AllowOfflineTxForUnknownId', 'true');
    talk.command('plug-connector');
    tag(talk, 'BAD');
    expect(status(talk)).toBe('Preparing');
    tag(talk, 'A');
    expect(status(talk)).toBe('Charging');
  });

  it('no known tag starts where the charger may not decide', async () => {
    const talk = await booted('1.6');
    list(talk, { id_tag: 'A', status: 'Accepted' });
    configure(talk, 'LocalAuthorizeOffline', 'false');
    talk.cut().command('plug-connector');
    expect(tag(talk, 'A')?.failure).toMatchObject({ refused: 'token_unknown_offline' });
  });

  it('a tag that the CSMS has refused before is not unknown', async () => {
    const talk = await booted('1.6', { answers: { Authorize: () => ({ idTagInfo: { status: 'Invalid' } }) } });
    configure(talk, 'AllowOfflineTxForUnknownId', 'true');
    talk.command('plug-connector');
    tag(talk, 'A');
    talk.cut();
    tag(talk, 'A');
    expect(status(talk)).toBe('Preparing');
    tag(talk, 'B');
    expect(status(talk)).toBe('Charging');
  });

  it('a transaction that began, metered and ended without a line is told whole, with its number filled in', async () => {
    const talk = await booted('1.6', { answers: { StartTransaction: accepting(4711) } });
    configure(talk, 'AllowOfflineTxForUnknownId', 'true');
    talk.cut().command('start-session', { id_tag: 'A' });
    talk.pass(60).command('stop-session');
    talk.said();
    talk.reconnect();
    const told = talk.said().slice(2);
    expect(told.map(({ action }) => action)).toEqual(['StartTransaction', 'MeterValues', 'StopTransaction']);
    expect(told.map(({ payload }) => payload['transactionId'])).toEqual([undefined, 4711, 4711]);
  });

  it.each([
    ['true', 'StopTransaction DeAuthorized'],
    ['false', 'StatusNotification 1 SuspendedEVSE'],
  ])('a start that the CSMS refuses afterwards: StopTransactionOnInvalidId %s', async (value, expected) => {
    const talk = await booted('1.6', { answers: refusing('Invalid') });
    configure(talk, 'AllowOfflineTxForUnknownId', 'true');
    configure(talk, 'StopTransactionOnInvalidId', value);
    talk.cut().command('start-session', { id_tag: 'A' });
    expect(talk.pass(20).reconnect().saidInShort()).toContain(expected);
  });
});

describe('when the car drives off', () => {
  it('the transaction ends, and the socket lets go of the cable', async () => {
    const talk = await charging('1.6');
    talk.command('unplug-connector');
    expect(talk.saidInShort()).toEqual(['StopTransaction EVDisconnected', 'StatusNotification 1 Available']);
  });

  it('or the socket holds the cable until the driver presents a tag', async () => {
    const talk = await charging('1.6');
    configure(talk, 'UnlockConnectorOnEVSideDisconnect', 'false');
    talk.command('unplug-connector');
    expect(talk.saidInShort()).toEqual(['StopTransaction EVDisconnected', 'StatusNotification 1 Finishing']);
    expect(talk.conversation.charger.connectors[0]?.locked).toBe(true);
    tag(talk, 'DEADBEEF');
    expect(talk.saidInShort()).toEqual(['Authorize', 'StatusNotification 1 Available']);
  });

  it('or until the CSMS unlocks it', async () => {
    const talk = await charging('1.6');
    configure(talk, 'UnlockConnectorOnEVSideDisconnect', 'false');
    talk.command('unplug-connector');
    talk.said();
    expect(talk.request('UnlockConnector', { connectorId: 1 })?.[2]).toEqual({ status: 'Unlocked' });
    expect(talk.saidInShort()).toEqual(['StatusNotification 1 Available']);
  });

  it('or the transaction waits for it, and goes on when it is back', async () => {
    const talk = await charging('1.6');
    configure(talk, 'StopTransactionOnEVSideDisconnect', 'false');
    talk.command('unplug-connector');
    expect(talk.saidInShort()).toEqual(['StatusNotification 1 SuspendedEV']);
    talk.command('plug-connector');
    expect(talk.saidInShort()).toEqual(['StatusNotification 1 Charging']);
    talk.command('unplug-connector');
    talk.said();
    talk.request('RemoteStopTransaction', { transactionId: 1 });
    expect(talk.saidInShort()).toEqual(['StopTransaction Remote', 'StatusNotification 1 Available']);
  });
});

const accepting = (transactionId: number) => () => ({ transactionId, idTagInfo: { status: 'Accepted' } });

function profile(chargingProfilePurpose: string): Payload {
  return {
    chargingProfileId: 1,
    stackLevel: 0,
    chargingProfilePurpose,
    chargingProfileKind: 'Relative',
    chargingSchedule: { chargingRateUnit: 'A', chargingSchedulePeriod: [{ startPeriod: 0, limit: 6 }] },
  };
}
