// How the 2.x family asks, and is answered.

import type { RequestAnswer } from '../../requests/request.ts';
import type { AnyRequestRow, RequestRow } from '../dialect.ts';
import type { Payload } from '../frame.ts';
import { serviceRequests2 } from './service-requests.ts';
import { stationRequests2 } from './station-requests.ts';

const remoteStart: RequestRow<'remote-start'> = {
  kind: 'remote-start',
  decode(payload, { station }) {
    const evseId = payload['evseId'] as number | undefined;
    const token = payload['idToken'] as Payload;
    return {
      kind: 'remote-start',
      token: { idTag: token['idToken'] as string, type: token['type'] as string },
      remoteStartId: payload['remoteStartId'] as number,
      outlets:
        evseId === undefined
          ? null
          : station.connectors.flatMap((spec, outlet) => (spec.evseId === evseId ? [outlet] : [])),
    };
  },
  encode: status,
};

const remoteStop: RequestRow<'remote-stop'> = {
  kind: 'remote-stop',
  decode: (payload) => ({ kind: 'remote-stop', sessionId: payload['transactionId'] as string }),
  encode: status,
};

const dataTransfer: RequestRow<'data-transfer'> = {
  kind: 'data-transfer',
  decode: (payload) => ({ kind: 'data-transfer', vendorId: payload['vendorId'] as string }),
  encode: ({ status: said }) => ({ status: said }),
};

export const requests2: Readonly<Record<string, AnyRequestRow>> = {
  RequestStartTransaction: remoteStart,
  RequestStopTransaction: remoteStop,
  DataTransfer: dataTransfer,
  ...stationRequests2,
  ...serviceRequests2,
};

function status(answer: RequestAnswer<'remote-start' | 'remote-stop'>): Payload {
  const { status: said, reasonCode } = answer;
  return reasonCode === undefined ? { status: said } : { status: said, statusInfo: { reasonCode } };
}
