// The CSMS restarts the charger.

import { andThen, step } from '../charger/charger.ts';
import { endSessions } from '../charger/charging.ts';
import type { RequestHandler } from './request.ts';

/** How long it is off: a hard reset takes everything down, a soft one the application. */
const offMs = { hard: 5_000, soft: 2_000 };

export const reset: RequestHandler<'reset'> = {
  kind: 'reset',
  answer(charger, { hard, reason }, atMs) {
    const end = { trigger: 'ResetCommand', reason, token: null } as const;
    const ended = endSessions(charger, () => end, atMs);
    const restart = { kind: 'restart', reason: 'RemoteReset', offMs: hard ? offMs.hard : offMs.soft } as const;
    return { ...andThen(ended, (next) => step(next, [restart])), answer: { status: 'Accepted' } };
  },
};
