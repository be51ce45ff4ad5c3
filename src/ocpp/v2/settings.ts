// The settings that charger rules read, with the defaults of the 2.x family.

import type { SettingDefaults } from '../../charger/settings.ts';
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
  'SampledDataCtrlr.TxStartedMeasurands': 'Energy.Active.Import.Register',
  'SampledDataCtrlr.TxUpdatedInterval': 60,
  'SampledDataCtrlr.TxUpdatedMeasurands': 'Energy.Active.Import.Register,Power.Active.Import,SoC',
  'SampledDataCtrlr.TxEndedMeasurands': 'Energy.Active.Import.Register',
  'AuthCtrlr.AuthorizeRemoteStart': true,
  'AuthCtrlr.IdTokenMaxLength': 36,
  'AuthCtrlr.OfflineTxForUnknownIdEnabled': false,
  'AuthCtrlr.LocalPreAuthorize': false,
  'AuthCtrlr.LocalAuthorizeOffline': true,
  'AuthCacheCtrlr.Enabled': true,
  'LocalAuthListCtrlr.Enabled': true,
  'TxCtrlr.EVConnectionTimeOut': 120,
  'TxCtrlr.StopReasons': stopReasons2.join(','),
  'TxCtrlr.StopTxOnUnlock': false,
  'TxCtrlr.StopTxOnEVSideDisconnect': true,
  'TxCtrlr.StopTxOnInvalidId': true,
});
