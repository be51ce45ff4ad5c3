// How OCPP 1.6 asks, and is answered.

import type { RequestAnswer } from '../../requests/request.ts';
import type { AnyRequestRow, RequestRow } from '../dialect.ts';

const remoteStart: RequestRow<'remote-start'> = {
  kind: 'remote-start',
  decode(payload, { station }) {
    const connectorId = payload['connectorId'] as number | undefined;
    return {
      kind: 'remote-start',
      token: { idTag: payload['idTag'] as string, type: 'ISO14443' },
      remoteStartId: null,
      outlets:
        connectorId === undefined ? null : station.connectors[connectorId - 1] === undefined ? [] : [connectorId - 1],
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
};

function status(answer: RequestAnswer<'remote-start' | 'remote-stop'>) {
  return { status: answer.status };
}
