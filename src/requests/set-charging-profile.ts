// The CSMS limits what may be charged, now or at times to come.

import { reportChanges } from '../charger/changes.ts';
import { step } from '../charger/charger.ts';
import { withProfile } from '../charger/profiles.ts';
import type { RequestHandler } from './request.ts';

export const setChargingProfile: RequestHandler<'set-charging-profile'> = {
  kind: 'set-charging-profile',
  answer(charger, { profile }, atMs) {
    const limited = withProfile(charger, profile);
    if ('refused' in limited) return { ...step(charger), answer: { status: 'Rejected', reasonCode: limited.refused } };
    return { ...reportChanges(limited, atMs), answer: { status: 'Accepted' } };
  },
};
