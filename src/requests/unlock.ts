// The CSMS opens the lock of an outlet.

import { connectorAt, isRefusal, step } from '../charger/charger.ts';
import { unlock as open } from '../charger/stopping.ts';
import type { RequestHandler, UnlockAnswer } from './request.ts';

export const unlock: RequestHandler<'unlock'> = {
  kind: 'unlock',
  answer(charger, { outlet }, atMs) {
    if (outlet === null) return { ...step(charger), answer: { status: 'UnknownConnector' } };
    const outcome = open(charger, outlet, atMs);
    if (isRefusal(outcome)) {
      return { ...step(charger), answer: { status: failures[outcome.refused] ?? 'UnlockFailed' } };
    }
    const isOpen = !connectorAt(outcome.charger, outlet).locked;
    return { ...outcome, answer: { status: isOpen ? 'Unlocked' : 'UnlockFailed' } };
  },
};

const failures: Readonly<Record<string, UnlockAnswer['status']>> = {
  no_lock: 'NoLock',
  transaction_active: 'OngoingAuthorizedTransaction',
};
