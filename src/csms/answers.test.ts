// Every action that a charger may send, in each version, with an answer that fits its schema.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Payload } from '../ocpp/frame.ts';
import { answers21, answers201 } from './answers2.ts';
import { answers16 } from './answers16.ts';
import { BareClient } from './bare-client.ts';
import { Csms } from './csms.ts';
import { Recorder } from './recorder.ts';

const at = '2026-01-31T12:00:05.000Z';
const nowMs = Date.parse(at);
const hash = { hashAlgorithm: 'SHA256', issuerNameHash: 'aa', issuerKeyHash: 'bb', serialNumber: '01' };
const idToken = { idToken: '04A1B2C3', type: 'ISO14443' };
const meterValue2 = [{ timestamp: at, sampledValue: [{ value: 15230 }] }];
const schedule = { id: 1, chargingRateUnit: 'A', chargingSchedulePeriod: [{ startPeriod: 0, limit: 16 }] };
const profile = {
  id: 1,
  stackLevel: 0,
  chargingProfilePurpose: 'TxDefaultProfile',
  chargingProfileKind: 'Absolute',
  chargingSchedule: [schedule],
};
const place = { component: { name: 'EVSE' }, variable: { name: 'Power' } };
const monitor = { id: 1, transaction: false, value: 1, type: 'UpperThreshold', severity: 5 };
const event = { eventId: 1, timestamp: at, trigger: 'Alerting', actualValue: 'true', ...place };

type Sample = readonly [request: Payload, answer: Payload];
const accepted = { status: 'Accepted' };

const samples16: Readonly<Record<string, Sample>> = {
  Authorize: [{ idTag: '04A1B2C3' }, { idTagInfo: accepted }],
  BootNotification: [
    { chargePointVendor: 'SimCo', chargePointModel: 'AC22' },
    { status: 'Accepted', currentTime: at, interval: 300 },
  ],
  DataTransfer: [{ vendorId: 'com.example', data: 'x' }, accepted],
  DiagnosticsStatusNotification: [{ status: 'Uploaded' }, {}],
  FirmwareStatusNotification: [{ status: 'Installed' }, {}],
  Heartbeat: [{}, { currentTime: at }],
  LogStatusNotification: [{ status: 'Uploaded', requestId: 1 }, {}],
  MeterValues: [{ connectorId: 1, meterValue: [{ timestamp: at, sampledValue: [{ value: '15230' }] }] }, {}],
  SecurityEventNotification: [{ type: 'StartupOfTheDevice', timestamp: at }, {}],
  SignCertificate: [{ csr: 'csr' }, accepted],
  SignedFirmwareStatusNotification: [{ status: 'Installed', requestId: 1 }, {}],
  StartTransaction: [
    { connectorId: 1, idTag: '04A1B2C3', meterStart: 0, timestamp: at },
    { transactionId: 1, idTagInfo: accepted },
  ],
  StatusNotification: [{ connectorId: 1, errorCode: 'NoError', status: 'Available' }, {}],
  StopTransaction: [{ transactionId: 1, meterStop: 10, timestamp: at }, {}],
};

const samples201: Readonly<Record<string, Sample>> = {
  Authorize: [{ idToken }, { idTokenInfo: accepted }],
  BootNotification: [
    { reason: 'PowerUp', chargingStation: { vendorName: 'SimCo', model: 'AC22' } },
    { status: 'Accepted', currentTime: at, interval: 300 },
  ],
  ClearedChargingLimit: [{ chargingLimitSource: 'EMS' }, {}],
  DataTransfer: [{ vendorId: 'com.example', data: { any: [1] } }, accepted],
  FirmwareStatusNotification: [{ status: 'Installed', requestId: 1 }, {}],
  Get15118EVCertificate: [
    { iso15118SchemaVersion: 'urn:iso:15118:2:2013:MsgDef', action: 'Install', exiRequest: 'gJgC' },
    { status: 'Accepted', exiResponse: 'gJgC' },
  ],
  GetCertificateStatus: [
    { ocspRequestData: { ...hash, responderURL: 'http://ocsp.example' } },
    { status: 'Failed', statusInfo: { reasonCode: 'NotFound' } },
  ],
  Heartbeat: [{}, { currentTime: at }],
  LogStatusNotification: [{ status: 'Uploaded', requestId: 1 }, {}],
  MeterValues: [{ evseId: 1, meterValue: meterValue2 }, {}],
  NotifyChargingLimit: [{ chargingLimit: { chargingLimitSource: 'EMS' } }, {}],
  NotifyCustomerInformation: [{ data: 'none', seqNo: 0, generatedAt: at, requestId: 1 }, {}],
  NotifyDisplayMessages: [{ requestId: 1 }, {}],
  NotifyEVChargingNeeds: [
    { evseId: 1, chargingNeeds: { requestedEnergyTransfer: 'DC' } },
    { status: 'Rejected', statusInfo: { reasonCode: 'NotEnabled' } },
  ],
  NotifyEVChargingSchedule: [{ timeBase: at, evseId: 1, chargingSchedule: schedule }, accepted],
  NotifyEvent: [
    { generatedAt: at, seqNo: 0, eventData: [{ ...event, eventNotificationType: 'HardWiredNotification' }] },
    {},
  ],
  NotifyMonitoringReport: [
    { requestId: 1, seqNo: 0, generatedAt: at, monitor: [{ ...place, variableMonitoring: [monitor] }] },
    {},
  ],
  NotifyReport: [{ requestId: 1, generatedAt: at, seqNo: 0 }, {}],
  PublishFirmwareStatusNotification: [{ status: 'Idle' }, {}],
  ReportChargingProfiles: [{ requestId: 1, chargingLimitSource: 'CSO', chargingProfile: [profile], evseId: 1 }, {}],
  ReservationStatusUpdate: [{ reservationId: 1, reservationUpdateStatus: 'Expired' }, {}],
  SecurityEventNotification: [{ type: 'StartupOfTheDevice', timestamp: at }, {}],
  SignCertificate: [{ csr: 'csr', certificateType: 'ChargingStationCertificate' }, accepted],
  StatusNotification: [{ timestamp: at, connectorStatus: 'Available', evseId: 1, connectorId: 1 }, {}],
  TransactionEvent: [
    {
      eventType: 'Started',
      timestamp: at,
      triggerReason: 'Authorized',
      seqNo: 0,
      transactionInfo: { transactionId: 'a' },
      idToken,
    },
    { idTokenInfo: accepted },
  ],
};

const chainRequest = { certificateHashData: hash, source: 'OCSP', urls: ['http://ocsp.example'] };
const chainAnswer = {
  certificateHashData: hash,
  source: 'OCSP',
  status: 'Good',
  nextUpdate: '2026-02-01T12:00:05.000Z',
};

const samples21: Readonly<Record<string, Sample>> = {
  ...samples201,
  BatterySwap: [
    {
      batteryData: [{ evseId: 1, serialNumber: 'B1', soC: 80, soH: 99 }],
      eventType: 'BatteryIn',
      idToken,
      requestId: 1,
    },
    {},
  ],
  ClosePeriodicEventStream: [{ id: 1 }, {}],
  GetCertificateChainStatus: [{ certificateStatusRequests: [chainRequest] }, { certificateStatus: [chainAnswer] }],
  NotifyDERAlarm: [{ controlType: 'VoltVar', timestamp: at }, {}],
  NotifyDERStartStop: [{ controlId: 'c', started: true, timestamp: at }, {}],
  NotifyEVChargingNeeds: [
    { evseId: 1, chargingNeeds: { requestedEnergyTransfer: 'DC_BPT' } },
    { status: 'NoChargingProfile' },
  ],
  NotifyMonitoringReport: [
    {
      requestId: 1,
      seqNo: 0,
      generatedAt: at,
      monitor: [{ ...place, variableMonitoring: [{ ...monitor, eventNotificationType: 'CustomMonitor' }] }],
    },
    {},
  ],
  NotifyPriorityCharging: [{ transactionId: 'a', activated: true }, {}],
  NotifySettlement: [{ pspRef: 'p', status: 'Settled', settlementAmount: 10, settlementTime: at }, {}],
  OpenPeriodicEventStream: [{ constantStreamData: { id: 1, params: {}, variableMonitoringId: 1 } }, accepted],
  PullDynamicScheduleUpdate: [{ chargingProfileId: 1 }, accepted],
  ReportDERControl: [{ requestId: 1 }, {}],
  VatNumberValidation: [
    { vatNumber: 'NL1', evseId: 2 },
    { status: 'Accepted', vatNumber: 'NL1', evseId: 2 },
  ],
};

describe.each([
  ['ocpp1.6', samples16, answers16],
  ['ocpp2.0.1', samples201, answers201],
  ['ocpp2.1', samples21, answers21],
] as const)('the built-in CSMS in %s', (protocol, samples, answers) => {
  const recorder = new Recorder();
  const csms = new Csms({
    reserveTransactionIds: async () => 1,
    now: () => nowMs,
    newMessageId: () => 'unused',
    onFrame: recorder.onFrame,
  });
  let client: BareClient;

  beforeAll(async () => {
    client = await BareClient.connect(`${await csms.listen(0)}/acme/CP-1`, protocol);
  });
  afterAll(() => csms.close());

  it.each(Object.entries(samples))('answers %s', async (action, [request, answer]) => {
    expect(await client.call(action, request)).toEqual({ payload: answer });
  });

  it('has been asked everything that it has an answer to, and every frame was valid', () => {
    expect(new Set(recorder.calls('CP-1').map((call) => call.action))).toEqual(new Set(Object.keys(answers)));
    expect(recorder.violations()).toEqual([]);
  });

  it.each([
    ['INVALID', 'Invalid'],
    ['invalid-7', 'Invalid'],
    ['Blocked01', 'Blocked'],
    ['EXPIRED_X', 'Expired'],
    ['concurrent', 'ConcurrentTx'],
    ['04INVALID', 'Accepted'],
  ])('answers the tag %s with %s', async (tag, status) => {
    const expected = { payload: { [protocol === 'ocpp1.6' ? 'idTagInfo' : 'idTokenInfo']: { status } } };
    const token = protocol === 'ocpp1.6' ? { idTag: tag } : { idToken: { idToken: tag, type: 'Central' } };
    expect(await client.call('Authorize', token)).toEqual(expected);
  });
});

describe('the built-in CSMS', () => {
  it('answers 14 actions of 1.6, 25 of 2.0.1 and 36 of 2.1', () => {
    expect([answers16, answers201, answers21].map((table) => Object.keys(table).length)).toEqual([14, 25, 36]);
  });

  it('judges the tags of 1.6 transactions, and numbers a refused one too', async () => {
    const csms = new Csms({ reserveTransactionIds: async () => 41, now: () => nowMs, newMessageId: () => 'unused' });
    const client = await BareClient.connect(`${await csms.listen(0)}/acme/CP-1`, 'ocpp1.6');
    const start = { connectorId: 1, idTag: 'BLOCKED', meterStart: 0, timestamp: at };
    expect(await client.call('StartTransaction', start)).toEqual({
      payload: { transactionId: 41, idTagInfo: { status: 'Blocked' } },
    });
    const stop = { transactionId: 41, idTag: 'BLOCKED', meterStop: 0, timestamp: at };
    expect(await client.call('StopTransaction', stop)).toEqual({ payload: { idTagInfo: { status: 'Blocked' } } });
    await csms.close();
  });

  it('says nothing of a token in 2.x where none was presented, and something of a certificate that was', async () => {
    const csms = new Csms({ reserveTransactionIds: async () => 1, now: () => nowMs, newMessageId: () => 'unused' });
    const client = await BareClient.connect(`${await csms.listen(0)}/acme/CP-1`, 'ocpp2.0.1');
    const { idToken: _token, ...updated } = samples201['TransactionEvent']?.[0] ?? {};
    expect(await client.call('TransactionEvent', { ...updated, eventType: 'Updated' })).toEqual({ payload: {} });
    expect(await client.call('Authorize', { idToken, certificate: 'pem' })).toEqual({
      payload: { idTokenInfo: accepted, certificateStatus: 'Accepted' },
    });
    await csms.close();
  });
});
