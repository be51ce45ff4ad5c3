// The neutral words between a charger and its CSMS: what it reports and what it is answered. Dialects turn them into OCPP.

import type { FirmwareStatus } from './firmware-update.ts';
import type { Reading } from './meter.ts';
import type { SecurityEvent } from './security.ts';
import type { SessionPlan } from './session.ts';
import type { ConnectorRef } from './station.ts';
import type { UploadKind, UploadStatus } from './uploads.ts';

/** The nine words of OCPP 1.6, used for every version inside the product. */
export type ConnectorStatus =
  | 'Available'
  | 'Preparing'
  | 'Charging'
  | 'SuspendedEV'
  | 'SuspendedEVSE'
  | 'Finishing'
  | 'Reserved'
  | 'Unavailable'
  | 'Faulted';

export type ChargingState = 'Idle' | 'EVConnected' | 'Charging' | 'SuspendedEV' | 'SuspendedEVSE';

/** What the outside can see of a connector. */
export interface Shown {
  readonly status: ConnectorStatus;
  readonly plugged: boolean;
  readonly errorCode: string;
}

export interface Token {
  readonly idTag: string;
  readonly type: string;
}

/** What the CSMS says of a token. */
export interface TokenInfo {
  /** `Accepted`, or why not, in OCPP's words. */
  readonly status: string;
  readonly parentIdTag: string | null;
  readonly expiresAtMs: number | null;
}

export type SampleContext =
  | 'Transaction.Begin'
  | 'Transaction.End'
  | 'Sample.Periodic'
  | 'Sample.Clock'
  | 'Interruption.Begin'
  | 'Interruption.End'
  | 'Trigger'
  | 'Other';

export interface Sample {
  readonly atMs: number;
  readonly context: SampleContext;
  readonly readings: readonly Reading[];
}

export type BootReason =
  | 'PowerUp'
  | 'LocalReset'
  | 'RemoteReset'
  | 'ScheduledReset'
  | 'FirmwareUpdate'
  | 'Triggered'
  | 'Unknown';

export type TransactionTrigger =
  | 'Authorized'
  | 'CablePluggedIn'
  | 'ChargingStateChanged'
  | 'ChargingRateChanged'
  | 'Deauthorized'
  | 'EnergyLimitReached'
  | 'TimeLimitReached'
  | 'LimitSet'
  | 'EVCommunicationLost'
  | 'EVConnectTimeout'
  | 'EVDeparted'
  | 'EVDetected'
  | 'MeterValueClock'
  | 'MeterValuePeriodic'
  | 'RemoteStart'
  | 'RemoteStop'
  | 'StopAuthorized'
  | 'AbnormalCondition'
  | 'UnlockCommand'
  | 'ResetCommand'
  | 'Trigger';

/** Every version's words together; a dialect says `Other` for what it has no word for. */
export const stopReasons = [
  'DeAuthorized',
  'EmergencyStop',
  'EnergyLimitReached',
  'EVDisconnected',
  'GroundFault',
  'HardReset',
  'ImmediateReset',
  'Local',
  'LocalOutOfCredit',
  'MasterPass',
  'Other',
  'OvercurrentFault',
  'PowerLoss',
  'PowerQuality',
  'Reboot',
  'Remote',
  'SOCLimitReached',
  'SoftReset',
  'StoppedByEV',
  'TimeLimitReached',
  'Timeout',
  'UnlockCommand',
] as const;

export type StopReason = (typeof stopReasons)[number];

export interface BootReport {
  readonly kind: 'boot';
  readonly reason: BootReason;
}

export interface HeartbeatReport {
  readonly kind: 'heartbeat';
}

export interface StatusReport {
  readonly kind: 'status';
  /** Null is the station itself. */
  readonly connector: ConnectorRef | null;
  /** What was last shown; null when it must be told whatever it was, as after a boot. */
  readonly from: Shown | null;
  readonly to: Shown;
  readonly atMs: number;
  readonly info: string | null;
  readonly vendorErrorCode: string | null;
}

/** What a token is presented for. */
export type Intent =
  /** To charge at this outlet and nowhere else. */
  | { readonly kind: 'start'; readonly outlet: number; readonly plan: SessionPlan }
  /** To do what a token at the reader does; `outlet` null: wherever it fits. */
  | { readonly kind: 'present'; readonly outlet: number | null; readonly plan: SessionPlan };

export interface AuthorizeReport {
  readonly kind: 'authorize';
  readonly token: Token;
  readonly intent: Intent;
}

/** What a driver allows a transaction at most; null where there is no such limit. */
export interface TransactionLimit {
  readonly energyWh: number | null;
  /** From the start of the transaction. */
  readonly timeS: number | null;
  readonly cost: number | null;
}

/** One word about a transaction. Numbered without gaps per session, kept until delivered. */
export interface TransactionReport {
  readonly kind: 'transaction';
  readonly phase: 'started' | 'updated' | 'ended';
  readonly trigger: TransactionTrigger;
  readonly sessionId: string;
  readonly seqNo: number;
  readonly atMs: number;
  readonly connector: ConnectorRef;
  readonly chargingState: ChargingState;
  /** What the register shows at this moment, in whole Wh. */
  readonly meterWh: number;
  readonly samples: readonly Sample[];
  /** The token that caused this: the starter's at the start, the stopper's at the end. */
  readonly token: Token | null;
  readonly stopReason: StopReason | null;
  readonly remoteStartId: number | null;
  /** The limit that was set, when this tells of one. */
  readonly limit?: TransactionLimit;
  /** The reservation that the start uses up. */
  readonly reservationId?: number;
  /** It happened while there was no line to the CSMS. */
  readonly offline: boolean;
}

/** What a meter shows outside a transaction. */
export interface MeterReport {
  readonly kind: 'meter';
  /** Null is the main meter of the station. */
  readonly connector: ConnectorRef | null;
  readonly atMs: number;
  readonly samples: readonly Sample[];
}

/** A fault appeared or went; versions that carry the code in the status say nothing here. */
export interface FaultReport {
  readonly kind: 'fault';
  readonly connector: ConnectorRef | null;
  readonly eventId: number;
  readonly errorCode: string;
  readonly info: string | null;
  readonly vendorErrorCode: string | null;
  readonly cleared: boolean;
  readonly atMs: number;
}

/** Somebody other than the CSMS limits what a connector may offer; null when it is lifted. */
export interface ChargingLimitReport {
  readonly kind: 'charging-limit';
  readonly connector: ConnectorRef;
  readonly limitW: number | null;
}

/** Words put into the charger's mouth: said as they are. */
export interface RawReport {
  readonly kind: 'raw';
  readonly action: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** False: what is wrong with it goes out all the same. */
  readonly checked: boolean;
}

/** How far a file is that the CSMS wants to have. */
export interface UploadStatusReport {
  readonly kind: 'upload-status';
  readonly asked: UploadKind;
  readonly status: UploadStatus | 'Idle';
  readonly requestId: number | null;
}

/** How far new firmware is. */
export interface FirmwareStatusReport {
  readonly kind: 'firmware-status';
  readonly status: FirmwareStatus | 'Idle';
  readonly requestId: number | null;
  /** Of one that was asked for: in which words, where a version has two sets of them. */
  readonly wording?: 'plain' | 'signed';
}

export interface SecurityEventReport extends SecurityEvent {
  readonly kind: 'security-event';
}

/** The charger asks for a certificate. */
export interface CertificateRequestReport {
  readonly kind: 'certificate-request';
  readonly csr: string;
}

export type Report =
  | BootReport
  | HeartbeatReport
  | StatusReport
  | AuthorizeReport
  | TransactionReport
  | MeterReport
  | FaultReport
  | ChargingLimitReport
  | UploadStatusReport
  | FirmwareStatusReport
  | SecurityEventReport
  | CertificateRequestReport
  | RawReport;

export type Answer =
  | {
      readonly kind: 'boot';
      readonly status: 'Accepted' | 'Pending' | 'Rejected';
      readonly intervalS: number;
      readonly currentTimeMs: number;
    }
  | { readonly kind: 'time'; readonly currentTimeMs: number }
  | { readonly kind: 'authorize'; readonly info: TokenInfo }
  | { readonly kind: 'transaction'; readonly info: TokenInfo }
  | { readonly kind: 'certificate-request'; readonly status: 'Accepted' | 'Rejected' }
  | { readonly kind: 'raw'; readonly response: unknown }
  | { readonly kind: 'noted' }
  /** No usable answer: refused by the CSMS, timed out, or the line was lost. */
  | { readonly kind: 'unanswered'; readonly why: string };

/** Only these are kept until the CSMS has them, over any outage. */
export const isKept = (report: Report): report is TransactionReport | SecurityEventReport =>
  report.kind === 'transaction' || report.kind === 'security-event';
