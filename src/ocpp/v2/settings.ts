// The settings that charger rules read, with the defaults of the 2.x family.

import { measurandWord } from '../../charger/measurands.ts';
import type { NamedSetting } from '../../charger/setting-rule.ts';
import type { SettingDefaults, SettingWords } from '../../charger/settings.ts';
import { stopReasons2 } from './stop-reasons.ts';

export const defaults2: SettingDefaults = Object.freeze({
  'OCPPCommCtrlr.HeartbeatInterval': 300,
  'OCPPCommCtrlr.MessageTimeout': 30,
  'OCPPCommCtrlr.MessageAttempts': 5,
  'OCPPCommCtrlr.MessageAttemptInterval': 10,
  'OCPPCommCtrlr.RetryBackOffWaitMinimum': 10,
  'OCPPCommCtrlr.RetryBackOffRandomRange': 10,
  'OCPPCommCtrlr.RetryBackOffRepeatTimes': 5,
  'OCPPCommCtrlr.WebSocketPingInterval': 30,
  'OCPPCommCtrlr.ResetRetries': 1,
  'OCPPCommCtrlr.UnlockOnEVSideDisconnect': true,
  'ChargingStation.MinimumStatusDuration': 0,
  'ChargingStation.FeatureProfiles': '',
  'DeviceDataCtrlr.ItemsPerMessage': 100,
  'AlignedDataCtrlr.Interval': 0,
  'AlignedDataCtrlr.Measurands': 'Energy.Active.Import.Register',
  'AlignedDataCtrlr.TxEndedMeasurands': '',
  'SampledDataCtrlr.TxStartedMeasurands': 'Energy.Active.Import.Register',
  'SampledDataCtrlr.TxUpdatedInterval': 60,
  'SampledDataCtrlr.TxUpdatedMeasurands': 'Energy.Active.Import.Register,Power.Active.Import,SoC',
  'SampledDataCtrlr.TxEndedMeasurands': 'Energy.Active.Import.Register',
  'SampledDataCtrlr.TxEndedInterval': 0,
  'AuthCtrlr.AuthorizeRemoteStart': true,
  'AuthCtrlr.IdTokenMaxLength': 36,
  'AuthCtrlr.IdTokenTypes': 'Central,eMAID,ISO14443,ISO15693,KeyCode,Local,MacAddress,NoAuthorization',
  'AuthCtrlr.TrustedTokenTypes': 'Central,NoAuthorization',
  'AuthCtrlr.OfflineTxForUnknownIdEnabled': false,
  'AuthCtrlr.LocalPreAuthorize': false,
  'AuthCtrlr.LocalAuthorizeOffline': true,
  'AuthCacheCtrlr.Enabled': true,
  'LocalAuthListCtrlr.Enabled': true,
  'LocalAuthListCtrlr.Entries': 10_000,
  'LocalAuthListCtrlr.ItemsPerMessage': 500,
  'ReservationCtrlr.Enabled': true,
  'ReservationCtrlr.NonEvseSpecific': true,
  'SmartChargingCtrlr.ProfileStackLevel': 10,
  'SmartChargingCtrlr.RateUnit': 'A,W',
  'SmartChargingCtrlr.PeriodsPerSchedule': 200,
  'SmartChargingCtrlr.Entries': 20,
  'SmartChargingCtrlr.Phases3to1': false,
  'SmartChargingCtrlr.LimitChangeSignificance': 5,
  'SecurityCtrlr.AdditionalRootCertificateCheck': false,
  'SecurityCtrlr.MaxCertificateChainSize': 10_000,
  'SecurityCtrlr.CertificateEntries': 20,
  'SecurityCtrlr.CertSigningWaitMinimum': 60,
  'SecurityCtrlr.CertSigningRepeatTimes': 3,
  'SecurityCtrlr.KeyAlgorithm': 'EC',
  'SecurityCtrlr.PasswordIsHex': false,
  'TxCtrlr.EVConnectionTimeOut': 120,
  'TxCtrlr.LimitReports': false,
  'TxCtrlr.StopReasons': stopReasons2.join(','),
  'TxCtrlr.StopTxOnUnlock': false,
  'TxCtrlr.StopTxOnEVSideDisconnect': true,
  'TxCtrlr.StopTxOnInvalidId': true,
  'TxCtrlr.MaxEnergyOnInvalidId': 0,
});

/** Fixed by the version; no variable of a device model. */
const fixed: ReadonlySet<string> = new Set([
  'ChargingStation.MinimumStatusDuration',
  'ChargingStation.FeatureProfiles',
  'AuthCtrlr.IdTokenMaxLength',
  'AuthCtrlr.IdTokenTypes',
  'AuthCtrlr.TrustedTokenTypes',
  'SecurityCtrlr.PasswordIsHex',
  'TxCtrlr.LimitReports',
  'TxCtrlr.StopReasons',
  'TxCtrlr.StopTxOnUnlock',
]);
const measurandList = { words: measurandWord };
const byName = new Map(
  Object.entries(defaults2)
    .filter(([name]) => !fixed.has(name))
    .map(([name, value]): [string, NamedSetting] => [
      name.toLowerCase(),
      name.endsWith('Measurands') ? { name, default: value, rule: measurandList } : { name, default: value },
    ]),
);

/** Names are the same in upper and lower case. An instance or an EVSE makes another setting of it. */
export function settingNamed2({
  key,
  component,
  variable,
  instance,
  evse_id,
}: SettingWords): NamedSetting | { problem: string } {
  if (key != null || component == null || variable == null) {
    return { problem: 'a setting of an OCPP 2.x charger is named by `component` and `variable`' };
  }
  const name = `${component}.${variable}`;
  const known = evse_id == null ? byName.get(name.toLowerCase()) : undefined;
  if (known !== undefined) return known;
  const place = `${instance == null ? '' : `[${instance}]`}${evse_id == null ? '' : `@${evse_id}`}`;
  return { name: `Custom.${name}${place}`, default: null };
}
