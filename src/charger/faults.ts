// What can break: the error codes, which of them stop a connector, and how a transaction ends because of one.

import type { StopReason } from './report.ts';

export interface Fault {
  readonly errorCode: string;
  readonly blocking: boolean;
  readonly info: string | null;
  readonly vendorErrorCode: string | null;
  /** Null: until cleared. */
  readonly untilMs: number | null;
}

interface FaultKind {
  readonly blocking: boolean;
  readonly stopReason: StopReason;
}

/** The codes of OCPP 1.6 and the emergency stop, for every version. */
export const faultKinds: Readonly<Record<string, FaultKind>> = {
  ConnectorLockFailure: { blocking: true, stopReason: 'Other' },
  EVCommunicationError: { blocking: false, stopReason: 'Other' },
  EmergencyStop: { blocking: true, stopReason: 'EmergencyStop' },
  GroundFailure: { blocking: true, stopReason: 'GroundFault' },
  HighTemperature: { blocking: true, stopReason: 'Other' },
  InternalError: { blocking: true, stopReason: 'Other' },
  LocalListConflict: { blocking: false, stopReason: 'Other' },
  OtherError: { blocking: true, stopReason: 'Other' },
  OverCurrentFailure: { blocking: true, stopReason: 'OvercurrentFault' },
  OverVoltage: { blocking: true, stopReason: 'PowerQuality' },
  PowerMeterFailure: { blocking: true, stopReason: 'Other' },
  PowerSwitchFailure: { blocking: true, stopReason: 'Other' },
  ReaderFailure: { blocking: false, stopReason: 'Other' },
  ResetFailure: { blocking: false, stopReason: 'Other' },
  UnderVoltage: { blocking: true, stopReason: 'PowerQuality' },
  WeakSignal: { blocking: false, stopReason: 'Other' },
};

export const faultStopReason = (errorCode: string): StopReason => faultKinds[errorCode]?.stopReason ?? 'Other';
