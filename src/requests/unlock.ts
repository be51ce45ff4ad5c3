// The CSMS opens the lock of an outlet.

import { isRefusal, step } from '../charger/charger.ts';
import { unlock as open } from '../charger/stopping.ts';
import type { RequestHandler, UnlockAnswer } from './request.ts';

export const unlock: RequestHandler<'unlock'> = {
  kind: 'unlock',
  answer(charger, { outlet }, atMs) {
    if (outlet === null) return { ...step(charger), answer: { status: 'UnknownConnector' } };
    const outcome = open(charger, outlet, atMs);
    if (!isRefusal(outcome)) return { ...outcome, answer: { status: 'Unlocked' } };
    return { ...step(charger), answer: { status: failures[outcome.refused] ?? 'UnlockFailed' } };
  },
};

const failures: Readonly<Record<string, UnlockAnswer['status']>> = {
  no_lock: 'NoLock',
  transaction_active: 'OngoingAuthorizedTransaction',
};
