// How OCPP 1.6 asks, and is answered.

import type { RequestAnswer } from '../../requests/request.ts';
import type { AnyRequestRow, RequestRow } from '../dialect.ts';
import type { Payload } from '../frame.ts';
import { clearChargingProfile, getCompositeSchedule, profileOf, setChargingProfile } from './charging-profiles.ts';
import { everyOutlet, outletsOf } from './places.ts';
import { serviceRequests16 } from './service-requests.ts';
import {
  changeAvailability,
  changeConfiguration,
  extendedTriggerMessage,
  getConfiguration,
  reset,
  triggerMessage,
  unlockConnector,
} from './station-requests.ts';
import { cancelReservation, clearCache, getLocalListVersion, reserveNow, sendLocalList } from './token-requests.ts';

const remoteStart: RequestRow<'remote-start'> = {
  kind: 'remote-start',
  decode(payload, talk) {
    const connectorId = payload['connectorId'] as number | undefined;
    const profile = payload['chargingProfile'] as Payload | undefined;
    return {
      kind: 'remote-start',
      token: { idTag: payload['idTag'] as string, type: 'ISO14443' },
      remoteStartId: null,
      outlets: connectorId === undefined ? null : outletsOf(connectorId, talk),
      ...(profile === undefined ? {} : { profile: profileOf(profile, everyOutlet(talk), talk) }),
    };
  },
  encode: status,
};

const remoteStop: RequestRow<'remote-stop'> = {
  kind: 'remote-stop',
  decode(payload, { slice }) {
    const wanted = payload['transactionId'] as number;
    const known = Object.entries(slice.transactionIds).find(([, transactionId]) => transactionId === wanted);
    return { kind: 'remote-stop', sessionId: known?.[0] ?? null };
  },
  encode: status,
};

const dataTransfer: RequestRow<'data-transfer'> = {
  kind: 'data-transfer',
  decode: (payload) => ({ kind: 'data-transfer', vendorId: payload['vendorId'] as string }),
  encode: ({ status: said }) => ({ status: said }),
};

export const requests16: Readonly<Record<string, AnyRequestRow>> = {
  RemoteStartTransaction: remoteStart,
  RemoteStopTransaction: remoteStop,
  DataTransfer: dataTransfer,
  ChangeAvailability: changeAvailability,
  ChangeConfiguration: changeConfiguration,
  GetConfiguration: getConfiguration,
  Reset: reset,
  UnlockConnector: unlockConnector,
  TriggerMessage: triggerMessage,
  ClearCache: clearCache,
  GetLocalListVersion: getLocalListVersion,
  SendLocalList: sendLocalList,
  ReserveNow: reserveNow,
  CancelReservation: cancelReservation,
  SetChargingProfile: setChargingProfile,
  ClearChargingProfile: clearChargingProfile,
  GetCompositeSchedule: getCompositeSchedule,
  ExtendedTriggerMessage: extendedTriggerMessage,
  ...serviceRequests16,
};

const actionsOf: Readonly<Record<string, readonly string[]>> = {
  FirmwareManagement: ['GetDiagnostics', 'UpdateFirmware'],
  LocalAuthListManagement: ['GetLocalListVersion', 'SendLocalList'],
  Reservation: ['ReserveNow', 'CancelReservation'],
  SmartCharging: ['SetChargingProfile', 'ClearChargingProfile', 'GetCompositeSchedule'],
  RemoteTrigger: ['TriggerMessage'],
};

export const features16: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(actionsOf).flatMap(([feature, actions]) => actions.map((action) => [action, feature])),
);

function status(answer: RequestAnswer<'remote-start' | 'remote-stop'>) {
  return { status: answer.status };
}
