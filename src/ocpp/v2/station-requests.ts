// How the 2.x family asks for what every version can do alike: availability, locks, triggers, tokens, reservations.

import type { TriggeredMessage } from '../../requests/request.ts';
import type { AnyRequestRow, RequestRow, Talk } from '../dialect.ts';
import type { Payload } from '../frame.ts';
import { tokenInfo } from './reports.ts';

/** The outlets of an EVSE, or the one that is meant; none when there is no such place. */
function outletsOf(evse: Payload, { station }: Talk): readonly number[] {
  const connectorId = evse['connectorId'] as number | undefined;
  return station.connectors.flatMap((spec, outlet) =>
    spec.evseId === evse['id'] && (connectorId === undefined || spec.connectorId === connectorId) ? [outlet] : [],
  );
}

export const withReason = ({ status, reasonCode }: { status: string; reasonCode?: string }): Payload =>
  reasonCode === undefined ? { status } : { status, statusInfo: { reasonCode } };

const changeAvailability: RequestRow<'change-availability'> = {
  kind: 'change-availability',
  decode(payload, talk) {
    const evse = payload['evse'] as Payload | undefined;
    return {
      kind: 'change-availability',
      station: evse === undefined,
      outlets: evse === undefined ? [] : outletsOf(evse, talk),
      operative: payload['operationalStatus'] === 'Operative',
    };
  },
  encode: withReason,
};

const unlockAnswers = {
  Unlocked: { status: 'Unlocked' },
  UnlockFailed: { status: 'UnlockFailed' },
  OngoingAuthorizedTransaction: { status: 'OngoingAuthorizedTransaction' },
  UnknownConnector: { status: 'UnknownConnector' },
  NoLock: { status: 'UnlockFailed', reasonCode: 'FixedCable' },
} as const;

const unlockConnector: RequestRow<'unlock'> = {
  kind: 'unlock',
  decode: ({ evseId, connectorId }, talk) => ({
    kind: 'unlock',
    outlet: outletsOf({ id: evseId, connectorId }, talk)[0] ?? null,
  }),
  encode: ({ status }) => withReason(unlockAnswers[status]),
};

const messages: Readonly<Record<string, TriggeredMessage>> = {
  BootNotification: 'boot',
  FirmwareStatusNotification: 'firmware-status',
  Heartbeat: 'heartbeat',
  LogStatusNotification: 'log-status',
  MeterValues: 'meter-values',
  SignChargingStationCertificate: 'sign-certificate',
  StatusNotification: 'status',
};

const triggerMessage: RequestRow<'trigger'> = {
  kind: 'trigger',
  decode(payload, talk) {
    const evse = payload['evse'] as Payload | undefined;
    return {
      kind: 'trigger',
      message: messages[payload['requestedMessage'] as string] ?? 'unknown',
      station: evse === undefined,
      outlets: evse === undefined ? [...talk.station.connectors.keys()] : outletsOf(evse, talk),
    };
  },
  encode: withReason,
};

const clearCache: RequestRow<'clear-cache'> = {
  kind: 'clear-cache',
  decode: () => ({ kind: 'clear-cache' }),
  encode: withReason,
};

const getLocalListVersion: RequestRow<'get-list-version'> = {
  kind: 'get-list-version',
  decode: () => ({ kind: 'get-list-version' }),
  encode: ({ version }) => ({ versionNumber: version ?? 0 }),
};

const sendLocalList: RequestRow<'send-list'> = {
  kind: 'send-list',
  decode(payload) {
    const entries = (payload['localAuthorizationList'] as readonly Payload[] | undefined) ?? [];
    return {
      kind: 'send-list',
      version: payload['versionNumber'] as number,
      full: payload['updateType'] === 'Full',
      entries: entries.map((entry) => ({
        idTag: (entry['idToken'] as Payload)['idToken'] as string,
        info: entry['idTokenInfo'] === undefined ? null : tokenInfo(entry['idTokenInfo'] as Payload),
      })),
    };
  },
  encode: (answer) => withReason(answer.status === 'NotSupported' ? { ...answer, status: 'Failed' } : answer),
};

const reserveNow: RequestRow<'reserve'> = {
  kind: 'reserve',
  decode(payload, talk) {
    const evseId = payload['evseId'] as number | undefined;
    const token = payload['idToken'] as Payload;
    const group = payload['groupIdToken'] as Payload | undefined;
    return {
      kind: 'reserve',
      id: payload['id'] as number,
      place: evseId === undefined ? 'station' : (outletsOf({ id: evseId }, talk)[0] ?? 'unknown'),
      token: { idTag: token['idToken'] as string, type: token['type'] as string },
      parentIdTag: (group?.['idToken'] as string | undefined) ?? null,
      expiryMs: Date.parse(payload['expiryDateTime'] as string),
    };
  },
  encode: withReason,
};

const cancelReservation: RequestRow<'cancel-reservation'> = {
  kind: 'cancel-reservation',
  decode: (payload) => ({ kind: 'cancel-reservation', id: payload['reservationId'] as number }),
  encode: withReason,
};

export const stationRequests2: Readonly<Record<string, AnyRequestRow>> = {
  ChangeAvailability: changeAvailability,
  UnlockConnector: unlockConnector,
  TriggerMessage: triggerMessage,
  ClearCache: clearCache,
  GetLocalListVersion: getLocalListVersion,
  SendLocalList: sendLocalList,
  ReserveNow: reserveNow,
  CancelReservation: cancelReservation,
};
