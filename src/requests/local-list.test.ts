// The local list and the cache of a 1.6 charger as its CSMS sees them, and vendors' messages.

import { describe, expect, it } from 'vitest';
import { booted, type Payload, type Talk } from '../../test/talk.ts';

const ask = (talk: Talk, action: string, payload: Payload = {}): Payload => talk.ask(action, payload);
const version = (talk: Talk): number => ask(talk, 'GetLocalListVersion')['listVersion'];
const entry = (idTag: string, status = 'Accepted') => ({ idTag, idTagInfo: { status } });
const send = (talk: Talk, listVersion: number, updateType: string, localAuthorizationList?: Payload[]): string =>
  ask(talk, 'SendLocalList', {
    listVersion,
    updateType,
    ...(localAuthorizationList === undefined ? {} : { localAuthorizationList }),
  })['status'];
const listed = (talk: Talk): string[] => Object.keys(talk.conversation.charger.localList.entries);
const configure = (talk: Talk, key: string, value: string) => talk.command('set-configuration', { key, value });

describe('SendLocalList', () => {
  it('replaces the whole list, with whatever version', async () => {
    const talk = await booted('1.6');
    expect(version(talk)).toBe(0);
    expect(send(talk, 5, 'Full', [entry('A'), entry('B')])).toBe('Accepted');
    expect([version(talk), listed(talk)]).toEqual([5, ['a', 'b']]);
    expect(send(talk, 2, 'Full', [entry('C')])).toBe('Accepted');
    expect([version(talk), listed(talk)]).toEqual([2, ['c']]);
    expect(send(talk, 3, 'Full')).toBe('Accepted');
    expect([version(talk), listed(talk)]).toEqual([0, []]);
  });

  it('adds, replaces and removes entries, with a higher version only', async () => {
    const talk = await booted('1.6');
    send(talk, 1, 'Full', [entry('A'), entry('B')]);
    expect(send(talk, 2, 'Differential', [{ idTag: 'A' }, entry('B', 'Blocked'), entry('C')])).toBe('Accepted');
    expect(listed(talk)).toEqual(['b', 'c']);
    expect(talk.conversation.charger.localList.entries['b']?.status).toBe('Blocked');
    expect(send(talk, 2, 'Differential', [entry('D')])).toBe('VersionMismatch');
    expect([version(talk), listed(talk)]).toEqual([2, ['b', 'c']]);
  });

  it('fails as a whole on what is wrong, and leaves the list alone', async () => {
    const talk = await booted('1.6');
    send(talk, 1, 'Full', [entry('A')]);
    expect(send(talk, 0, 'Full', [entry('B')])).toBe('Failed');
    expect(send(talk, 2, 'Full', [entry('B'), entry('b')])).toBe('Failed');
    expect(send(talk, 2, 'Full', [{ idTag: 'B' }])).toBe('Failed');
    configure(talk, 'SendLocalListMaxLength', '1');
    expect(send(talk, 2, 'Full', [entry('B'), entry('C')])).toBe('Failed');
    configure(talk, 'LocalAuthListMaxLength', '1');
    expect(send(talk, 2, 'Differential', [entry('B')])).toBe('Failed');
    expect([version(talk), listed(talk)]).toEqual([1, ['a']]);
  });

  it('is not supported while the list is switched off, and has no version', async () => {
    const talk = await booted('1.6');
    send(talk, 1, 'Full', [entry('A')]);
    configure(talk, 'LocalAuthListEnabled', 'false');
    expect(send(talk, 2, 'Full', [])).toBe('NotSupported');
    expect(version(talk)).toBe(-1);
  });

  it('lasts over a power cut', async () => {
    const talk = await booted('1.6');
    send(talk, 4, 'Full', [entry('A')]);
    talk.powerCut();
    expect([version(talk), listed(talk)]).toEqual([4, ['a']]);
  });
});

describe('a listed tag', () => {
  it('starts without being asked about where the charger may decide', async () => {
    const talk = await booted('1.6');
    send(talk, 1, 'Full', [entry('A')]);
    configure(talk, 'LocalPreAuthorize', 'true');
    talk.command('start-session', { id_tag: 'A' });
    expect(talk.saidInShort()).not.toContain('Authorize');
    expect(talk.saidInShort()).toEqual([]);
  });

  it('of which the CSMS says otherwise is a conflict, until a list comes that agrees', async () => {
    const talk = await booted('1.6', { answers: { Authorize: () => ({ idTagInfo: { status: 'Blocked' } }) } });
    send(talk, 1, 'Full', [entry('A')]);
    talk.command('authorize', { id_tag: 'A', id_token_type: 'ISO14443' });
    expect(talk.saidInShort()).toEqual(['Authorize', 'StatusNotification 0 Available LocalListConflict']);
    expect(talk.conversation.charger.tokenCache).toEqual([]);
    send(talk, 2, 'Full', [entry('A', 'Blocked')]);
    expect(talk.saidInShort()).toEqual(['StatusNotification 0 Available']);
  });
});

describe('ClearCache', () => {
  it('forgets what the CSMS has said of tokens', async () => {
    const talk = await booted('1.6');
    talk.command('start-session', { id_tag: 'A' });
    talk.command('stop-session');
    expect(talk.conversation.charger.tokenCache).toHaveLength(1);
    expect(ask(talk, 'ClearCache')).toEqual({ status: 'Accepted' });
    expect(talk.conversation.charger.tokenCache).toEqual([]);
    talk.cut();
    expect(talk.command('start-session', { id_tag: 'A' })?.failure).toMatchObject({ refused: 'token_unknown_offline' });
  });

  it('is rejected where there is no cache', async () => {
    const talk = await booted('1.6');
    configure(talk, 'AuthorizationCacheEnabled', 'false');
    expect(ask(talk, 'ClearCache')).toEqual({ status: 'Rejected' });
  });
});

describe('DataTransfer', () => {
  it('of a stranger is of an unknown vendor, of the maker an unknown message', async () => {
    const talk = await booted('1.6');
    expect(ask(talk, 'DataTransfer', { vendorId: 'com.example', data: 'x' })).toEqual({ status: 'UnknownVendorId' });
    expect(ask(talk, 'DataTransfer', { vendorId: 'SimCo', messageId: 'm' })).toEqual({ status: 'UnknownMessageId' });
  });
});
