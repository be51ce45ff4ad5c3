// The configuration keys of OCPP 1.6, one by one: the setting that each names, its default, what it may be.

import { measurandWord16 as measurand } from '../../charger/measurands.ts';
import type { NamedSetting, SettingRule } from '../../charger/setting-rule.ts';
import type { Station } from '../../charger/station.ts';

export interface Key16 extends NamedSetting {
  readonly key: string;
}

const readOnly: SettingRule = { access: 'read-only' };
const rotation = /^\d+\.(?:NotApplicable|Unknown|RST|RTS|SRT|STR|TRS|TSR)$/;

/** Of the station and of each connector; direct current has no phases. */
const rotations = ({ connectors }: Station): string =>
  [
    '0.RST',
    ...connectors.map(({ current }, outlet) => `${outlet + 1}.${current === 'DC' ? 'NotApplicable' : 'RST'}`),
  ].join(',');

export const keys16: readonly Key16[] = [
  { key: 'AllowOfflineTxForUnknownId', name: 'AuthCtrlr.OfflineTxForUnknownIdEnabled', default: false },
  { key: 'AuthorizationCacheEnabled', name: 'AuthCacheCtrlr.Enabled', default: true },
  { key: 'AuthorizeRemoteTxRequests', name: 'AuthCtrlr.AuthorizeRemoteStart', default: false },
  { key: 'BlinkRepeat', name: 'ChargingStation.BlinkRepeat', default: 3 },
  { key: 'ClockAlignedDataInterval', name: 'AlignedDataCtrlr.Interval', default: 0, rule: { atMost: 86_400 } },
  { key: 'ConnectionTimeOut', name: 'TxCtrlr.EVConnectionTimeOut', default: 60 },
  {
    key: 'ConnectorPhaseRotation',
    name: 'ChargingStation.PhaseRotation',
    default: '0.RST,1.RST',
    rule: { words: rotation, longest: 'ChargingStation.PhaseRotationLength', usual: rotations },
  },
  { key: 'ConnectorPhaseRotationMaxLength', name: 'ChargingStation.PhaseRotationLength', default: 10, rule: readOnly },
  { key: 'GetConfigurationMaxKeys', name: 'DeviceDataCtrlr.ItemsPerMessage', default: 100, rule: readOnly },
  { key: 'HeartbeatInterval', name: 'OCPPCommCtrlr.HeartbeatInterval', default: 300 },
  { key: 'LightIntensity', name: 'ChargingStation.LightIntensity', default: 100, rule: { atMost: 100 } },
  { key: 'LocalAuthorizeOffline', name: 'AuthCtrlr.LocalAuthorizeOffline', default: true },
  { key: 'LocalPreAuthorize', name: 'AuthCtrlr.LocalPreAuthorize', default: false },
  { key: 'MaxEnergyOnInvalidId', name: 'TxCtrlr.MaxEnergyOnInvalidId', default: 0 },
  {
    key: 'MeterValuesAlignedData',
    name: 'AlignedDataCtrlr.Measurands',
    default: 'Energy.Active.Import.Register',
    rule: { words: measurand, longest: 'AlignedDataCtrlr.MeasurandsLength' },
  },
  { key: 'MeterValuesAlignedDataMaxLength', name: 'AlignedDataCtrlr.MeasurandsLength', default: 20, rule: readOnly },
  {
    key: 'MeterValuesSampledData',
    name: 'SampledDataCtrlr.TxUpdatedMeasurands',
    default: 'Energy.Active.Import.Register,Power.Active.Import,Current.Import,Voltage,SoC',
    rule: { words: measurand, longest: 'SampledDataCtrlr.TxUpdatedMeasurandsLength' },
  },
  {
    key: 'MeterValuesSampledDataMaxLength',
    name: 'SampledDataCtrlr.TxUpdatedMeasurandsLength',
    default: 20,
    rule: readOnly,
  },
  { key: 'MeterValueSampleInterval', name: 'SampledDataCtrlr.TxUpdatedInterval', default: 60 },
  { key: 'MinimumStatusDuration', name: 'ChargingStation.MinimumStatusDuration', default: 0 },
  {
    key: 'NumberOfConnectors',
    name: 'ChargingStation.NumberOfConnectors',
    default: 1,
    rule: { access: 'read-only', built: ({ connectors }) => connectors.length },
  },
  { key: 'ResetRetries', name: 'OCPPCommCtrlr.ResetRetries', default: 1 },
  { key: 'StopTransactionOnEVSideDisconnect', name: 'TxCtrlr.StopTxOnEVSideDisconnect', default: true },
  { key: 'StopTransactionOnInvalidId', name: 'TxCtrlr.StopTxOnInvalidId', default: true },
  {
    key: 'StopTxnAlignedData',
    name: 'AlignedDataCtrlr.TxEndedMeasurands',
    default: '',
    rule: { words: measurand, longest: 'AlignedDataCtrlr.TxEndedMeasurandsLength' },
  },
  { key: 'StopTxnAlignedDataMaxLength', name: 'AlignedDataCtrlr.TxEndedMeasurandsLength', default: 20, rule: readOnly },
  {
    key: 'StopTxnSampledData',
    name: 'SampledDataCtrlr.TxEndedMeasurands',
    default: '',
    rule: { words: measurand, longest: 'SampledDataCtrlr.TxEndedMeasurandsLength' },
  },
  { key: 'StopTxnSampledDataMaxLength', name: 'SampledDataCtrlr.TxEndedMeasurandsLength', default: 20, rule: readOnly },
  {
    key: 'SupportedFeatureProfiles',
    name: 'ChargingStation.FeatureProfiles',
    default: 'Core,FirmwareManagement,LocalAuthListManagement,Reservation,SmartCharging,RemoteTrigger',
    rule: readOnly,
  },
  {
    key: 'SupportedFeatureProfilesMaxLength',
    name: 'ChargingStation.FeatureProfilesLength',
    default: 6,
    rule: readOnly,
  },
  { key: 'TransactionMessageAttempts', name: 'OCPPCommCtrlr.MessageAttempts', default: 3 },
  { key: 'TransactionMessageRetryInterval', name: 'OCPPCommCtrlr.MessageAttemptInterval', default: 60 },
  { key: 'UnlockConnectorOnEVSideDisconnect', name: 'OCPPCommCtrlr.UnlockOnEVSideDisconnect', default: true },
  { key: 'WebSocketPingInterval', name: 'OCPPCommCtrlr.WebSocketPingInterval', default: 60 },
  { key: 'LocalAuthListEnabled', name: 'LocalAuthListCtrlr.Enabled', default: true },
  { key: 'LocalAuthListMaxLength', name: 'LocalAuthListCtrlr.Entries', default: 10_000, rule: readOnly },
  { key: 'SendLocalListMaxLength', name: 'LocalAuthListCtrlr.ItemsPerMessage', default: 500, rule: readOnly },
  { key: 'ReservationEnabled', name: 'ReservationCtrlr.Enabled', default: true },
  { key: 'ReserveConnectorZeroSupported', name: 'ReservationCtrlr.NonEvseSpecific', default: true, rule: readOnly },
  { key: 'ChargeProfileMaxStackLevel', name: 'SmartChargingCtrlr.ProfileStackLevel', default: 10, rule: readOnly },
  {
    key: 'ChargingScheduleAllowedChargingRateUnit',
    name: 'SmartChargingCtrlr.RateUnit',
    default: 'Current,Power',
    rule: readOnly,
  },
  { key: 'ChargingScheduleMaxPeriods', name: 'SmartChargingCtrlr.PeriodsPerSchedule', default: 200, rule: readOnly },
  { key: 'ConnectorSwitch3to1PhaseSupported', name: 'SmartChargingCtrlr.Phases3to1', default: false, rule: readOnly },
  { key: 'MaxChargingProfilesInstalled', name: 'SmartChargingCtrlr.Entries', default: 20, rule: readOnly },
  {
    key: 'SupportedFileTransferProtocols',
    name: 'ChargingStation.FileTransferProtocols',
    default: 'FTP,HTTP,HTTPS',
    rule: readOnly,
  },
  {
    key: 'AuthorizationKey',
    name: 'SecurityCtrlr.BasicAuthPassword',
    default: '',
    rule: { access: 'write-only', text: /^.{16,40}$/ },
  },
  { key: 'SecurityProfile', name: 'SecurityCtrlr.SecurityProfile', default: 0, rule: { atMost: 3 } },
  { key: 'CpoName', name: 'SecurityCtrlr.OrganizationName', default: '' },
  {
    key: 'AdditionalRootCertificateCheck',
    name: 'SecurityCtrlr.AdditionalRootCertificateCheck',
    default: false,
    rule: readOnly,
  },
  {
    key: 'CertificateSignedMaxChainSize',
    name: 'SecurityCtrlr.MaxCertificateChainSize',
    default: 10_000,
    rule: readOnly,
  },
  // Two of our own: the standard says hexadecimal digits, many CSMSs mean the text; and nothing says which keys to make.
  { key: 'AuthorizationKeyIsHex', name: 'SecurityCtrlr.PasswordIsHex', default: true },
  {
    key: 'CertificateKeyAlgorithm',
    name: 'SecurityCtrlr.KeyAlgorithm',
    default: 'EC',
    rule: { text: /^(?:EC|RSA)$/ },
  },
  { key: 'CertificateStoreMaxLength', name: 'SecurityCtrlr.CertificateEntries', default: 20, rule: readOnly },
];
