// The CSMS lets go of a reservation.

import { step } from '../charger/charger.ts';
import { cancelReservation as cancel } from '../charger/reservations.ts';
import type { RequestHandler } from './request.ts';

export const cancelReservation: RequestHandler<'cancel-reservation'> = {
  kind: 'cancel-reservation',
  answer(charger, { id }, atMs) {
    const cancelled = cancel(charger, id, atMs);
    if (cancelled === null) return { ...step(charger), answer: { status: 'Rejected', reasonCode: 'NotFound' } };
    return { ...cancelled, answer: { status: 'Accepted' } };
  },
};
