// What the world does to a charger: bays, limits from outside, jammed locks, open covers.

import { describe, expect, it } from 'vitest';
import { amperes, clear, composite, offersW, profile, set as setProfile } from '../../test/profiles.ts';
import { booted, charging, station, type Talk, told, versions } from '../../test/talk.ts';
import { connectorKind } from '../charger/station.ts';

const set = (talk: Talk, condition: string, value: boolean | number | null) =>
  talk.command('set-condition', { condition, value });
const connector = (talk: Talk) => talk.conversation.charger.connectors[0];
const fixedCable = {
  connectors: [
    { evseId: 1, connectorId: 1, type: 'CCS2', ...connectorKind('CCS2', 50_000), hasLock: false, maxPowerW: 50_000 },
  ],
};

describe('the parking bay', () => {
  it.each(versions)('OCPP %s: is told of by a running transaction, in 2.x alone', async (version) => {
    const talk = await charging(version);
    set(talk, 'parking_bay', true);
    set(talk, 'parking_bay', false);
    expect(talk.saidInShort()).toEqual(
      told(
        version,
        [],
        ['TransactionEvent Updated EVDetected Charging', 'TransactionEvent Updated EVDeparted Charging'],
      ),
    );
  });

  it.each(versions)('OCPP %s: says nothing while there is none', async (version) => {
    const talk = await booted(version);
    expect(set(talk, 'parking_bay', true)?.failure).toBeNull();
    expect(talk.said()).toEqual([]);
  });
});

describe('a limit from outside', () => {
  it.each(versions)('OCPP %s: of 0 W suspends, and lifted lets it go on', async (version) => {
    const talk = await charging(version);
    set(talk, 'external_limit', 0);
    set(talk, 'external_limit', null);
    expect(talk.saidInShort()).toEqual(
      told(
        version,
        ['StatusNotification 1 SuspendedEVSE', 'StatusNotification 1 Charging'],
        [
          'NotifyChargingLimit',
          'TransactionEvent Updated ChargingStateChanged SuspendedEVSE',
          'ClearedChargingLimit',
          'TransactionEvent Updated ChargingStateChanged Charging',
        ],
      ),
    );
  });

  it.each(['2.0.1', '2.1'] as const)('OCPP %s: names where it comes from and which EVSE it is for', async (version) => {
    const talk = await booted(version);
    set(talk, 'external_limit', 7_000);
    set(talk, 'external_limit', null);
    expect(talk.said().map(({ payload }) => payload)).toEqual([
      { evseId: 1, chargingLimit: { chargingLimitSource: 'EMS' } },
      { evseId: 1, chargingLimitSource: 'EMS' },
    ]);
  });

  it.each(versions)('OCPP %s: caps what is offered, also after a power cut', async (version) => {
    const talk = await booted(version);
    set(talk, 'external_limit', 7_000);
    talk.powerCut().command('start-session', { id_tag: 'A' });
    expect(connector(talk)?.offeredW).toBe(7_000);
    const update = talk.command('power-update', { power_w: 11_000 });
    expect(update?.result).toMatchObject({ offered_w: 7_000, limited_by: 'external_limit' });
    set(talk, 'external_limit', null);
    expect(connector(talk)?.offeredW).toBe(11_000);
  });

  it('that hardly changes the rate is not told as a new rate', async () => {
    const talk = await charging('2.0.1');
    set(talk, 'external_limit', 21_500);
    expect(talk.saidInShort()).toEqual(['NotifyChargingLimit']);
    talk.command('set-configuration', {
      component: 'SmartChargingCtrlr',
      variable: 'LimitChangeSignificance',
      value: '1',
    });
    set(talk, 'external_limit', 21_000);
    expect(talk.saidInShort()).toEqual([
      'NotifyChargingLimit',
      'TransactionEvent Updated ChargingRateChanged Charging',
    ]);
  });
});

describe('a limit from outside, beside those of the CSMS', () => {
  it('counts where it is the lower one', async () => {
    const talk = await charging('1.6');
    setProfile(talk, profile([[0, 16]]));
    set(talk, 'external_limit', 7_000);
    expect(connector(talk)?.offeredW).toBe(7_000);
    expect(talk.command('power-update', { power_w: 20_000 })?.result).toMatchObject({ limited_by: 'external_limit' });
    set(talk, 'external_limit', 12_000);
    expect(connector(talk)?.offeredW).toBe(amperes(16));
    expect(talk.command('power-update', { power_w: 20_000 })?.result).toMatchObject({ limited_by: 'charging_profile' });
    set(talk, 'external_limit', null);
    expect(clear(talk, {})).toBe('Accepted');
    expect(connector(talk)?.offeredW).toBe(20_000);
  });

  it('is part of the composite schedule', async () => {
    const talk = await booted('1.6');
    set(talk, 'external_limit', amperes(10));
    expect(composite(talk, 60)).toEqual([[0, 10]]);
    setProfile(
      talk,
      profile([
        [0, 16],
        [30, 8],
      ]),
    );
    expect(composite(talk, 60)).toEqual([
      [0, 10],
      [30, 8],
    ]);
  });

  it.each(versions)('OCPP %s: suspends where it is less than a car can be told to take', async (version) => {
    const talk = await charging(version);
    set(talk, 'external_limit', amperes(5));
    expect(connector(talk)).toMatchObject({ offeredW: 0, shown: { status: 'SuspendedEVSE' } });
    expect(talk.command('power-update', { power_w: 20_000 })?.result).toMatchObject({ limited_by: 'external_limit' });
    set(talk, 'external_limit', amperes(6));
    expect(connector(talk)).toMatchObject({ offeredW: amperes(6), shown: { status: 'Charging' } });
  });

  it('leaves what it takes from one outlet to the other', async () => {
    const talk = await booted('1.6', { station: station({ connectorCount: 2, maxPowerW: 22_000 }) });
    for (const evse_id of [1, 2]) talk.command('start-session', { id_tag: `TAG${evse_id}`, evse_id });
    expect(offersW(talk)).toEqual([11_000, 11_000]);
    set(talk, 'external_limit', 7_000);
    expect(offersW(talk)).toEqual([7_000, 15_000]);
    set(talk, 'external_limit', 15_000);
    expect(offersW(talk)).toEqual([11_000, 11_000]);
    expect(talk.command('power-update', { power_w: 20_000 })?.result).toMatchObject({ limited_by: 'station' });
  });
});

describe('a jammed lock', () => {
  const warned = (version: (typeof versions)[number], status: string): string[] =>
    told(
      version,
      [`StatusNotification 1 ${status} ConnectorLockFailure`],
      ['NotifyEvent ConnectorPlugRetentionLock.Problem true'],
    );

  it.each(versions)('OCPP %s: does not let go of the cable, and says so once', async (version) => {
    const talk = await booted(version);
    talk.command('plug-connector');
    set(talk, 'lock_failure', true);
    talk.said();
    expect(talk.command('unlock-connector')?.failure).toMatchObject({ refused: 'lock_failure' });
    expect(talk.saidInShort()).toEqual(warned(version, 'Preparing'));
    expect(talk.command('unlock-connector')?.failure).toMatchObject({ refused: 'lock_failure' });
    expect(talk.command('unplug-connector')?.failure).toMatchObject({ refused: 'lock_failure' });
    expect(talk.said()).toEqual([]);
    expect(connector(talk)).toMatchObject({ locked: true, ev: expect.anything() });
  });

  it.each(versions)('OCPP %s: does not open for the CSMS either', async (version) => {
    const talk = await booted(version);
    talk.command('plug-connector');
    set(talk, 'lock_failure', true);
    talk.said();
    const place = version === '1.6' ? { connectorId: 1 } : { evseId: 1, connectorId: 1 };
    expect(talk.ask('UnlockConnector', place)['status']).toBe('UnlockFailed');
    expect(talk.saidInShort()).toEqual(warned(version, 'Preparing'));
    expect(connector(talk)?.locked).toBe(true);
  });

  it('ends the transaction for the CSMS, and then fails to open, in 1.6', async () => {
    const talk = await charging('1.6');
    set(talk, 'lock_failure', true);
    expect(talk.ask('UnlockConnector', { connectorId: 1 })).toEqual({ status: 'UnlockFailed' });
    expect(talk.saidInShort()).toEqual([
      'StopTransaction UnlockCommand',
      'StatusNotification 1 Finishing',
      ...warned('1.6', 'Finishing'),
    ]);
  });

  it('keeps a cable that waits for its driver’s tag, and gives it back when it is mended', async () => {
    const talk = await charging('1.6');
    talk.command('set-configuration', { key: 'UnlockConnectorOnEVSideDisconnect', value: 'false' });
    talk.command('unplug-connector');
    set(talk, 'lock_failure', true);
    talk.said();
    expect(talk.command('authorize', { id_tag: 'A' })?.failure).toMatchObject({ refused: 'lock_failure' });
    expect(talk.saidInShort()).toEqual(['Authorize', ...warned('1.6', 'Finishing')]);
    set(talk, 'lock_failure', false);
    talk.said();
    expect(talk.command('authorize', { id_tag: 'A' })?.failure).toBeNull();
    expect(talk.saidInShort().at(-1)).toBe('StatusNotification 1 Available');
  });

  it.each(versions)('OCPP %s: holds on when the transaction ends', async (version) => {
    const talk = await charging(version);
    set(talk, 'lock_failure', true);
    talk.command('stop-transaction', { reason: 'Local' });
    expect(talk.saidInShort()).toEqual([
      ...told(
        version,
        ['StopTransaction Local', 'StatusNotification 1 Finishing'],
        ['TransactionEvent Ended StopAuthorized EVConnected Local'],
      ),
      ...warned(version, 'Finishing'),
    ]);
    expect(connector(talk)?.locked).toBe(true);
  });

  it('ends the transaction before it fails to open, in 1.6', async () => {
    const talk = await charging('1.6');
    set(talk, 'lock_failure', true);
    expect(talk.command('unlock-connector')?.failure).toMatchObject({ refused: 'lock_failure' });
    expect(talk.saidInShort()).toEqual([
      'StopTransaction UnlockCommand',
      'StatusNotification 1 Finishing',
      ...warned('1.6', 'Finishing'),
    ]);
  });

  it.each(versions)('OCPP %s: that cannot close makes the connector faulted, and no car charges', async (version) => {
    const talk = await booted(version);
    set(talk, 'lock_failure', true);
    expect(talk.command('start-session', { id_tag: 'A' })?.failure).toMatchObject({ refused: 'faulted' });
    expect(connector(talk)).toMatchObject({ locked: false, shown: { status: 'Faulted' } });
    expect(talk.command('unplug-connector')?.failure).toBeNull();
  });

  it.each(versions)('OCPP %s: that is mended takes its fault along and opens again', async (version) => {
    const talk = await booted(version);
    talk.command('plug-connector');
    set(talk, 'lock_failure', true);
    talk.command('unlock-connector');
    talk.said();
    set(talk, 'lock_failure', false);
    expect(talk.saidInShort()).toEqual(
      told(version, ['StatusNotification 1 Preparing'], ['NotifyEvent ConnectorPlugRetentionLock.Problem false']),
    );
    expect(talk.command('unlock-connector')?.failure).toBeNull();
    expect(connector(talk)?.locked).toBe(false);
  });

  it.each(versions)('OCPP %s: is still jammed after a power cut', async (version) => {
    const talk = await booted(version);
    talk.command('plug-connector');
    set(talk, 'lock_failure', true);
    talk.powerCut().said();
    expect(talk.command('unlock-connector')?.failure).toMatchObject({ refused: 'lock_failure' });
    expect(talk.saidInShort()).toEqual(warned(version, 'Preparing'));
  });

  it('needs a lock', async () => {
    const talk = await booted('2.0.1', { station: fixedCable });
    expect(set(talk, 'lock_failure', true)?.failure).toMatchObject({ refused: 'no_lock' });
  });
});

describe('an open cover', () => {
  const tampered = { action: 'SecurityEventNotification', payload: { type: 'TamperDetectionActivated' } };

  it.each(versions)('OCPP %s: is a security event, and a closed one is none', async (version) => {
    const talk = await booted(version);
    for (const value of [true, true, false]) expect(set(talk, 'tamper', value)?.failure).toBeNull();
    expect(talk.said()).toMatchObject([tampered]);
    set(talk, 'tamper', true);
    expect(talk.said()).toMatchObject([tampered]);
    expect(talk.conversation.charger.security.log).toMatchObject(Array(2).fill(tampered.payload));
  });

  it.each(versions)('OCPP %s: is told after an outage, even one of the power', async (version) => {
    const talk = await booted(version);
    talk.cut();
    const openedAtMs = talk.nowMs;
    expect(set(talk, 'tamper', true)?.failure).toBeNull();
    talk.pass(5).powerCut();
    const events = talk.said().filter(({ action }) => action === tampered.action);
    expect(events).toMatchObject([{ payload: { timestamp: new Date(openedAtMs).toISOString() } }]);
    set(talk, 'tamper', true);
    expect(talk.said()).toEqual([]);
  });

  it('that the CSMS does not want to know of holds nothing up', async () => {
    const talk = await booted('1.6', { answers: { SecurityEventNotification: () => 'NotImplemented' } });
    expect(set(talk, 'tamper', true)?.failure).toBeNull();
    talk.command('start-session', { id_tag: 'A' });
    expect(talk.saidInShort()).toEqual([
      'SecurityEventNotification',
      'StatusNotification 1 Preparing',
      'Authorize',
      'StartTransaction',
      'StatusNotification 1 Charging',
    ]);
  });
});

describe('firmware that cannot be installed', () => {
  const update = (talk: Talk, version: (typeof versions)[number]): string[] => {
    const [location, retrieveDateTime] = ['http://files.test/firmware-2.1.0.bin', new Date(talk.nowMs).toISOString()];
    talk.ask(
      'UpdateFirmware',
      version === '1.6'
        ? { location, retrieveDate: retrieveDateTime }
        : { requestId: 1, firmware: { location, retrieveDateTime } },
    );
    talk.bring({ trouble: null, isSigned: null }).pass(60);
    return talk.said().flatMap(({ action, payload }) => (/Firmware/.test(action) ? [payload['status']] : []));
  };

  it.each(versions)('OCPP %s: is remembered over a power cut, without a word, and shows', async (version) => {
    const talk = await booted(version);
    expect(set(talk, 'firmware_failure', true)?.failure).toBeNull();
    expect(talk.said()).toEqual([]);
    talk.powerCut().said();
    expect(update(talk, version)).toEqual(['Downloading', 'Downloaded', 'Installing', 'InstallationFailed']);
    expect(talk.conversation.charger.station.firmwareVersion).toBe('1.0.0');
    set(talk, 'firmware_failure', false);
    expect(update(talk, version)).not.toContain('InstallationFailed');
    expect(talk.conversation.charger.station.firmwareVersion).toBe('2.1.0');
  });
});

describe('a charger to which nothing has happened', () => {
  it('carries no conditions', async () => {
    const talk = await charging('2.1');
    talk.powerCut();
    expect(Object.keys(talk.conversation.charger)).not.toContain('conditions');
    expect(Object.keys(connector(talk) ?? {})).not.toContain('conditions');
    expect(talk.memory).not.toContain('conditions');
  });
});
