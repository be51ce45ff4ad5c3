// The CSMS sets a configuration key.

import { type Charger, step } from '../charger/charger.ts';
import { configured } from '../charger/configuring.ts';
import { changeCredential, isCredential, refusesCredential } from '../charger/credentials.ts';
import { parseSetting } from '../charger/setting-rule.ts';
import type { SettingValue } from '../charger/settings.ts';
import type { Answered, RequestHandler, Requests } from './request.ts';

export const setSetting: RequestHandler<'set-setting'> = {
  kind: 'set-setting',
  answer(charger, request, atMs) {
    const value = settled(charger, request);
    if (typeof value === 'object') return { ...step(charger), answer: value };
    const { name } = request.setting;
    if (isCredential(name)) return setCredential(charger, name, value, atMs);
    const changed = configured(charger, name, value, atMs);
    return { ...step(changed), answer: { status: 'Accepted' } };
  },
};

function setCredential(charger: Charger, name: string, value: SettingValue, atMs: number): Answered<'set-setting'> {
  if (refusesCredential(charger, name, value) !== null) {
    return { ...step(charger), answer: { status: 'Rejected', reasonCode: 'InvalidValue' } };
  }
  return { ...changeCredential(charger, name, value, atMs), answer: { status: 'Accepted' } };
}

function settled(charger: Charger, { setting, value }: Requests['set-setting']) {
  const { name, default: known, rule } = setting;
  if (known === null && !Object.hasOwn(charger.overrides, name)) return { status: 'NotSupported' } as const;
  if (rule?.access === 'read-only') return { status: 'Rejected', reasonCode: 'ReadOnly' } as const;
  return parseSetting(charger, setting, value) ?? ({ status: 'Rejected', reasonCode: 'InvalidValue' } as const);
}
