// The CSMS makes the charger forget the tokens that it has seen.

import { step } from '../charger/charger.ts';
import { setting } from '../charger/settings.ts';
import { emptyCache } from '../charger/tokens.ts';
import type { RequestHandler } from './request.ts';

export const clearCache: RequestHandler<'clear-cache'> = {
  kind: 'clear-cache',
  answer(charger) {
    if (!setting(charger, 'AuthCacheCtrlr.Enabled')) {
      return { ...step(charger), answer: { status: 'Rejected', reasonCode: 'NotEnabled' } };
    }
    return { ...step({ ...charger, tokenCache: emptyCache }), answer: { status: 'Accepted' } };
  },
};
