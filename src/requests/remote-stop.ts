// The CSMS stops a transaction from afar.

import { step } from '../charger/charger.ts';
import { endSession } from '../charger/charging.ts';
import type { RequestHandler } from './request.ts';

export const remoteStop: RequestHandler<'remote-stop'> = {
  kind: 'remote-stop',
  answer(charger, request, atMs) {
    if (charger.boot.status !== 'Accepted') {
      return { ...step(charger), answer: { status: 'Rejected', reasonCode: 'CSNotAccepted' } };
    }
    const outlet = charger.connectors.findIndex(
      (connector) => connector.session !== null && connector.session.id === request.sessionId,
    );
    if (outlet < 0) return { ...step(charger), answer: { status: 'Rejected', reasonCode: 'TxNotFound' } };
    const end = { trigger: 'RemoteStop', reason: 'Remote', token: null } as const;
    return { ...endSession(charger, outlet, end, atMs), answer: { status: 'Accepted' } };
  },
};
