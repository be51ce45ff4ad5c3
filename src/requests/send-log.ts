// The CSMS wants a log or diagnostics sent to a file server.

import { whenClockShows } from '../charger/clock.ts';
import { beginUpload, uploadOf } from '../charger/uploads.ts';
import type { RequestHandler } from './request.ts';

export const sendLog: RequestHandler<'send-log'> = {
  kind: 'send-log',
  answer(charger, { order }, atMs) {
    const hostMs = (shownMs: number | null) => (shownMs === null ? null : whenClockShows(charger, shownMs));
    const timed = { ...order, sinceMs: hostMs(order.sinceMs), untilMs: hostMs(order.untilMs) };
    const former = uploadOf(charger, order.asked);
    const { upload, ...begun } = beginUpload(charger, timed, atMs);
    return {
      ...begun,
      answer: { status: former === null ? 'Accepted' : 'AcceptedCanceled', fileName: upload.fileName },
    };
  },
};
