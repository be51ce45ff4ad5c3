// A vendor's own message. This charger knows no vendor's messages.

import { step } from '../charger/charger.ts';
import type { RequestHandler } from './request.ts';

export const dataTransfer: RequestHandler<'data-transfer'> = {
  kind: 'data-transfer',
  answer: (charger) => ({ ...step(charger), answer: { status: 'UnknownVendorId' } }),
};
