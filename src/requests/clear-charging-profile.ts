// The CSMS takes limits back.

import { reportChanges } from '../charger/changes.ts';
import { step } from '../charger/charger.ts';
import { withoutProfiles } from '../charger/profiles.ts';
import type { RequestHandler } from './request.ts';

export const clearChargingProfile: RequestHandler<'clear-charging-profile'> = {
  kind: 'clear-charging-profile',
  answer(charger, criteria, atMs) {
    const cleared = withoutProfiles(charger, criteria);
    if (cleared === charger) return { ...step(charger), answer: { status: 'Unknown' } };
    return { ...reportChanges(cleared, atMs), answer: { status: 'Accepted' } };
  },
};
