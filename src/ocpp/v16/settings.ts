// The configuration keys of OCPP 1.6: each is another name for a setting of the charger, with 1.6's default.

import type { NamedSetting } from '../../charger/setting-rule.ts';
import type { SettingDefaults, SettingWords } from '../../charger/settings.ts';
import { type Key16, keys16 } from './keys.ts';
import { stopReasons16 } from './stop-reasons.ts';

const byKey = new Map(keys16.map((row) => [row.key.toLowerCase(), row]));

/** Keys are the same in upper and lower case. One that 1.6 does not know is a setting of one's own. */
export function keyNamed16(key: string): Key16 {
  return byKey.get(key.toLowerCase()) ?? { key, name: `${ownPrefix}${key}`, default: null };
}

export function settingNamed16({ key, component, variable }: SettingWords): NamedSetting | { problem: string } {
  if (key == null || component != null || variable != null) {
    return { problem: 'a setting of an OCPP 1.6 charger is named by `key`' };
  }
  return keyNamed16(key);
}

export const ownPrefix = 'Custom.';

/** What 1.6 has no key for: the same rules apply, with fixed values. */
const keyless = {
  'AuthCtrlr.IdTokenMaxLength': 20,
  'AuthCtrlr.IdTokenTypes': '',
  'AuthCtrlr.TrustedTokenTypes': '',
  'SmartChargingCtrlr.LimitChangeSignificance': 5,
  'TxCtrlr.LimitReports': false,
  'TxCtrlr.StopReasons': stopReasons16.join(','),
  'TxCtrlr.StopTxOnUnlock': true,
  'OCPPCommCtrlr.MessageTimeout': 30,
  'OCPPCommCtrlr.RetryBackOffWaitMinimum': 10,
  'OCPPCommCtrlr.RetryBackOffRandomRange': 10,
  'OCPPCommCtrlr.RetryBackOffRepeatTimes': 5,
  'SampledDataCtrlr.TxStartedMeasurands': '',
  'SampledDataCtrlr.TxEndedInterval': -1,
  'SecurityCtrlr.CertSigningWaitMinimum': 60,
  'SecurityCtrlr.CertSigningRepeatTimes': 3,
} satisfies Partial<SettingDefaults>;

export const defaults16: SettingDefaults = Object.freeze({
  ...keyless,
  ...Object.fromEntries(keys16.map((row) => [row.name, row.default])),
}) as SettingDefaults;
