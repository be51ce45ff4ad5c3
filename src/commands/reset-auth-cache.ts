// The charger forgets the tags that it has seen.

import Type from 'typebox';
import { refuse, step } from '../charger/charger.ts';
import { setting } from '../charger/settings.ts';
import { emptyCache } from '../charger/tokens.ts';
import { command } from './command.ts';

export const resetAuthCache = command({
  name: 'reset-auth-cache',
  summary: 'Reset the authorization cache',
  description:
    'Forgets every tag in the cache; the local list stays. Fails as `cache_disabled` when the charger keeps none.',
  addresses: 'charger',
  event: Type.Object({}, { additionalProperties: false }),
  example: {},
  apply(charger) {
    if (!setting(charger, 'AuthCacheCtrlr.Enabled'))
      return refuse('cache_disabled', 'the authorization cache is disabled');
    const deleted = charger.tokenCache.length;
    return step({ ...charger, tokenCache: emptyCache }, [{ kind: 'result', value: { entries_deleted: deleted } }]);
  },
});
