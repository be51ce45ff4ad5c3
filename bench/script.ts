// What chargers with one connector say, in each version: the floor says it, and the product must say as much.

import type { Version } from './bench-case.ts';

export interface Call {
  readonly action: string;
  readonly payload: unknown;
}

export interface Speaker {
  readonly identity: string;
  readonly transactionId: number;
}

/** What is said next, once what was said before has been answered. */
type Line = (speaker: Speaker, timestamp: string) => Call;

export type ScriptName = 'boot' | 'reconnect' | 'heartbeat' | 'meterValues' | 'startSession' | 'stopSession';

const subprotocols: Readonly<Record<Version, string>> = { '1.6': 'ocpp1.6', '2.0.1': 'ocpp2.0.1', '2.1': 'ocpp2.1' };

export const subprotocolOf = (version: Version): string => subprotocols[version];

/** In 1.6 the station as a whole is connector 0 and has a status too. */
export const statusesPerBoot = (version: Version): number => (version === '1.6' ? 2 : 1);

export function scriptOf(version: Version, name: ScriptName): readonly Line[] {
  const lines = (version === '1.6' ? scripts16 : scripts2)[name];
  if (lines === undefined) throw new Error(`bug: the floor does not know ${name} in OCPP ${version}`);
  return lines;
}

const status16 =
  (connectorId: number, status: string): Line =>
  (_, timestamp) => ({
    action: 'StatusNotification',
    payload: { connectorId, errorCode: 'NoError', status, timestamp },
  });

const boot16: Line = ({ identity }) => ({
  action: 'BootNotification',
  payload: {
    chargePointVendor: 'ChargeSim',
    chargePointModel: 'Virtual',
    chargePointSerialNumber: identity,
    firmwareVersion: '1.0.0',
  },
});

const heartbeat: Line = () => ({ action: 'Heartbeat', payload: {} });

const idTag = 'DEADBEEF';

const reading = (value: string, measurand: string, unit: string, more: object = {}): object => ({
  value,
  context: 'Sample.Periodic',
  measurand,
  ...more,
  unit,
});

const meterValues16: Line = ({ transactionId }, timestamp) => ({
  action: 'MeterValues',
  payload: {
    connectorId: 1,
    transactionId,
    meterValue: [
      {
        timestamp,
        sampledValue: [
          reading('123', 'Energy.Active.Import.Register', 'Wh'),
          reading('22000', 'Power.Active.Import', 'W'),
          ...['L1', 'L2', 'L3'].map((phase) => reading('31.88', 'Current.Import', 'A', { phase })),
          ...['L1-N', 'L2-N', 'L3-N'].map((phase) => reading('230', 'Voltage', 'V', { phase })),
          reading('20', 'SoC', 'Percent', { location: 'EV' }),
        ],
      },
    ],
  },
});

const scripts16: Readonly<Record<ScriptName, readonly Line[]>> = {
  boot: [boot16, status16(0, 'Available'), status16(1, 'Available')],
  reconnect: [status16(0, 'Available'), status16(1, 'Available')],
  heartbeat: [heartbeat],
  meterValues: [meterValues16],
  startSession: [
    status16(1, 'Preparing'),
    () => ({ action: 'Authorize', payload: { idTag } }),
    (_, timestamp) => ({
      action: 'StartTransaction',
      payload: { connectorId: 1, idTag, meterStart: 0, timestamp },
    }),
    status16(1, 'Charging'),
  ],
  stopSession: [
    ({ transactionId }, timestamp) => ({
      action: 'StopTransaction',
      payload: { transactionId, meterStop: 123, timestamp, reason: 'Local', idTag },
    }),
    status16(1, 'Finishing'),
    status16(1, 'Available'),
  ],
};

const boot2: Line = ({ identity }) => ({
  action: 'BootNotification',
  payload: {
    reason: 'PowerUp',
    chargingStation: {
      model: 'Virtual',
      vendorName: 'ChargeSim',
      serialNumber: identity,
      firmwareVersion: '1.0.0',
    },
  },
});

const status2: Line = (_, timestamp) => ({
  action: 'StatusNotification',
  payload: { timestamp, connectorStatus: 'Available', evseId: 1, connectorId: 1 },
});

const idToken = { idToken: idTag, type: 'ISO14443' };
const transactionInfo = { transactionId: '00000000-0000-4000-8000-000000000000', chargingState: 'Charging' };

const reading2 = (value: number, measurand: string, unit: string, more: object = {}): object => ({
  value,
  context: 'Sample.Periodic',
  measurand,
  ...more,
  unitOfMeasure: { unit },
});

const meterValues2: Line = (_, timestamp) => ({
  action: 'TransactionEvent',
  payload: {
    eventType: 'Updated',
    timestamp,
    triggerReason: 'MeterValuePeriodic',
    seqNo: 2,
    transactionInfo,
    meterValue: [
      {
        timestamp,
        sampledValue: [
          reading2(123, 'Energy.Active.Import.Register', 'Wh'),
          reading2(22_000, 'Power.Active.Import', 'W'),
          reading2(20, 'SoC', 'Percent', { location: 'EV' }),
        ],
      },
    ],
  },
});

const scripts2: Readonly<Partial<Record<ScriptName, readonly Line[]>>> = {
  boot: [boot2, status2],
  reconnect: [status2],
  heartbeat: [heartbeat],
  meterValues: [meterValues2],
  startSession: [
    (_, timestamp) => ({
      action: 'StatusNotification',
      payload: { timestamp, connectorStatus: 'Occupied', evseId: 1, connectorId: 1 },
    }),
    () => ({ action: 'Authorize', payload: { idToken } }),
    (_, timestamp) => ({
      action: 'TransactionEvent',
      payload: {
        eventType: 'Started',
        timestamp,
        triggerReason: 'Authorized',
        seqNo: 0,
        transactionInfo,
        evse: { id: 1, connectorId: 1 },
        idToken,
      },
    }),
    (_, timestamp) => ({
      action: 'TransactionEvent',
      payload: { eventType: 'Updated', timestamp, triggerReason: 'ChargingStateChanged', seqNo: 1, transactionInfo },
    }),
  ],
};
