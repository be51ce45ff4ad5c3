// What a charger can be configured to do: settings keyed `Component.Variable`, shared defaults, few overrides.

export type SettingValue = number | boolean | string;

/** The settings that charger rules read. A dialect may add its own names; these must be in every dialect's defaults. */
export interface KnownSettings {
  'OCPPCommCtrlr.HeartbeatInterval': number;
  'OCPPCommCtrlr.MessageTimeout': number;
  'OCPPCommCtrlr.MessageAttempts': number;
  'OCPPCommCtrlr.MessageAttemptInterval': number;
  'OCPPCommCtrlr.RetryBackOffWaitMinimum': number;
  'OCPPCommCtrlr.RetryBackOffRandomRange': number;
  'OCPPCommCtrlr.RetryBackOffRepeatTimes': number;
  'OCPPCommCtrlr.WebSocketPingInterval': number;
  'OCPPCommCtrlr.ResetRetries': number;
  'OCPPCommCtrlr.UnlockOnEVSideDisconnect': boolean;
  /** Seconds that a status must last before it is told. */
  'ChargingStation.MinimumStatusDuration': number;
  /** What the charger can do beyond the core of its version, comma separated; for versions that have such features. */
  'ChargingStation.FeatureProfiles': string;
  'DeviceDataCtrlr.ItemsPerMessage': number;
  'AlignedDataCtrlr.Interval': number;
  'AlignedDataCtrlr.Measurands': string;
  'AlignedDataCtrlr.TxEndedMeasurands': string;
  'SampledDataCtrlr.TxStartedMeasurands': string;
  'SampledDataCtrlr.TxUpdatedInterval': number;
  'SampledDataCtrlr.TxUpdatedMeasurands': string;
  'SampledDataCtrlr.TxEndedMeasurands': string;
  /** Seconds between samples for the end alone. 0: only those of the start and the end. -1, fixed: along with the updates. */
  'SampledDataCtrlr.TxEndedInterval': number;
  'AuthCtrlr.AuthorizeRemoteStart': boolean;
  /** How long an id tag may be on the wire; fixed by the version spoken. */
  'AuthCtrlr.IdTokenMaxLength': number;
  /** The kinds of tokens that the version has words for, comma separated; empty: any. Fixed. */
  'AuthCtrlr.IdTokenTypes': string;
  /** Kinds that may charge without being asked about. Fixed. */
  'AuthCtrlr.TrustedTokenTypes': string;
  'AuthCtrlr.OfflineTxForUnknownIdEnabled': boolean;
  'AuthCtrlr.LocalPreAuthorize': boolean;
  'AuthCtrlr.LocalAuthorizeOffline': boolean;
  'AuthCacheCtrlr.Enabled': boolean;
  'LocalAuthListCtrlr.Enabled': boolean;
  /** How many entries the list holds at most, and how many one update brings. */
  'LocalAuthListCtrlr.Entries': number;
  'LocalAuthListCtrlr.ItemsPerMessage': number;
  'ReservationCtrlr.Enabled': boolean;
  /** Whether the station as a whole can be reserved. */
  'ReservationCtrlr.NonEvseSpecific': boolean;
  'SmartChargingCtrlr.ProfileStackLevel': number;
  'SmartChargingCtrlr.RateUnit': string;
  'SmartChargingCtrlr.PeriodsPerSchedule': number;
  /** How many profiles it holds at most. */
  'SmartChargingCtrlr.Entries': number;
  'SmartChargingCtrlr.Phases3to1': boolean;
  /** In percent of the rate: how much it must change to be told. */
  'SmartChargingCtrlr.LimitChangeSignificance': number;
  /** Whether a new authority of the CSMS must be signed by the one before. */
  'SecurityCtrlr.AdditionalRootCertificateCheck': boolean;
  'SecurityCtrlr.MaxCertificateChainSize': number;
  'SecurityCtrlr.CertificateEntries': number;
  'SecurityCtrlr.CertSigningWaitMinimum': number;
  'SecurityCtrlr.CertSigningRepeatTimes': number;
  /** What keys it makes: `EC` or `RSA`. */
  'SecurityCtrlr.KeyAlgorithm': string;
  /** Whether a password of hexadecimal digits stands for the bytes that they say; fixed by the version spoken. */
  'SecurityCtrlr.PasswordIsHex': boolean;
  'TxCtrlr.EVConnectionTimeOut': number;
  /** Whether the CSMS can be told of a limit that the driver sets; fixed by the version spoken. */
  'TxCtrlr.LimitReports': boolean;
  /** The reasons for an end that this version has words for, comma separated; fixed. */
  'TxCtrlr.StopReasons': string;
  /** Whether unlocking ends a transaction, or is refused while one runs; fixed by the version spoken. */
  'TxCtrlr.StopTxOnUnlock': boolean;
  'TxCtrlr.StopTxOnEVSideDisconnect': boolean;
  'TxCtrlr.StopTxOnInvalidId': boolean;
  /** Wh that still flow after the CSMS has withdrawn its permission, where the transaction goes on. */
  'TxCtrlr.MaxEnergyOnInvalidId': number;
}

export type SettingName = keyof KnownSettings;
export type SettingDefaults = Readonly<KnownSettings> & Readonly<Record<string, SettingValue>>;

/** Only what differs from the defaults: an unconfigured charger carries one shared empty object. */
export type SettingOverrides = Readonly<Record<string, SettingValue>>;

export const noOverrides: SettingOverrides = Object.freeze({});

export interface Configured {
  readonly defaults: SettingDefaults;
  readonly overrides: SettingOverrides;
}

export function setting<Name extends SettingName>(configured: Configured, name: Name): KnownSettings[Name] {
  return (configured.overrides[name] ?? configured.defaults[name]) as KnownSettings[Name];
}

/** Splits a comma separated value; the few distinct lists of a fleet are split once and shared. */
export function listSetting(value: string): readonly string[] {
  let items = splitLists.get(value);
  if (items === undefined) {
    items = Object.freeze(
      value
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    );
    if (splitLists.size >= maxSplitLists) splitLists.clear();
    splitLists.set(value, items);
  }
  return items;
}

const maxSplitLists = 1_000;
const splitLists = new Map<string, readonly string[]>();

/** How a setting is named: a key in 1.6, component and variable in 2.x. */
export interface SettingWords {
  readonly key?: string | null;
  readonly component?: string | null;
  readonly variable?: string | null;
  readonly instance?: string | null;
  readonly evse_id?: number | null;
}
