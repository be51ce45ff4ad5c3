// The CSMS takes a charger or an outlet out of use, or lets it be used again.

import { changeAvailability as change, mustWait } from '../charger/availability.ts';
import { step } from '../charger/charger.ts';
import type { RequestHandler } from './request.ts';

export const changeAvailability: RequestHandler<'change-availability'> = {
  kind: 'change-availability',
  answer(charger, request, atMs) {
    if (!request.station && request.outlets.length === 0) {
      return { ...step(charger), answer: { status: 'Rejected', reasonCode: 'UnknownEvse' } };
    }
    const status = mustWait(charger, request) ? 'Scheduled' : 'Accepted';
    return { ...change(charger, request, atMs), answer: { status } };
  },
};
