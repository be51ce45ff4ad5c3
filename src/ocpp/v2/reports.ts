// How the 2.x family says what a charger reports.

import type { Reading } from '../../charger/meter.ts';
import type {
  ConnectorStatus,
  Sample,
  Shown,
  StopReason,
  Token,
  TokenInfo,
  TransactionLimit,
  TransactionReport,
} from '../../charger/report.ts';
import type { ReportTable } from '../dialect.ts';
import type { Payload } from '../frame.ts';
import { bootAnswer, cut, heartbeat, noted, rawReport, timestamp } from '../wording.ts';
import { type FaultEvent, faultEvents } from './fault-events.ts';
import { serviceReports2 } from './service-reports.ts';
import { stopReasons2 } from './stop-reasons.ts';

export const reports2: ReportTable = {
  boot: {
    encode: ({ reason }, { station }) => ({
      action: 'BootNotification',
      payload: {
        reason,
        chargingStation: {
          model: cut(station.model, 20),
          vendorName: cut(station.vendorName, 50),
          serialNumber: cut(station.serialNumber, 25),
          firmwareVersion: cut(station.firmwareVersion, 50),
        },
      },
    }),
    decode: bootAnswer,
  },

  heartbeat,

  status: {
    encode({ connector, from, to, atMs }) {
      // The station itself has no status here, and most moves of a connector are told by its transaction.
      if (connector === null || (from !== null && wireStatus(from) === wireStatus(to))) return null;
      const { evseId, connectorId } = connector;
      return {
        action: 'StatusNotification',
        payload: { timestamp: timestamp(atMs), connectorStatus: wireStatus(to), evseId, connectorId },
      };
    },
    decode: noted,
  },

  authorize: {
    encode: ({ token }) => ({ action: 'Authorize', payload: { idToken: idToken(token) } }),
    decode: (payload) => ({ kind: 'authorize', info: tokenInfo(payload['idTokenInfo'] as Payload) }),
  },

  transaction: {
    encode: (report) => ({ action: 'TransactionEvent', payload: transactionEvent(report) }),
    decode: (payload) => {
      const info = payload['idTokenInfo'] as Payload | undefined;
      return info === undefined ? noted() : { kind: 'transaction', info: tokenInfo(info) };
    },
  },

  meter: {
    // An EVSE has one meter, however many connectors.
    encode: ({ connector, samples }) =>
      connector !== null && connector.connectorId > 1
        ? null
        : { action: 'MeterValues', payload: { evseId: connector?.evseId ?? 0, meterValue: samples.map(meterValue) } },
    decode: noted,
  },

  fault: {
    encode: ({ connector, eventId, errorCode, info, vendorErrorCode, cleared, atMs }) => {
      const { component, variable, techCode } = faultEvents[errorCode] ?? otherFault;
      return {
        action: 'NotifyEvent',
        payload: {
          generatedAt: timestamp(atMs),
          seqNo: 0,
          tbc: false,
          eventData: [
            {
              eventId,
              timestamp: timestamp(atMs),
              trigger: 'Alerting',
              actualValue: cleared ? 'false' : 'true',
              cleared,
              techCode: cut(vendorErrorCode ?? techCode ?? errorCode, 50),
              techInfo: cut(info ?? errorCode, 500),
              component: { name: component, ...(connector === null ? {} : { evse: evse(connector) }) },
              variable: { name: variable },
              eventNotificationType: 'HardWiredNotification',
            },
          ],
        },
      };
    },
    decode: noted,
  },

  'charging-limit': {
    encode: ({ connector: { evseId }, limitW }) =>
      limitW === null
        ? { action: 'ClearedChargingLimit', payload: { chargingLimitSource, evseId } }
        : { action: 'NotifyChargingLimit', payload: { chargingLimit: { chargingLimitSource }, evseId } },
    decode: noted,
  },

  ...serviceReports2,

  raw: rawReport,
};

/** A local energy manager. */
const chargingLimitSource = 'EMS';

const otherFault: FaultEvent = { component: 'ChargingStation', variable: 'Problem' };

function transactionEvent(report: TransactionReport): Payload {
  const { phase, trigger, seqNo, sessionId, chargingState, stopReason, samples, token, remoteStartId, limit } = report;
  const transactionInfo: Record<string, unknown> = { transactionId: sessionId, chargingState };
  if (stopReason !== null) transactionInfo['stoppedReason'] = wireReason(stopReason);
  if (remoteStartId !== null) transactionInfo['remoteStartId'] = remoteStartId;
  if (limit !== undefined) transactionInfo['transactionLimit'] = transactionLimit(limit);
  const payload: Record<string, unknown> = {
    eventType: eventTypes[phase],
    timestamp: timestamp(report.atMs),
    triggerReason: trigger,
    seqNo,
    transactionInfo,
  };
  if (phase === 'started') payload['evse'] = evse(report.connector);
  if (report.reservationId !== undefined) payload['reservationId'] = report.reservationId;
  if (token !== null) payload['idToken'] = idToken(token);
  if (samples.length > 0) payload['meterValue'] = samples.map(meterValue);
  if (report.offline) payload['offline'] = true;
  return payload;
}

/** Only where the version has words for it: `TxCtrlr.LimitReports`. */
const transactionLimit = ({ energyWh, timeS, cost }: TransactionLimit): Payload => ({
  ...(energyWh === null ? {} : { maxEnergy: energyWh }),
  ...(timeS === null ? {} : { maxTime: timeS }),
  ...(cost === null ? {} : { maxCost: cost }),
});

const wireReason = (reason: StopReason): string => (stopReasons2.includes(reason) ? reason : 'Other');

const eventTypes = { started: 'Started', updated: 'Updated', ended: 'Ended' } as const;

const evse = (connector: { evseId: number; connectorId: number }): Payload => ({
  id: connector.evseId,
  connectorId: connector.connectorId,
});

const idToken = (token: Token): Payload => ({ idToken: token.idTag, type: token.type });

export function tokenInfo(info: Payload): TokenInfo {
  const expiry = info['cacheExpiryDateTime'] as string | undefined;
  const group = info['groupIdToken'] as Payload | undefined;
  return {
    status: info['status'] as string,
    parentIdTag: (group?.['idToken'] as string | undefined) ?? null,
    expiresAtMs: expiry === undefined ? null : Date.parse(expiry),
  };
}

/** A token alone does not occupy a connector; a cable does. */
const wireStatus = (shown: Shown): string =>
  shown.status === 'Preparing' && !shown.plugged ? 'Available' : wireStatuses[shown.status];

const wireStatuses: Readonly<Record<ConnectorStatus, string>> = {
  Available: 'Available',
  Preparing: 'Occupied',
  Charging: 'Occupied',
  SuspendedEV: 'Occupied',
  SuspendedEVSE: 'Occupied',
  Finishing: 'Occupied',
  Reserved: 'Reserved',
  Unavailable: 'Unavailable',
  Faulted: 'Faulted',
};

const meterValue = (sample: Sample): Payload => ({
  timestamp: timestamp(sample.atMs),
  sampledValue: sample.readings.map((reading) => sampledValue(reading, sample.context)),
});

function sampledValue(reading: Reading, context: string): Payload {
  const { measurand, value, unit, phase, location } = reading;
  const sampled: Record<string, unknown> = { value, context, measurand };
  if (phase !== undefined) sampled['phase'] = phase;
  if (location !== undefined) sampled['location'] = location;
  if (unit !== null) sampled['unitOfMeasure'] = { unit };
  return sampled;
}
