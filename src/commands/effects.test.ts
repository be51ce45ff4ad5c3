// What commands lead to, beyond their own frames: tags, faults, lines, power, settings, words.

import { describe, expect, it } from 'vitest';
import { type Payload, Talk, versions } from '../../test/talk.ts';
import { connectorKind } from '../charger/station.ts';

const start = { id_tag: 'DEADBEEF' };
const ground = { error_code: 'GroundFailure' };

describe('a tag at the reader', () => {
  it.each(versions)('OCPP %s: stops the session that it started, and so does one of its group', async (version) => {
    const group =
      version === '1.6' ? { parentIdTag: 'FAMILY' } : { groupIdToken: { idToken: 'FAMILY', type: 'Central' } };
    const info = { status: 'Accepted', ...group };
    const Authorize = () => (version === '1.6' ? { idTagInfo: info } : { idTokenInfo: info });
    for (const tag of ['deadbeef', 'SISTER']) {
      const talk = await Talk.with(version, { answers: { Authorize } });
      talk.connect().command('start-session', start);
      talk.said();
      talk.command('authorize', { id_tag: tag, id_token_type: 'ISO14443' });
      expect(talk.saidInShort()).toContain(
        version === '1.6' ? 'StopTransaction Local' : 'TransactionEvent Ended StopAuthorized EVConnected Local',
      );
    }
  });

  it.each(versions)('OCPP %s: waits for a car, and starts when one comes', async (version) => {
    const talk = await Talk.with(version);
    talk.connect().command('authorize', { id_tag: 'A', id_token_type: 'ISO14443' });
    talk.said();
    talk.command('plug-connector');
    expect(talk.saidInShort()).toContain(
      version === '1.6' ? 'StartTransaction' : 'TransactionEvent Started CablePluggedIn EVConnected',
    );
  });

  it.each(versions)('OCPP %s: that is in the cache charges without a line', async (version) => {
    const talk = await Talk.with(version);
    talk.connect().command('seed-auth-cache', { entries: [{ id_tag: 'KNOWN', status: 'Accepted' }] });
    talk.cut();
    expect(talk.command('start-session', { id_tag: 'known' })?.failure).toBeNull();
    talk.command('stop-session');
    expect(talk.command('start-session', { id_tag: 'UNKNOWN' })?.failure).toMatchObject({
      refused: 'token_unknown_offline',
    });
  });

  it('that has expired is refused without a line', async () => {
    const talk = await Talk.with('1.6');
    const entries = [{ id_tag: 'OLD', status: 'Accepted', expiry_date: '2020-01-01T00:00:00Z' }];
    talk.connect().command('seed-auth-cache', { entries });
    talk.cut();
    expect(talk.command('start-session', { id_tag: 'OLD' })?.failure).toMatchObject({
      refused: 'token_unknown_offline',
    });
  });
});

describe('a fault', () => {
  it.each(versions)('OCPP %s: of the station blocks every connector', async (version) => {
    const talk = await Talk.with(version);
    talk.connect().said();
    talk.command('inject-fault', { evse_id: 0, connector_id: 0, error_code: 'EmergencyStop' });
    expect(talk.saidInShort()).toEqual(
      version === '1.6'
        ? ['StatusNotification 0 Faulted OtherError', 'StatusNotification 1 Faulted OtherError']
        : ['StatusNotification 1 Faulted', 'NotifyEvent EmergencyStopSensor.Tripped true'],
    );
  });

  it.each(versions)('OCPP %s: that only warns leaves the session alone', async (version) => {
    const talk = await Talk.with(version);
    talk.connect().command('start-session', start);
    talk.said();
    talk.command('inject-fault', { error_code: 'WeakSignal' });
    expect(talk.saidInShort()).toEqual(
      version === '1.6' ? ['StatusNotification 1 Charging WeakSignal'] : ['NotifyEvent ChargingStation.Problem true'],
    );
  });

  it.each(versions)('OCPP %s: goes by itself when its time is over', async (version) => {
    const talk = await Talk.with(version);
    talk.connect().command('inject-fault', { ...ground, duration_s: 30 });
    talk.said();
    talk.pass(29);
    expect(talk.saidInShort()).toEqual([]);
    talk.pass(1);
    expect(talk.saidInShort()[0]).toBe('StatusNotification 1 Available');
  });

  it('hides what the connector does underneath, until it is cleared', async () => {
    const talk = await Talk.with('1.6');
    talk.connect().command('inject-fault', ground);
    talk.command('ev-stops-energy');
    talk.said();
    expect(talk.conversation.charger.connectors[0]?.shown.status).toBe('Faulted');
    talk.command('clear-fault', {});
    expect(talk.saidInShort()).toEqual(['StatusNotification 1 SuspendedEV']);
  });
});

describe('the line, cut by hand', () => {
  it.each(versions)(
    'OCPP %s: stays down until it is let be, then is dialled at once, without a boot',
    async (version) => {
      const talk = await Talk.with(version);
      talk.connect().command('set-connectivity', { online: false, mode: 'drop' });
      talk.said();
      talk.pass(3_600);
      expect(talk.dialled).toBe(false);
      expect(talk.command('start-session', { id_tag: 'A' })?.failure).toMatchObject({
        refused: 'token_unknown_offline',
      });
      talk.command('set-connectivity', { online: true, mode: 'close' });
      expect(talk.dialled).toBe(true);
      expect(talk.reconnect().saidInShort()).not.toContain('BootNotification');
    },
  );
});

describe('the power, cut and back', () => {
  it.each(versions)(
    'OCPP %s: the charger boots after the time that it was off, and the session ends with PowerLoss',
    async (version) => {
      const talk = await Talk.with(version);
      talk.connect().command('start-session', start);
      talk.pass(100).said();
      talk.command('power-cycle', { off_s: 30 });
      talk.pass(29);
      expect(talk.dialled).toBe(false);
      talk.pass(1);
      expect(talk.dialled).toBe(true);
      const said = talk.reconnect().saidInShort();
      expect(said[0]).toBe('BootNotification');
      expect(said).toContain(
        version === '1.6'
          ? 'StopTransaction PowerLoss'
          : 'TransactionEvent Ended AbnormalCondition EVConnected PowerLoss',
      );
      expect(talk.outcomes.at(-1)?.failure).toBeNull();
    },
  );
});

describe('what an installer sets', () => {
  it.each(versions)('OCPP %s: has its effect at once', async (version) => {
    const talk = await Talk.with(version);
    const event =
      version === '1.6'
        ? { key: 'MeterValueSampleInterval', value: '10' }
        : { component: 'sampleddatactrlr', variable: 'txupdatedinterval', value: '10' };
    talk.connect().command('set-configuration', event);
    talk.command('start-session', start);
    talk.said();
    expect(talk.pass(60).said()).toHaveLength(6);
  });

  it.each(versions)('OCPP %s: may be a setting of one’s own, and survives a power cut', async (version) => {
    const talk = await Talk.with(version);
    const named = version === '1.6' ? { key: 'Mine' } : { component: 'Mine', variable: 'Own' };
    talk.connect().command('set-configuration', { ...named, value: 'x' });
    talk.powerCut();
    expect(Object.values(talk.conversation.charger.overrides)).toContain('x');
    expect(talk.command('set-configuration', { ...named, value: null })?.failure).toBeNull();
    expect(Object.values(talk.conversation.charger.overrides)).not.toContain('x');
  });
});

describe('words put into its mouth', () => {
  it('go out as they are when nobody asks whether they are right', async () => {
    const answers = { MakeCoffee: () => 'NotImplemented' };
    const talk = await Talk.with('1.6', { answers, unchecked: true });
    talk.connect().said();
    const outcome = talk.command('proxy-message', { action: 'MakeCoffee', payload: { sugar: 2 }, validate: false });
    expect(talk.said()).toMatchObject([{ action: 'MakeCoffee', payload: { sugar: 2 } }]);
    expect(outcome?.failure).toMatchObject({
      refused: 'csms_error',
      sentence: expect.stringContaining('NotImplemented'),
    });
  });

  it('bring the CSMS’s answer back', async () => {
    const answers = { DataTransfer: () => ({ status: 'Accepted', data: 'pong' }) };
    const talk = await Talk.with('1.6', { answers });
    talk.connect();
    const outcome = talk.command('proxy-message', {
      action: 'DataTransfer',
      payload: { vendorId: 'v' },
      validate: true,
    });
    expect(outcome?.result).toEqual({ status: 'Accepted', data: 'pong' });
  });
});

describe('words that OCPP 2.1 sends without being answered', () => {
  const data = [{ t: 0, v: '1' }];
  const payload = { id: 1, pending: 0, basetime: '2026-01-31T12:00:00Z', data };
  const stream = { action: 'NotifyPeriodicEventStream', payload, validate: true };

  it('go out as SEND, and the command has ended with them', async () => {
    const talk = (await Talk.with('2.1')).connect();
    const outcome = talk.command('proxy-message', stream);
    expect(JSON.parse(talk.texts.at(-1) ?? '')).toEqual([6, expect.any(String), stream.action, payload]);
    expect(outcome).toMatchObject({ failure: null, result: null });
    expect(outcome?.exchanges).toMatchObject([
      { action: stream.action, request: payload, response: null, error: null },
    ]);
  });

  it('wait for the answer that is outstanding, and nothing waits for theirs', async () => {
    const talk = (await Talk.with('2.1', { answers: { Heartbeat: () => null } })).connect();
    talk.said();
    const heartbeat = { action: 'Heartbeat', payload: {}, validate: true };
    talk.command('proxy-message', heartbeat);
    expect(talk.command('proxy-message', stream)).toBeUndefined();
    talk.command('proxy-message', heartbeat);
    expect(talk.saidInShort()).toEqual(['Heartbeat']);
    expect(talk.pass(30).saidInShort()).toEqual([stream.action, 'Heartbeat']);
    const ids = talk.texts.map((text) => (JSON.parse(text) as string[])[1]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each(['1.6', '2.0.1'] as const)('OCPP %s: are not known', async (version) => {
    const outcome = (await Talk.with(version)).connect().command('proxy-message', stream);
    expect(outcome?.failure).toMatchObject({ refused: 'invalid_message' });
  });
});

describe('a local authorization list', () => {
  const upload = (talk: Talk, list_version: number, entries: object[], update_type = 'Full') =>
    talk.command('local-auth-list', { list_version, entries, update_type })?.result;
  const tag = (id_tag: string, more = {}) => ({ id_tag, status: 'Accepted', ...more });

  it.each(versions)('OCPP %s: lets its tags charge without a line, and no others', async (version) => {
    const talk = await Talk.with(version);
    upload(talk.connect(), 1, [tag('GOOD'), tag('BAD', { status: 'Blocked' })]);
    talk.cut();
    expect(talk.command('start-session', { id_tag: 'bad' })?.failure).toMatchObject({ refused: 'token_refused' });
    expect(talk.command('start-session', { id_tag: 'good' })?.failure).toBeNull();
  });

  it('refuses a version that is not above its own, and changes nothing', async () => {
    const talk = (await Talk.with('1.6')).connect();
    upload(talk, 5, [tag('A')]);
    for (const version of [5, 4]) {
      expect(upload(talk, version, [tag('B')])).toMatchObject({ status: 'VersionMismatch', list_version: 5 });
    }
    expect(Object.keys(talk.conversation.charger.localList.entries)).toEqual(['a']);
  });

  it('is changed by a differential update: added, replaced, removed', async () => {
    const talk = (await Talk.with('2.0.1')).connect();
    upload(talk, 1, [tag('A'), tag('B')]);
    const result = upload(talk, 2, [tag('A', { remove: true }), tag('C'), tag('Z', { remove: true })], 'Differential');
    expect(result).toMatchObject({ status: 'Accepted', list_version: 2, entries_received: 3, entries_deleted: 1 });
    expect(Object.keys(talk.conversation.charger.localList.entries).toSorted()).toEqual(['b', 'c']);
  });

  it.each([
    ['a tag twice', [tag('A'), tag('a')], 'duplicate'],
    ['a removal in a full list', [tag('A', { remove: true })], 'cannot remove'],
  ])('fails as a whole on %s', async (_, entries, msg) => {
    const talk = (await Talk.with('1.6')).connect();
    upload(talk, 1, [tag('OLD')]);
    expect(upload(talk, 2, entries)).toMatchObject({
      status: 'Failed',
      list_version: 1,
      msg: expect.stringContaining(msg),
    });
    expect(Object.keys(talk.conversation.charger.localList.entries)).toEqual(['old']);
  });

  it('survives a power cut, also with tags that are called like what every object has', async () => {
    const talk = (await Talk.with('1.6')).connect();
    upload(talk, 3, [tag('__proto__'), tag('constructor')]);
    talk.powerCut().cut();
    expect(talk.conversation.charger.localList.version).toBe(3);
    expect(talk.command('start-session', { id_tag: '__PROTO__' })?.failure).toBeNull();
    talk.command('stop-session');
    expect(talk.command('start-session', { id_tag: 'toString' })?.failure).toMatchObject({
      refused: 'token_unknown_offline',
    });
  });
});

describe('a tag that the CSMS refuses later', () => {
  it.each(versions)('OCPP %s: fails what was asked to start, and nothing else', async (version) => {
    const refused = version === '1.6' ? { idTagInfo: { status: 'Invalid' } } : { idTokenInfo: { status: 'Invalid' } };
    const answers = {
      StartTransaction: () => ({ transactionId: 7, ...refused }),
      TransactionEvent: (sent: Payload) => (sent['eventType'] === 'Started' ? refused : {}),
    };
    const talk = await Talk.with(version, { answers });
    talk.connect().command('plug-connector');
    const presented = talk.command('authorize', { id_tag: 'A', id_token_type: 'ISO14443' });
    expect(presented).toMatchObject({ failure: null, result: { status: 'Accepted', source: 'csms' } });
  });
});

describe('a kind of token', () => {
  it.each(versions)('OCPP %s: that the version has no word for is refused, never sent', async (version) => {
    const talk = await Talk.with(version);
    const outcome = talk.connect().command('authorize', { id_tag: 'A', id_token_type: 'Foo' });
    if (version === '2.0.1') expect(outcome?.failure).toMatchObject({ refused: 'unknown_token_type' });
    else expect(outcome?.failure).toBeNull();
  });
});

describe('an EVSE with two connectors', () => {
  const kind = connectorKind('CCS2', 50_000);
  const connector = (connectorId: number) => ({
    evseId: 1,
    connectorId,
    type: 'CCS2',
    ...kind,
    hasLock: false,
    maxPowerW: 50_000,
  });
  const plate = { connectors: [connector(1), connector(2)], maxPowerW: 50_000 };

  it('serves one car at a time', async () => {
    const talk = await Talk.with('2.0.1', { station: plate });
    talk.connect().command('plug-connector', { evse_id: 1, connector_id: 2 });
    for (const name of ['plug-connector', 'ev-stops-energy']) {
      expect(talk.command(name, { evse_id: 1, connector_id: 1 })?.failure).toMatchObject({ refused: 'evse_in_use' });
    }
  });

  it('starts from afar where the car is', async () => {
    const talk = await Talk.with('2.0.1', { station: plate });
    talk.connect().command('plug-connector', { evse_id: 1, connector_id: 2 });
    talk.said();
    const request = { idToken: { idToken: 'R', type: 'Central' }, remoteStartId: 1, evseId: 1 };
    expect(talk.request('RequestStartTransaction', request)?.[2]).toEqual({ status: 'Accepted' });
    expect(talk.said()[0]?.payload).toMatchObject({ evse: { id: 1, connectorId: 2 } });
    expect(talk.request('RequestStartTransaction', request)?.[2]).toMatchObject({ status: 'Rejected' });
  });
});
