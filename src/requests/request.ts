// What a CSMS can ask of a charger, in neutral words, and the shape of every file that answers one.

import type { AvailabilityChange } from '../charger/availability.ts';
import type { CertificateUse } from '../charger/certificates.ts';
import type { Charger, Step } from '../charger/charger.ts';
import type { CompositeSchedule } from '../charger/composite-schedule.ts';
import type { CertificateName, Errand, ErrandKind, ErrandResult, ResultOf } from '../charger/errand.ts';
import type { FirmwareOrder } from '../charger/firmware-update.ts';
import type { ProfileCriteria } from '../charger/profiles.ts';
import type { StopReason, Token } from '../charger/report.ts';
import type { ReserveOutcome } from '../charger/reservations.ts';
import type { ChargingProfile, ProfilePlace, RateUnit } from '../charger/schedule.ts';
import type { NamedSetting } from '../charger/setting-rule.ts';
import type { ListUpdate } from '../charger/tokens.ts';
import type { UploadOrder } from '../charger/uploads.ts';

export interface StatusAnswer<Other extends string = never> {
  readonly status: 'Accepted' | 'Rejected' | Other;
  /** Why not, for versions that can say so. */
  readonly reasonCode?: string;
}

export interface SettingShown {
  readonly key: string;
  readonly readOnly: boolean;
  /** Left out for a secret. */
  readonly value?: string;
}

export interface UnlockAnswer {
  readonly status: 'Unlocked' | 'UnlockFailed' | 'OngoingAuthorizedTransaction' | 'UnknownConnector' | 'NoLock';
}

export interface ListAnswer {
  readonly status: 'Accepted' | 'Failed' | 'VersionMismatch' | 'NotSupported';
  readonly reasonCode?: string;
}

/** What a CSMS may want to hear now. */
export type TriggeredMessage =
  | 'boot'
  | 'heartbeat'
  | 'status'
  | 'meter-values'
  | 'firmware-status'
  | 'diagnostics-status'
  | 'log-status'
  /** As `firmware-status`, in the words of a signed update. */
  | 'signed-firmware-status'
  | 'sign-certificate'
  /** Something that this charger never says. */
  | 'unknown';

export interface Requests {
  'remote-start': {
    readonly token: Token;
    readonly remoteStartId: number | null;
    /** The outlets that it may be, from 0; none when there is no such place; null: any. */
    readonly outlets: readonly number[] | null;
    /** What the transaction shall be limited to. */
    readonly profile?: ChargingProfile;
  };
  'remote-stop': { readonly sessionId: string | null };
  'data-transfer': { readonly vendorId: string };
  /** Of the station, of outlets, or of both; of nothing when there is no such place. */
  'change-availability': AvailabilityChange;
  'set-setting': { readonly setting: NamedSetting; readonly value: string };
  'get-settings': {
    readonly wanted: readonly (NamedSetting & { readonly key: string })[];
    /** Settings of one's own, whose names begin so, are wanted too; null: they are not. */
    readonly ownPrefix: string | null;
  };
  'clear-cache': Readonly<Record<never, never>>;
  reset: { readonly hard: boolean; readonly reason: StopReason };
  /** Null when there is no such outlet. */
  unlock: { readonly outlet: number | null };
  /** Neither the station nor any outlet: there is no such place. */
  trigger: { readonly message: TriggeredMessage; readonly station: boolean; readonly outlets: readonly number[] };
  'get-list-version': Readonly<Record<never, never>>;
  'send-list': ListUpdate;
  reserve: {
    readonly id: number;
    readonly place: number | 'station' | 'unknown';
    readonly token: Token;
    readonly parentIdTag: string | null;
    readonly expiryMs: number;
  };
  'cancel-reservation': { readonly id: number };
  'set-charging-profile': { readonly profile: ChargingProfile };
  'clear-charging-profile': ProfileCriteria;
  'get-composite-schedule': {
    readonly place: ProfilePlace;
    readonly durationS: number;
    /** Null: whichever is usual there. */
    readonly unit: RateUnit | null;
  };
  /** Times are those of the charger's clock. */
  'send-log': { readonly order: UploadOrder };
  'update-firmware': { readonly order: FirmwareOrder };
  'install-certificate': { readonly use: CertificateUse; readonly certificate: string };
  'delete-certificate': { readonly name: CertificateName };
  'list-certificates': { readonly uses: readonly CertificateUse[] };
  'certificate-signed': { readonly chain: string };
}

interface Answers {
  'remote-start': StatusAnswer;
  'remote-stop': StatusAnswer;
  'data-transfer': { readonly status: 'UnknownVendorId' | 'UnknownMessageId' };
  'change-availability': StatusAnswer<'Scheduled'>;
  'set-setting': StatusAnswer<'NotSupported'>;
  'get-settings': { readonly found: readonly SettingShown[]; readonly unknown: readonly string[] };
  'clear-cache': StatusAnswer;
  reset: StatusAnswer;
  unlock: UnlockAnswer;
  trigger: StatusAnswer<'NotImplemented'>;
  /** Null: the list is not in use. */
  'get-list-version': { readonly version: number | null };
  'send-list': ListAnswer;
  reserve: { readonly status: ReserveOutcome };
  'cancel-reservation': StatusAnswer;
  'set-charging-profile': StatusAnswer;
  'clear-charging-profile': { readonly status: 'Accepted' | 'Unknown' };
  'get-composite-schedule': StatusAnswer & { readonly schedule?: CompositeSchedule };
  'send-log': { readonly status: 'Accepted' | 'AcceptedCanceled'; readonly fileName: string };
  'update-firmware': { readonly status: 'Accepted' | 'AcceptedCanceled' | 'Rejected' | 'InvalidCertificate' };
  'install-certificate': { readonly status: 'Accepted' | 'Rejected' | 'Failed'; readonly reasonCode?: string };
  'delete-certificate': { readonly status: 'Accepted' | 'Failed' | 'NotFound' };
  'list-certificates': {
    readonly status: 'Accepted' | 'NotFound';
    readonly certificates: readonly { readonly use: CertificateUse; readonly name: CertificateName }[];
  };
  'certificate-signed': StatusAnswer;
}

export type Request = { [Kind in keyof Requests]: { readonly kind: Kind } & Requests[Kind] }[keyof Requests];
export type RequestAnswer<Kind extends keyof Requests> = Answers[Kind];

export interface RequestHandler<Kind extends keyof Requests> {
  readonly kind: Kind;
  /** The answer goes out before anything that the step reports. `after`: it must wait for an errand. */
  answer(
    charger: Charger,
    request: Requests[Kind],
    atMs: number,
  ): Answered<Kind> | (Step & { readonly after: Errand }) | Misfit;
  /** The answer once the errand is done, to a charger that may have moved on since. */
  answerAfter?(charger: Charger, request: Requests[Kind], result: ErrandResult, atMs: number): Answered<Kind>;
}

/** The schema allows it and this charger does not: it asks for more at once than can be given. */
export interface Misfit {
  readonly misfit: 'badOccurrence';
  readonly sentence: string;
}

export type Answered<Kind extends keyof Requests> = Step & { readonly answer: Answers[Kind] };

export function resultOf<Kind extends ErrandKind>(kind: Kind, result: ErrandResult): ResultOf<Kind>['result'] {
  if (result.kind !== kind) throw new Error(`bug: ${result.kind} came back where ${kind} was asked for`);
  return result.result as ResultOf<Kind>['result'];
}
