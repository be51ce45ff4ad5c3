// What a charger knows for its security: whom it trusts, who it is, and what has happened that somebody should know of.

import type { Charger } from './charger.ts';

/** In the words of the 2.x family. */
export type SecurityEventType =
  | 'FirmwareUpdated'
  | 'FailedToAuthenticateAtCsms'
  | 'SettingSystemTime'
  | 'StartupOfTheDevice'
  | 'ResetOrReboot'
  | 'ReconfigurationOfSecurityParameters'
  | 'InvalidFirmwareSignature'
  | 'InvalidFirmwareSigningCertificate'
  | 'InvalidCsmsCertificate'
  | 'InvalidChargingStationCertificate'
  | 'TamperDetectionActivated'
  | 'CSRGenerationFailed';

export interface SecurityEvent {
  readonly type: SecurityEventType;
  readonly atMs: number;
  readonly info: string | null;
}

/** What a charger was given for its security when it was set up. Certificates and keys are PEM. */
export interface Credentials {
  readonly profile: number;
  readonly password: string | null;
  /** Of the authorities that the CSMS is trusted by. */
  readonly roots: readonly string[];
  readonly certificate: string | null;
  readonly key: string | null;
}

/** A certificate of its own, with those of its issuers behind it, and its private key. */
export interface OwnCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** A certificate that it has asked the CSMS for. */
export interface CertificateRequest {
  readonly id: string;
  /** Null while they are being made. */
  readonly made: { readonly key: string; readonly csr: string } | null;
  readonly attempts: number;
  /** When it asks again. */
  readonly dueAtMs: number | null;
}

/** How it could get through before its credentials were changed. */
export interface FormerCredentials {
  readonly profile: number;
  readonly password: string | null;
  readonly own: OwnCertificate | null;
}

export interface Security {
  /** Authorities of the CSMS; null: those that it was set up with. */
  readonly roots: readonly string[] | null;
  /** Authorities of its maker: who may sign its firmware. */
  readonly makerRoots: readonly string[];
  /** Null: the one that it was set up with. */
  readonly own: OwnCertificate | null;
  readonly request: CertificateRequest | null;
  /** Until the new credentials have let it in once. */
  readonly former: FormerCredentials | null;
  readonly log: readonly SecurityEvent[];
}

const nothing: readonly never[] = Object.freeze([]);
/** Nearly every charger has none of it, and shares this. */
export const noSecurity: Security = Object.freeze({
  roots: null,
  makerRoots: nothing,
  own: null,
  request: null,
  former: null,
  log: nothing,
});

export const profileOf = ({ overrides, station }: Pick<Charger, 'overrides' | 'station'>): number =>
  (overrides[profileSetting] as number | undefined) ?? station.credentials?.profile ?? 0;

export const profileSetting = 'SecurityCtrlr.SecurityProfile';
export const passwordSetting = 'SecurityCtrlr.BasicAuthPassword';

export const csmsRoots = ({ security, station }: Charger): readonly string[] =>
  security.roots ?? station.credentials?.roots ?? nothing;

/** Who may vouch for a file server. */
export const trustedRoots = (charger: Charger): readonly string[] =>
  charger.security === noSecurity ? csmsRoots(charger) : [...csmsRoots(charger), ...charger.security.makerRoots];

export function ownCertificate({ security, station }: Charger): OwnCertificate | null {
  if (security.own !== null) return security.own;
  const { certificate = null, key = null } = station.credentials ?? {};
  return certificate === null || key === null ? null : { certificate, key };
}

export const withSecurity = (charger: Charger, change: Partial<Security>): Charger => ({
  ...charger,
  security: { ...charger.security, ...change },
});
