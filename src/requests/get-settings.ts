// The CSMS reads configuration keys.

import { step } from '../charger/charger.ts';
import { settingNow } from '../charger/setting-rule.ts';
import { setting } from '../charger/settings.ts';
import type { RequestHandler, SettingShown } from './request.ts';

export const getSettings: RequestHandler<'get-settings'> = {
  kind: 'get-settings',
  answer(charger, { wanted, ownPrefix }) {
    const most = setting(charger, 'DeviceDataCtrlr.ItemsPerMessage');
    // Asked for everything, it gives everything.
    if (ownPrefix === null && wanted.length > most) {
      return { misfit: 'badOccurrence', sentence: `at most ${most} keys can be asked for at once` };
    }
    const found: SettingShown[] = [];
    const unknown: string[] = [];
    for (const named of wanted) {
      const { key, rule } = named;
      const value = settingNow(charger, named);
      if (value === undefined) unknown.push(key);
      else {
        const isSecret = rule?.access === 'write-only';
        found.push({ key, readOnly: rule?.access === 'read-only', ...(isSecret ? {} : { value: String(value) }) });
      }
    }
    if (ownPrefix !== null) {
      for (const [name, value] of Object.entries(charger.overrides)) {
        if (name.startsWith(ownPrefix)) {
          found.push({ key: name.slice(ownPrefix.length), readOnly: false, value: String(value) });
        }
      }
    }
    return { ...step(charger), answer: { found, unknown } };
  },
};
