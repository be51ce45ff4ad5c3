// The configuration keys of OCPP 1.6: each is another name for a setting of the charger, with 1.6's default.

import type { NamedSetting, SettingDefaults, SettingName, SettingValue, SettingWords } from '../../charger/settings.ts';
import { stopReasons16 } from './stop-reasons.ts';

export interface Key16 {
  readonly key: string;
  readonly setting: SettingName | (string & {});
  readonly default: SettingValue;
}

export const keys16: readonly Key16[] = [
  { key: 'AllowOfflineTxForUnknownId', setting: 'AuthCtrlr.OfflineTxForUnknownIdEnabled', default: false },
  { key: 'AuthorizationCacheEnabled', setting: 'AuthCacheCtrlr.Enabled', default: true },
  { key: 'AuthorizeRemoteTxRequests', setting: 'AuthCtrlr.AuthorizeRemoteStart', default: false },
  { key: 'ConnectionTimeOut', setting: 'TxCtrlr.EVConnectionTimeOut', default: 60 },
  { key: 'HeartbeatInterval', setting: 'OCPPCommCtrlr.HeartbeatInterval', default: 300 },
  { key: 'LocalAuthListEnabled', setting: 'LocalAuthListCtrlr.Enabled', default: true },
  { key: 'LocalAuthorizeOffline', setting: 'AuthCtrlr.LocalAuthorizeOffline', default: true },
  { key: 'LocalPreAuthorize', setting: 'AuthCtrlr.LocalPreAuthorize', default: false },
  { key: 'MeterValueSampleInterval', setting: 'SampledDataCtrlr.TxUpdatedInterval', default: 60 },
  {
    key: 'MeterValuesSampledData',
    setting: 'SampledDataCtrlr.TxUpdatedMeasurands',
    default: 'Energy.Active.Import.Register,Power.Active.Import,Current.Import,Voltage,SoC',
  },
  { key: 'StopTransactionOnEVSideDisconnect', setting: 'TxCtrlr.StopTxOnEVSideDisconnect', default: true },
  { key: 'StopTransactionOnInvalidId', setting: 'TxCtrlr.StopTxOnInvalidId', default: true },
  { key: 'StopTxnSampledData', setting: 'SampledDataCtrlr.TxEndedMeasurands', default: '' },
  { key: 'TransactionMessageAttempts', setting: 'OCPPCommCtrlr.MessageAttempts', default: 3 },
  { key: 'TransactionMessageRetryInterval', setting: 'OCPPCommCtrlr.MessageAttemptInterval', default: 60 },
  { key: 'WebSocketPingInterval', setting: 'OCPPCommCtrlr.WebSocketPingInterval', default: 60 },
];

const byKey = new Map(keys16.map((row) => [row.key.toLowerCase(), row]));

/** Keys are the same in upper and lower case. */
export function settingNamed16({ key, component, variable }: SettingWords): NamedSetting | { problem: string } {
  if (key == null || component != null || variable != null) {
    return { problem: 'a setting of an OCPP 1.6 charger is named by `key`' };
  }
  const row = byKey.get(key.toLowerCase());
  return row === undefined ? { name: `Custom.${key}`, default: null } : { name: row.setting, default: row.default };
}

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
} satisfies Partial<SettingDefaults>;

export const defaults16: SettingDefaults = Object.freeze({
  ...keyless,
  ...Object.fromEntries(keys16.map((row) => [row.setting, row.default])),
}) as SettingDefaults;
