// Passwords and security profiles: set from afar, used from the next line on, and given up when they lock the charger out.

import { describe, expect, it } from 'vitest';
import { authority } from '../../test/certificates.ts';
import { booted, type Payload, type Talk } from '../../test/talk.ts';
import { linkRequest } from '../fleet/member.ts';

const root = authority('CSMS root');
const credentials = {
  profile: 1,
  password: 'set up with this one',
  roots: [root.certificate],
  certificate: null,
  key: null,
};

const asked = (talk: Talk, action: string, payload: object): Payload =>
  (talk.request(action, payload)?.[2] ?? {}) as Payload;
const set = (talk: Talk, key: string, value: string): unknown =>
  asked(talk, 'ChangeConfiguration', { key, value })['status'];
const dialsWith = (talk: Talk) => linkRequest(talk.conversation.charger, 'ws://csms.test/CP-1', 'ocpp1.6');
const passwordOf = (talk: Talk): string => Buffer.from(dialsWith(talk).basicAuth?.password ?? []).toString('latin1');
const profile = (talk: Talk): unknown =>
  asked(talk, 'GetConfiguration', { key: ['SecurityProfile'] })['configurationKey'][0].value;

describe('a password', () => {
  it('set from afar is used from the next line on, which comes at once', async () => {
    const talk = await booted('1.6', { station: { credentials } });
    expect(passwordOf(talk)).toBe('set up with this one');
    expect(set(talk, 'AuthorizationKey', '30313233343536373839616263646566')).toBe('Accepted');
    expect(talk.dialled).toBe(true);
    expect(passwordOf(talk)).toBe('0123456789abcdef');
    talk.reconnect();
    expect(talk.saidInShort()).toContain('SecurityEventNotification');
    talk.pass(2).powerCut();
    expect(passwordOf(talk)).toBe('0123456789abcdef');
  });

  it('of other characters is taken as it is, and so are hexadecimal digits where the installer says so', async () => {
    const talk = await booted('1.6', { station: { credentials } });
    set(talk, 'AuthorizationKey', 'not in hexadecimal digits');
    expect(passwordOf(talk)).toBe('not in hexadecimal digits');
    talk.reconnect();
    talk.command('set-configuration', { key: 'AuthorizationKeyIsHex', value: 'false' });
    set(talk, 'AuthorizationKey', '30313233343536373839616263646566');
    expect(passwordOf(talk)).toBe('30313233343536373839616263646566');
  });

  it('is never read out, and neither short nor long ones are taken', async () => {
    const talk = await booted('1.6', { station: { credentials } });
    expect(JSON.stringify(talk.request('GetConfiguration', {}))).not.toContain('set up with this one');
    expect(set(talk, 'AuthorizationKey', 'too short')).toBe('Rejected');
    expect(set(talk, 'AuthorizationKey', 'x'.repeat(41))).toBe('Rejected');
    expect(talk.dialled).toBe(false);
  });

  it('that does not let the charger in gives way to the one before, and that to it again', async () => {
    const talk = await booted('1.6', { station: { credentials } });
    set(talk, 'AuthorizationKey', 'a new one of 21 bytes');
    talk.cut(1006, 'the CSMS answered HTTP 401');
    expect(passwordOf(talk)).toBe('set up with this one');
    talk.cut(1006, 'the CSMS answered HTTP 401');
    expect(passwordOf(talk)).toBe('a new one of 21 bytes');
    talk.reconnect().cut();
    talk.cut(1006, 'no answer');
    expect(passwordOf(talk)).toBe('a new one of 21 bytes');
  });
});

describe('a security profile', () => {
  it('is told as the charger was set up', async () => {
    expect(profile(await booted('1.6'))).toBe('0');
    expect(profile(await booted('1.6', { station: { credentials } }))).toBe('1');
  });

  it('is only ever raised, and with what it needs', async () => {
    const bare = await booted('1.6');
    for (const value of ['0', '1', '2', '3', '4']) expect(set(bare, 'SecurityProfile', value)).toBe('Rejected');
    const talk = await booted('1.6', { station: { credentials } });
    for (const value of ['0', '1', '3']) expect(set(talk, 'SecurityProfile', value)).toBe('Rejected');
    expect(talk.dialled).toBe(false);
    expect(set(talk, 'SecurityProfile', '2')).toBe('Accepted');
    expect(talk.dialled).toBe(true);
    expect(dialsWith(talk)).toMatchObject({ url: 'wss://csms.test/CP-1', tls: { ca: root.certificate } });
    talk.reconnect();
    expect(profile(talk)).toBe('2');
    expect(set(talk, 'SecurityProfile', '1')).toBe('Rejected');
  });

  it('that does not get through falls back', async () => {
    const talk = await booted('1.6', { station: { credentials } });
    set(talk, 'SecurityProfile', '2');
    talk.cut(1006, 'TLS failed').reconnect();
    expect(profile(talk)).toBe('1');
    expect(dialsWith(talk).url).toBe('ws://csms.test/CP-1');
  });

  it('3 shows a certificate and no password', async () => {
    const own = { certificate: 'CERT', key: 'KEY' };
    const talk = await booted('1.6', { station: { credentials: { ...credentials, ...own } } });
    expect(set(talk, 'SecurityProfile', '3')).toBe('Accepted');
    expect(dialsWith(talk)).toEqual({
      url: 'wss://csms.test/CP-1',
      protocols: ['ocpp1.6'],
      tls: { ca: root.certificate, cert: 'CERT', key: 'KEY' },
    });
  });

  it('can be lowered on site', async () => {
    const talk = await booted('1.6', { station: { credentials } });
    talk.command('set-configuration', { key: 'SecurityProfile', value: '0' });
    talk.reconnect();
    expect(dialsWith(talk)).toEqual({ url: 'ws://csms.test/CP-1', protocols: ['ocpp1.6'] });
  });
});

describe('security events', () => {
  it('are kept until the CSMS has them, and tried again when it does not take them', async () => {
    let heard = 0;
    const talk = await booted('1.6', { station: { credentials } });
    talk.answers = { SecurityEventNotification: () => (++heard === 1 ? 'InternalError' : {}) };
    talk.cut();
    talk.command('set-configuration', { key: 'AuthorizationKey', value: 'another one of 24 bytes!' });
    talk.powerCut();
    const types = () => talk.said().flatMap(({ payload }) => payload['type'] ?? []);
    expect(types()).toEqual(['ReconfigurationOfSecurityParameters', 'StartupOfTheDevice']);
    talk.pass(60);
    expect(types()).toEqual(['ReconfigurationOfSecurityParameters']);
    talk.pass(600);
    expect(types()).toEqual([]);
  });

  it('tell once that the CSMS does not let the charger in, or cannot be trusted', async () => {
    const talk = await booted('1.6', { station: { credentials } });
    talk.cut();
    for (let time = 0; time < 3; time++) talk.cut(1006, 'the CSMS answered HTTP 401', 'by CSMS');
    talk.reconnect().cut();
    talk.cut(1006, 'TLS failed', 'of CSMS').reconnect();
    const types = talk.said().flatMap(({ payload }) => payload['type'] ?? []);
    expect(types).toEqual(['FailedToAuthenticateAtCentralSystem', 'InvalidCentralSystemCertificate']);
  });

  it('are as many as there is room for; the log has more', async () => {
    const talk = await booted('1.6', { station: { credentials: { ...credentials, profile: 3 } } });
    talk.cut();
    for (let time = 0; time < 300; time++) {
      talk.command('set-configuration', { key: 'AuthorizationKey', value: `another one of 24 by ${100 + time}` });
    }
    expect(talk.conversation.outbox.queue).toHaveLength(100);
    expect(talk.conversation.charger.security.log).toHaveLength(200);
  });

  it('of everyday life are none of a charger without security', async () => {
    const talk = await booted('1.6');
    talk.powerCut();
    expect(talk.saidInShort()).not.toContain('SecurityEventNotification');
    talk.command('plug-connector');
    expect(talk.memory).not.toContain('"service"');
  });
});
