// How OCPP 1.6 says what a charger reports.

import type { Reading } from '../../charger/meter.ts';
import type {
  Sample,
  Shown,
  StopReason,
  TokenInfo,
  TransactionReport,
  TransactionTrigger,
} from '../../charger/report.ts';
import type { Call, ReportTable, Slice } from '../dialect.ts';
import type { Payload } from '../frame.ts';
import { bootAnswer, cut, heartbeat, noted, rawReport, timestamp } from '../wording.ts';
import { serviceReports16 } from './service-reports.ts';
import { stopReasons16 } from './stop-reasons.ts';

export const reports16: ReportTable = {
  boot: {
    encode: (_report, { station }) => ({
      action: 'BootNotification',
      payload: {
        chargePointVendor: cut(station.vendorName, 20),
        chargePointModel: cut(station.model, 20),
        chargePointSerialNumber: cut(station.serialNumber, 25),
        firmwareVersion: cut(station.firmwareVersion, 50),
      },
    }),
    decode: bootAnswer,
  },

  heartbeat,

  status: {
    encode({ connector, from, to, atMs, info, vendorErrorCode }) {
      if (from !== null && wireStatus(from) === wireStatus(to)) return null;
      return {
        action: 'StatusNotification',
        payload: {
          connectorId: connector === null ? 0 : connector.outlet + 1,
          errorCode: wireErrorCode(to.errorCode),
          status: to.status,
          timestamp: timestamp(atMs),
          ...(info === null ? emergencyInfo(to.errorCode) : { info: cut(info, 50) }),
          ...(vendorErrorCode === null ? {} : { vendorErrorCode: cut(vendorErrorCode, 50) }),
        },
      };
    },
    decode: noted,
  },

  authorize: {
    encode: ({ token }) => ({ action: 'Authorize', payload: { idTag: token.idTag } }),
    decode: (payload) => ({ kind: 'authorize', info: tokenInfo(payload['idTagInfo'] as Payload) }),
  },

  transaction: {
    encode: (report, { slice }) => encodeTransaction(report, slice),
    decode: (payload) => {
      const info = payload['idTagInfo'] as Payload | undefined;
      return info === undefined ? noted() : { kind: 'transaction', info: tokenInfo(info) };
    },
    learn: (payload, report, slice) =>
      report.phase === 'started' ? withTransactionId(slice, report, payload) : withoutEnded(slice, report),
    forget: (report, slice) => withoutEnded(slice, report),
  },

  meter: {
    encode: ({ connector, samples }) => ({
      action: 'MeterValues',
      payload: { connectorId: connector === null ? 0 : connector.outlet + 1, meterValue: samples.map(meterValue) },
    }),
    decode: noted,
  },

  // 1.6 carries a fault's code in the status.
  fault: { encode: () => null, decode: noted },

  // Who else limits it, 1.6 does not tell.
  'charging-limit': { encode: () => null, decode: noted },

  ...serviceReports16,

  raw: rawReport,
};

function encodeTransaction(report: TransactionReport, slice: Slice): Call | null {
  const { connector, meterWh, atMs, token } = report;
  const transactionId = slice.transactionIds[report.sessionId];
  const connectorId = connector.outlet + 1;
  if (report.phase === 'started') {
    return {
      action: 'StartTransaction',
      payload: {
        connectorId,
        idTag: token?.idTag ?? '',
        meterStart: meterWh,
        timestamp: timestamp(atMs),
        ...(report.reservationId === undefined ? {} : { reservationId: report.reservationId }),
      },
    };
  }
  // Its start was never answered: without a number nothing can be said of it.
  if (transactionId === undefined) return null;
  if (report.phase === 'updated') {
    if (!meterTriggers.has(report.trigger) || report.samples.length === 0) return null;
    return {
      action: 'MeterValues',
      payload: { connectorId, transactionId, meterValue: report.samples.map(meterValue) },
    };
  }
  return {
    action: 'StopTransaction',
    payload: {
      transactionId,
      meterStop: meterWh,
      timestamp: timestamp(atMs),
      reason: wireReason(report.stopReason ?? 'Local'),
      ...(token === null ? {} : { idTag: token.idTag }),
      ...(report.samples.length === 0 ? {} : { transactionData: report.samples.map(meterValue) }),
    },
  };
}

/** Only these carry a meter value in 1.6; a change of state is a StatusNotification there. */
const meterTriggers: ReadonlySet<TransactionTrigger> = new Set([
  'MeterValueClock',
  'MeterValuePeriodic',
  'ChargingRateChanged',
  'Trigger',
]);

const wireReason = (reason: StopReason): string => (stopReasons16.includes(reason) ? reason : 'Other');

const withTransactionId = (slice: Slice, report: TransactionReport, payload: Payload): Slice => ({
  ...slice,
  transactionIds: { ...slice.transactionIds, [report.sessionId]: payload['transactionId'] as number },
});

/** A transaction whose end is told, or never will be, needs its number no more. */
function withoutEnded(slice: Slice, report: TransactionReport): Slice {
  if (report.phase !== 'ended') return slice;
  const { [report.sessionId]: _, ...transactionIds } = slice.transactionIds;
  return { ...slice, transactionIds };
}

export function tokenInfo(info: Payload): TokenInfo {
  const expiry = info['expiryDate'] as string | undefined;
  return {
    status: info['status'] as string,
    parentIdTag: (info['parentIdTag'] as string | undefined) ?? null,
    expiresAtMs: expiry === undefined ? null : Date.parse(expiry),
  };
}

const wireStatus = (shown: Shown): string => `${shown.status} ${shown.errorCode}`;

// 1.6 has no code of its own for the emergency stop.
const wireErrorCode = (errorCode: string): string => (errorCode === 'EmergencyStop' ? 'OtherError' : errorCode);
const emergencyInfo = (errorCode: string): Payload => (errorCode === 'EmergencyStop' ? { info: 'EmergencyStop' } : {});

const meterValue = (sample: Sample): Payload => ({
  timestamp: timestamp(sample.atMs),
  sampledValue: sample.readings.map((reading) => sampledValue(reading, sample.context)),
});

function sampledValue({ measurand, value, unit, phase, location }: Reading, context: string): Payload {
  // Said for every reading of every charger: all of one shape, where what is undefined is not said.
  return {
    value: String(value),
    context,
    measurand,
    phase,
    location,
    // 1.6 has no word for hertz.
    unit: unit === 'Hz' || unit === null ? undefined : unit,
  };
}
