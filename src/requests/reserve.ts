// The CSMS keeps an outlet, or any outlet, for a token.

import { step } from '../charger/charger.ts';
import { clockMs, whenClockShows } from '../charger/clock.ts';
import { reserve as keep } from '../charger/reservations.ts';
import { setting } from '../charger/settings.ts';
import type { RequestHandler } from './request.ts';

export const reserve: RequestHandler<'reserve'> = {
  kind: 'reserve',
  answer(charger, { id, place, token, parentIdTag, expiryMs }, atMs) {
    const mayReserve =
      setting(charger, 'ReservationCtrlr.Enabled') &&
      (place !== 'station' || setting(charger, 'ReservationCtrlr.NonEvseSpecific'));
    // Written so that a date that cannot be read is refused, too.
    const isAhead = expiryMs > clockMs(charger, atMs);
    if (!mayReserve || place === 'unknown' || !isAhead) return { ...step(charger), answer: { status: 'Rejected' } };
    const reservation = { id, idTag: token.idTag, parentIdTag, untilMs: whenClockShows(charger, expiryMs) };
    const { outcome, ...kept } = keep(charger, place === 'station' ? null : place, reservation, atMs);
    return { ...kept, answer: { status: outcome } };
  },
};
