// What the validators generated from the official schemas accept, and how they say no.
import { describe, expect, it } from 'vitest';
import * as v16 from './generated/v16.js';
import * as v21 from './generated/v21.js';
import * as v201 from './generated/v201.js';

type Table = typeof v16.requests;

function verdict(table: Table, action: string, payload: unknown) {
  const validate = table[action];
  if (!validate) throw new Error(`no validator for ${action}`);
  if (validate(payload)) return 'fits';
  const { keyword, instancePath } = validate.errors?.[0] ?? {};
  expect(validate.errors).toHaveLength(1);
  return `${keyword} at ${instancePath || '/'}`;
}

const at = '2026-01-31T12:00:05Z';
const versions2 = [
  ['2.0.1', v201],
  ['2.1', v21],
] as const;

describe('the validators', () => {
  it.each([
    ['1.6', v16, 39, 39],
    ['2.0.1', v201, 64, 64],
    ['2.1', v21, 91, 90],
  ] as const)('of %s cover every action', (_version, { requests, responses }, requestCount, responseCount) => {
    expect(Object.keys(requests)).toHaveLength(requestCount);
    expect(Object.keys(responses)).toHaveLength(responseCount);
  });

  it('know no answer to a message that is only sent', () => {
    expect(v21.requests.NotifyPeriodicEventStream).toBeDefined();
    expect(v21.responses.NotifyPeriodicEventStream).toBeUndefined();
  });

  it('know no action by the name of an object method', () => {
    expect(v16.requests.constructor).toBeUndefined();
    expect(v16.requests.toString).toBeUndefined();
  });

  it('leave the payload as it is', () => {
    const payload = Object.freeze({ connectorId: 1, errorCode: 'NoError', status: 'Available', surplus: 1 });
    expect(verdict(v16.requests, 'StatusNotification', payload)).toBe('additionalProperties at /');
  });
});

describe('the validators of 1.6', () => {
  const meterValues = (value: unknown) => ({
    connectorId: 1,
    transactionId: 4711,
    meterValue: [
      {
        timestamp: at,
        sampledValue: [
          { value, context: 'Sample.Periodic', measurand: 'Energy.Active.Import.Register', unit: 'Wh' },
          { value: '15.9', context: 'Sample.Periodic', measurand: 'Current.Import', phase: 'L1', unit: 'A' },
          { value: '42', context: 'Sample.Periodic', measurand: 'SoC', location: 'EV', unit: 'Percent' },
        ],
      },
    ],
  });
  const profile = (limit: number) => ({
    connectorId: 1,
    csChargingProfiles: {
      chargingProfileId: 1,
      stackLevel: 0,
      chargingProfilePurpose: 'TxDefaultProfile',
      chargingProfileKind: 'Absolute',
      chargingSchedule: { chargingRateUnit: 'A', chargingSchedulePeriod: [{ startPeriod: 0, limit }] },
    },
  });
  const limitPath = '/csChargingProfiles/chargingSchedule/chargingSchedulePeriod/0/limit';

  it.each([
    ['BootNotification', { chargePointVendor: 'SimCo', chargePointModel: 'AC22', firmwareVersion: '1.0.0' }],
    ['StatusNotification', { connectorId: 1, errorCode: 'NoError', status: 'Preparing', timestamp: at }],
    ['StartTransaction', { connectorId: 1, idTag: '04A1B2C3', meterStart: 15230, timestamp: at }],
    ['StopTransaction', { transactionId: 4711, idTag: '04A1B2C3', meterStop: 20730, timestamp: at, reason: 'Local' }],
    ['MeterValues', meterValues('15413')],
    ['Heartbeat', {}],
    ['UpdateFirmware', { location: 'ftp://files.example/fw.bin', retrieveDate: at }],
    ['SignCertificate', { csr: 'x'.repeat(5500) }],
  ])('accept a good %s', (action, payload) => {
    expect(verdict(v16.requests, action, payload)).toBe('fits');
  });

  it.each([0.1, 0.3, 16.3, 32, 1.1, 4.35e1, 22_080.7])('accept %d as a multiple of a tenth', (limit) => {
    expect(verdict(v16.requests, 'SetChargingProfile', profile(limit))).toBe('fits');
  });

  it.each([16.35, 0.05, 7.001])('refuse %d as a multiple of a tenth', (limit) => {
    expect(verdict(v16.requests, 'SetChargingProfile', profile(limit))).toBe(`multipleOf at ${limitPath}`);
  });

  it.each([
    ['BootNotification', { chargePointVendor: 'SimCo' }, 'required at /'],
    ['BootNotification', { chargePointVendor: 'SimCo', chargePointModel: 7 }, 'type at /chargePointModel'],
    [
      'BootNotification',
      { chargePointVendor: 'S'.repeat(21), chargePointModel: 'A' },
      'maxLength at /chargePointVendor',
    ],
    ['StatusNotification', { connectorId: 1, errorCode: 'NoError', status: 'Occupied' }, 'enum at /status'],
    ['MeterValues', meterValues(15413), 'type at /meterValue/0/sampledValue/0/value'],
    ['UpdateFirmware', { location: 'no address', retrieveDate: at }, 'format at /location'],
    ['Heartbeat', [], 'type at /'],
    ['Heartbeat', null, 'type at /'],
  ])('refuse a bad %s %j: %s', (action, payload, expected) => {
    expect(verdict(v16.requests, action, payload)).toBe(expected);
  });

  it('count characters, not code units', () => {
    const boot = (length: number) => ({
      chargePointVendor: '⚡'.repeat(length),
      chargePointModel: '🔌'.repeat(length),
    });
    expect(verdict(v16.requests, 'BootNotification', boot(20))).toBe('fits');
    expect(verdict(v16.requests, 'BootNotification', boot(21))).toBe('maxLength at /chargePointVendor');
  });

  it.each([
    '2026-01-31T12:00:05.123Z',
    '2026-01-31T12:00:05+01:00',
    '2024-02-29T23:59:59Z',
    '2016-12-31T23:59:60Z',
    '2000-02-29T00:00:00-11:30',
  ])('accept the time %s', (currentTime) => {
    expect(verdict(v16.responses, 'Heartbeat', { currentTime })).toBe('fits');
  });

  it.each([
    '2026-01-31',
    '2026-01-31T12:00:05',
    '2026-01-31 12:00:05Z',
    '2026-13-01T12:00:05Z',
    '2026-04-31T12:00:05Z',
    '2026-01-00T12:00:05Z',
    '2025-02-29T12:00:05Z',
    '1900-02-29T12:00:05Z',
    '2026-01-31T24:00:05Z',
    '2026-01-31T12:00:05+24:00',
    'yesterday',
    '',
  ])('refuse the time %j', (currentTime) => {
    expect(verdict(v16.responses, 'Heartbeat', { currentTime })).toBe('format at /currentTime');
  });

  it('check answers too', () => {
    const answer = { status: 'Accepted', currentTime: at, interval: 300 };
    expect(verdict(v16.responses, 'BootNotification', answer)).toBe('fits');
    expect(verdict(v16.responses, 'BootNotification', { ...answer, interval: '300' })).toBe('type at /interval');
  });
});

describe.each(versions2)('the validators of %s', (_version, { requests, responses }) => {
  const meterValue = (context: string, value: unknown) => [
    {
      timestamp: at,
      sampledValue: [{ value, context, measurand: 'Energy.Active.Import.Register', unitOfMeasure: { unit: 'Wh' } }],
    },
  ];
  const idToken = { idToken: '04A1B2C3', type: 'ISO14443' };
  const transactionInfo = { transactionId: '5f2c0c9e-6f0a-4d6e-9a38-0f6b8f2f7a11', chargingState: 'EVConnected' };
  const started = {
    eventType: 'Started',
    timestamp: at,
    triggerReason: 'Authorized',
    seqNo: 0,
    transactionInfo,
    evse: { id: 1, connectorId: 1 },
    idToken,
    meterValue: meterValue('Transaction.Begin', 15230),
  };
  const event = {
    eventId: 17,
    timestamp: at,
    trigger: 'Alerting',
    actualValue: 'true',
    techCode: 'CX002',
    techInfo: 'ground failure',
    cleared: false,
    component: { name: 'RCD', evse: { id: 1 } },
    variable: { name: 'Tripped' },
    eventNotificationType: 'HardWiredNotification',
  };

  it.each([
    ['BootNotification', { reason: 'PowerUp', chargingStation: { vendorName: 'SimCo', model: 'AC22' } }],
    ['StatusNotification', { timestamp: at, connectorStatus: 'Occupied', evseId: 1, connectorId: 1 }],
    ['TransactionEvent', started],
    [
      'TransactionEvent',
      {
        eventType: 'Ended',
        timestamp: at,
        triggerReason: 'StopAuthorized',
        seqNo: 9,
        transactionInfo: { ...transactionInfo, stoppedReason: 'Local' },
        idToken,
        meterValue: meterValue('Transaction.End', 20730),
      },
    ],
    ['NotifyEvent', { generatedAt: at, seqNo: 0, tbc: false, eventData: [event] }],
    ['Heartbeat', { customData: { vendorId: 'com.example', anything: [1, { goes: true }] } }],
  ])('accept a good %s', (action, payload) => {
    expect(verdict(requests, action, payload)).toBe('fits');
  });

  it.each([
    ['BootNotification', { reason: 'PowerUp' }, 'required at /'],
    ['BootNotification', { reason: 'PowerUp', chargingStation: { vendorName: 'S' } }, 'required at /chargingStation'],
    ['TransactionEvent', { ...started, seqNo: '0' }, 'type at /seqNo'],
    ['TransactionEvent', { ...started, seqNo: 0.5 }, 'type at /seqNo'],
    ['TransactionEvent', { ...started, eventType: 'Begun' }, 'enum at /eventType'],
    ['TransactionEvent', { ...started, timestamp: 'now' }, 'format at /timestamp'],
    ['TransactionEvent', { ...started, meterValue: [] }, 'minItems at /meterValue'],
    [
      'TransactionEvent',
      { ...started, meterValue: meterValue('Transaction.Begin', '15230') },
      'type at /meterValue/0/sampledValue/0/value',
    ],
    ['TransactionEvent', { ...started, evse: { id: 1, plug: 1 } }, 'additionalProperties at /evse'],
    ['Heartbeat', { customData: {} }, 'required at /customData'],
  ])('refuse a bad %s %#: %s', (action, payload, expected) => {
    expect(verdict(requests, action, payload)).toBe(expected);
  });

  it('check answers too', () => {
    expect(verdict(responses, 'TransactionEvent', { idTokenInfo: { status: 'Accepted' } })).toBe('fits');
    expect(verdict(responses, 'TransactionEvent', { idTokenInfo: { status: 'Perhaps' } })).toBe(
      'enum at /idTokenInfo/status',
    );
  });
});

describe('the validators of 2.1', () => {
  it('know what 2.0.1 does not: local cost, sent streams', () => {
    const stream = { id: 1, pending: 0, basetime: at, data: [{ t: 0, v: '230' }] };
    expect(verdict(v21.requests, 'NotifyPeriodicEventStream', stream)).toBe('fits');
    expect(verdict(v21.requests, 'NotifyPeriodicEventStream', { ...stream, data: [] })).toBe('minItems at /data');
    expect(v201.requests.NotifyPeriodicEventStream).toBeUndefined();
  });
});
