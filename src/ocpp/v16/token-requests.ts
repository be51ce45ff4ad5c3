// How OCPP 1.6 asks for what concerns tokens: the cache, the local list, reservations.

import type { RequestRow } from '../dialect.ts';
import type { Payload } from '../frame.ts';
import { outletOf } from './places.ts';
import { tokenInfo } from './reports.ts';

export const clearCache: RequestRow<'clear-cache'> = {
  kind: 'clear-cache',
  decode: () => ({ kind: 'clear-cache' }),
  encode: ({ status }) => ({ status }),
};

export const getLocalListVersion: RequestRow<'get-list-version'> = {
  kind: 'get-list-version',
  decode: () => ({ kind: 'get-list-version' }),
  encode: ({ version }) => ({ listVersion: version ?? -1 }),
};

export const sendLocalList: RequestRow<'send-list'> = {
  kind: 'send-list',
  decode(payload) {
    const entries = (payload['localAuthorizationList'] as readonly Payload[] | undefined) ?? [];
    return {
      kind: 'send-list',
      version: payload['listVersion'] as number,
      full: payload['updateType'] === 'Full',
      entries: entries.map((entry) => ({
        idTag: entry['idTag'] as string,
        info: entry['idTagInfo'] === undefined ? null : tokenInfo(entry['idTagInfo'] as Payload),
      })),
    };
  },
  encode: ({ status }) => ({ status }),
};

export const reserveNow: RequestRow<'reserve'> = {
  kind: 'reserve',
  decode(payload, talk) {
    const connectorId = payload['connectorId'] as number;
    return {
      kind: 'reserve',
      id: payload['reservationId'] as number,
      place: connectorId === 0 ? 'station' : (outletOf(connectorId, talk) ?? 'unknown'),
      token: { idTag: payload['idTag'] as string, type: 'ISO14443' },
      parentIdTag: (payload['parentIdTag'] as string | undefined) ?? null,
      expiryMs: Date.parse(payload['expiryDate'] as string),
    };
  },
  encode: ({ status }) => ({ status }),
};

export const cancelReservation: RequestRow<'cancel-reservation'> = {
  kind: 'cancel-reservation',
  decode: (payload) => ({ kind: 'cancel-reservation', id: payload['reservationId'] as number }),
  encode: ({ status }) => ({ status }),
};
