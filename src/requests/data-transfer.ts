// A vendor's own message. This charger knows its maker, and no message of anybody.

import { step } from '../charger/charger.ts';
import type { RequestHandler } from './request.ts';

export const dataTransfer: RequestHandler<'data-transfer'> = {
  kind: 'data-transfer',
  answer(charger, { vendorId }) {
    const isKnown = vendorId.toLowerCase() === charger.station.vendorName.toLowerCase();
    return { ...step(charger), answer: { status: isKnown ? 'UnknownMessageId' : 'UnknownVendorId' } };
  },
};
