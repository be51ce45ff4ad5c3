// What a version of OCPP is to this product: tables that turn a charger's neutral words into messages and back.

import type { Answer, Report } from '../charger/report.ts';
import type { NamedSetting } from '../charger/setting-rule.ts';
import type { SettingDefaults, SettingWords } from '../charger/settings.ts';
import type { Station } from '../charger/station.ts';
import type { Request, RequestAnswer, Requests } from '../requests/request.ts';
import type { Payload } from './frame.ts';

/** A schema check generated from the official schemas; the reasons of the last failure stay on it. */
export type Validator = ((value: unknown) => boolean) & {
  errors?:
    | readonly { instancePath: string; keyword: string; message?: string; params: Record<string, unknown> }[]
    | null;
};

export type Validators = Readonly<Record<string, Validator>>;

export interface Call {
  readonly action: string;
  readonly payload: Payload;
}

/** What a dialect must remember of the talk itself, kept with the charger. 1.6: which number the CSMS gave to which session. */
export interface Slice {
  readonly transactionIds: Readonly<Record<string, number>>;
}

export const emptySlice: Slice = Object.freeze({ transactionIds: Object.freeze({}) });

export interface Talk {
  readonly station: Station;
  readonly slice: Slice;
}

/** How one kind of report is said. */
export interface ReportRow<Kind extends Report['kind']> {
  /** Null: this version says nothing here, or cannot any more (its transaction never got a number). */
  encode(report: Extract<Report, { kind: Kind }>, talk: Talk): Call | null;
  /** Reads the CSMS's answer, which the schema has accepted. */
  decode(payload: Payload, report: Extract<Report, { kind: Kind }>): Answer;
  /** What the dialect need not remember any more when this report is given up. */
  forget?(report: Extract<Report, { kind: Kind }>, slice: Slice): Slice;
  /** What the dialect learns from the answer. */
  learn?(payload: Payload, report: Extract<Report, { kind: Kind }>, slice: Slice): Slice;
}

export type ReportTable = { readonly [Kind in Report['kind']]: ReportRow<Kind> };

/** How one request of the CSMS is understood and its answer said. */
export interface RequestRow<Kind extends keyof Requests> {
  readonly kind: Kind;
  decode(payload: Payload, talk: Talk): Extract<Request, { kind: Kind }>;
  encode(answer: RequestAnswer<Kind>): Payload;
}

export type AnyRequestRow = { [Kind in keyof Requests]: RequestRow<Kind> }[keyof Requests];

/** What is wrong with a message, in neutral words; each version has its own codes for it. */
export type Complaint =
  | 'malformed'
  | 'unknownMessageType'
  | 'notImplemented'
  | 'notSupported'
  | 'badStructure'
  | 'missingField'
  | 'badOccurrence'
  | 'badType'
  | 'badValue'
  | 'notAccepted'
  | 'bug';

export interface Dialect {
  readonly version: string;
  readonly subprotocol: string;
  readonly defaults: SettingDefaults;
  readonly reports: ReportTable;
  /** By OCPP action. An action that the schemas know and this table lacks is answered as not supported. */
  readonly requests: Readonly<Record<string, AnyRequestRow>>;
  /** The feature that an action belongs to, where the version lets a charger be without; the rest is always there. */
  readonly features: Readonly<Record<string, string>>;
  readonly validators: { readonly requests: Validators; readonly responses: Validators };
  readonly complaints: Readonly<Record<Complaint, string>>;
  /** What an installer's words for a setting mean; see `version-tools.ts`. */
  settingNamed(words: SettingWords): NamedSetting | { readonly problem: string };
  /** Message types beyond 2, 3 and 4 that are heard without an answer. */
  readonly silentTypes: readonly number[];
  /** Actions that a charger sends without being answered. */
  readonly unconfirmed: readonly string[];
  /** The transaction's name as the CSMS knows it; null while it has none. */
  transactionId(slice: Slice, sessionId: string): string | null;
}

/** What the first schema error means. */
export function complaintOf(validator: Validator): { complaint: Complaint; sentence: string } {
  const error = validator.errors?.[0];
  if (error === undefined) return { complaint: 'badStructure', sentence: 'the payload does not match its schema' };
  const where = error.instancePath === '' ? 'the payload' : error.instancePath.slice(1).replaceAll('/', '.');
  const extra = error.keyword === 'additionalProperties' ? ` (${String(error.params['additionalProperty'])})` : '';
  const isNoObject = error.keyword === 'type' && error.instancePath === '';
  return {
    complaint: isNoObject ? 'badStructure' : (keywordComplaints[error.keyword] ?? 'badValue'),
    sentence: `${where} ${error.message ?? 'does not match its schema'}${extra}`,
  };
}

const keywordComplaints: Readonly<Record<string, Complaint>> = {
  required: 'missingField',
  additionalProperties: 'badStructure',
  minItems: 'badOccurrence',
  maxItems: 'badOccurrence',
  type: 'badType',
  maxLength: 'badType',
  format: 'badType',
};
