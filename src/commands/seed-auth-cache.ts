// The charger is made to know tags as if it had seen them before.

import Type from 'typebox';
import { refuse, step } from '../charger/charger.ts';
import { setting } from '../charger/settings.ts';
import { withCached } from '../charger/tokens.ts';
import { command } from './command.ts';
import { tokenEntry, tokenInfo } from './token-entry.ts';

export const seedAuthCache = command({
  name: 'seed-auth-cache',
  summary: 'Put tags into the authorization cache',
  description: 'As if the CSMS had answered for them before. The oldest go when the cache is full.',
  addresses: 'charger',
  event: Type.Object(
    { entries: Type.Array(Type.Object(tokenEntry, { additionalProperties: false }), { minItems: 1, maxItems: 500 }) },
    { additionalProperties: false },
  ),
  example: { entries: [{ id_tag: 'DEADBEEF', status: 'Accepted' }] },
  apply(charger, event) {
    if (!setting(charger, 'AuthCacheCtrlr.Enabled'))
      return refuse('cache_disabled', 'the authorization cache is disabled');
    const tokenCache = event.entries.reduce(
      (cache, entry) => withCached(cache, entry.id_tag, tokenInfo(entry)),
      charger.tokenCache,
    );
    return step({ ...charger, tokenCache }, [{ kind: 'result', value: { entries: tokenCache.length } }]);
  },
});
