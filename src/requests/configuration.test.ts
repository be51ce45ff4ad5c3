// What a CSMS reads and sets of a 1.6 charger's configuration.

import { describe, expect, it } from 'vitest';
import { booted, charging, type Payload, station, type Talk } from '../../test/talk.ts';

const ask = (talk: Talk, action: string, payload: Payload = {}): Payload => talk.ask(action, payload);
const set = (talk: Talk, key: string, value: string): string =>
  ask(talk, 'ChangeConfiguration', { key, value })['status'];
const get = (talk: Talk, ...key: string[]): Payload => ask(talk, 'GetConfiguration', { key });

describe('GetConfiguration', () => {
  it('without keys gives every key of the standard, and those of one’s own', async () => {
    const talk = await booted('1.6');
    talk.command('set-configuration', { key: 'Mine', value: 'x' });
    const keys = (ask(talk, 'GetConfiguration')['configurationKey'] as Payload[]).map(({ key }) => key);
    expect(keys).toContain('HeartbeatInterval');
    expect(keys).toContain('ReserveConnectorZeroSupported');
    expect(keys).toContain('Mine');
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.length).toBeGreaterThan(50);
  });

  it('names what it does not know, and answers in its own spelling', async () => {
    const talk = await booted('1.6');
    expect(get(talk, 'heartbeatinterval', 'Coffee')).toEqual({
      configurationKey: [{ key: 'HeartbeatInterval', readonly: false, value: '300' }],
      unknownKey: ['Coffee'],
    });
  });

  it('counts the connectors as they are built', async () => {
    const talk = await booted('1.6', { station: station({ connectorCount: 3 }) });
    expect(get(talk, 'NumberOfConnectors')['configurationKey']).toEqual([
      { key: 'NumberOfConnectors', readonly: true, value: '3' },
    ]);
    expect(talk.command('set-configuration', { key: 'NumberOfConnectors', value: '4' })?.failure).toMatchObject({
      refused: 'built_in',
    });
  });

  it('tells the order of the phases of every connector', async () => {
    const talk = await booted('1.6', { station: station({ connectorCount: 2 }) });
    expect(get(talk, 'ConnectorPhaseRotation')['configurationKey'][0].value).toBe('0.RST,1.RST,2.RST');
    expect(set(talk, 'ConnectorPhaseRotation', '0.RST,1.STR,2.TRS')).toBe('Accepted');
    expect(get(talk, 'ConnectorPhaseRotation')['configurationKey'][0].value).toBe('0.RST,1.STR,2.TRS');
  });

  it('cuts what is longer than the wire allows', async () => {
    const talk = await booted('1.6');
    talk.command('set-configuration', { key: 'Mine', value: 'x'.repeat(2_500) });
    expect(get(talk, 'Mine')['configurationKey'][0].value).toHaveLength(500);
  });

  it('never gives a secret away', async () => {
    const talk = await booted('1.6');
    expect(get(talk, 'AuthorizationKey')['configurationKey']).toEqual([{ key: 'AuthorizationKey', readonly: false }]);
  });

  it('refuses to read more keys at once than it says it can', async () => {
    const talk = await booted('1.6');
    const key = Array.from({ length: 101 }, () => 'HeartbeatInterval');
    expect(talk.request('GetConfiguration', { key })?.slice(0, 3)).toEqual([
      4,
      expect.any(String),
      'OccurenceConstraintViolation',
    ]);
  });
});

describe('a feature that is taken out of the charger', () => {
  it('is not supported any more', async () => {
    const talk = await booted('1.6');
    talk.command('set-configuration', { key: 'SupportedFeatureProfiles', value: 'Core,RemoteTrigger' });
    expect(talk.request('GetLocalListVersion', {})?.[2]).toBe('NotSupported');
    expect(talk.request('TriggerMessage', { requestedMessage: 'Heartbeat' })?.[2]).toEqual({ status: 'Accepted' });
  });
});

describe('ChangeConfiguration', () => {
  it('refuses what it does not know, what is read-only, and what is not of its kind', async () => {
    const talk = await booted('1.6');
    expect(set(talk, 'Coffee', '1')).toBe('NotSupported');
    expect(set(talk, 'NumberOfConnectors', '2')).toBe('Rejected');
    expect(set(talk, 'ChargeProfileMaxStackLevel', '2')).toBe('Rejected');
    for (const [key, value] of [
      ['HeartbeatInterval', 'soon'],
      ['HeartbeatInterval', '-1'],
      ['HeartbeatInterval', '0'],
      ['HeartbeatInterval', '1.5'],
      ['LocalPreAuthorize', 'yes'],
      ['LightIntensity', '101'],
      ['ClockAlignedDataInterval', '86401'],
      ['MeterValuesSampledData', 'Energy.Active.Import.Register,Coffee'],
      ['ConnectorPhaseRotation', '1.ABC'],
    ] as const) {
      expect([key, value, set(talk, key, value)]).toEqual([key, value, 'Rejected']);
    }
  });

  it('takes what is right, and keeps it over a power cut', async () => {
    const talk = await booted('1.6');
    expect(set(talk, 'connectiontimeout', '17')).toBe('Accepted');
    expect(set(talk, 'LocalPreAuthorize', 'True')).toBe('Accepted');
    expect(set(talk, 'MeterValuesSampledData', 'Power.Active.Import, SoC')).toBe('Accepted');
    talk.powerCut();
    expect(get(talk, 'ConnectionTimeOut', 'LocalPreAuthorize', 'MeterValuesSampledData')['configurationKey']).toEqual([
      { key: 'ConnectionTimeOut', readonly: false, value: '17' },
      { key: 'LocalPreAuthorize', readonly: false, value: 'true' },
      { key: 'MeterValuesSampledData', readonly: false, value: 'Power.Active.Import,SoC' },
    ]);
  });

  it('of the heartbeat has its effect at once', async () => {
    const talk = await booted('1.6');
    set(talk, 'HeartbeatInterval', '7');
    expect(talk.pass(7).saidInShort()).toEqual(['Heartbeat']);
  });

  it('of the sampling has its effect on the running transaction', async () => {
    const talk = await charging('1.6');
    set(talk, 'MeterValueSampleInterval', '5');
    expect(talk.pass(5).saidInShort()).toEqual(['MeterValues']);
  });

  it('of a key that an installer has added is a matter of course', async () => {
    const talk = await booted('1.6');
    talk.command('set-configuration', { key: 'Mine', value: 'x' });
    expect(set(talk, 'Mine', 'y')).toBe('Accepted');
    expect(get(talk, 'Mine')['configurationKey'][0].value).toBe('y');
  });

  it('of the longest list that it may be holds for the list', async () => {
    const talk = await booted('1.6');
    talk.command('set-configuration', { key: 'MeterValuesSampledDataMaxLength', value: '1' });
    expect(set(talk, 'MeterValuesSampledData', 'Power.Active.Import,SoC')).toBe('Rejected');
    expect(set(talk, 'MeterValuesSampledData', 'SoC')).toBe('Accepted');
  });
});

describe('MinimumStatusDuration', () => {
  it('keeps a status that does not last to itself', async () => {
    const talk = await booted('1.6');
    set(talk, 'MinimumStatusDuration', '10');
    talk.command('plug-connector');
    talk.pass(9).command('unplug-connector');
    talk.pass(60);
    expect(talk.saidInShort()).toEqual([]);
  });

  it('tells one that lasts when it has lasted long enough, with the time of the change', async () => {
    const talk = await booted('1.6');
    set(talk, 'MinimumStatusDuration', '10');
    const changedMs = talk.nowMs;
    talk.command('plug-connector');
    expect(talk.pass(9).saidInShort()).toEqual([]);
    const [status] = talk.pass(1).said();
    expect(status?.payload).toMatchObject({ status: 'Preparing', timestamp: new Date(changedMs).toISOString() });
    expect(talk.pass(60).saidInShort()).toEqual([]);
  });

  it('is over for the connector that the CSMS asks about, and for no other', async () => {
    const talk = await booted('1.6', { station: station({ connectorCount: 2 }) });
    set(talk, 'MinimumStatusDuration', '10');
    talk.command('plug-connector', { evse_id: 1, connector_id: 1 });
    talk.command('plug-connector', { evse_id: 2, connector_id: 1 });
    talk.ask('TriggerMessage', { requestedMessage: 'StatusNotification', connectorId: 1 });
    expect(talk.saidInShort()).toEqual(['StatusNotification 1 Preparing']);
    expect(talk.pass(60).saidInShort()).toEqual(['StatusNotification 2 Preparing']);
  });

  it('does not hold back a fault, nor what is told after an outage', async () => {
    const talk = await booted('1.6');
    set(talk, 'MinimumStatusDuration', '10');
    talk.command('plug-connector');
    talk.command('inject-fault', { error_code: 'GroundFailure' });
    expect(talk.saidInShort()).toEqual(['StatusNotification 1 Faulted GroundFailure']);
    talk.command('clear-fault', {});
    expect(talk.saidInShort()).toEqual(['StatusNotification 1 Preparing']);
    talk.command('unplug-connector');
    expect(talk.cut().pass(3).reconnect().saidInShort()).toContain('StatusNotification 1 Available');
    expect(talk.pass(60).saidInShort()).toEqual([]);
  });
});
