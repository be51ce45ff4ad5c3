// A charger with one feature switched off: through the tables that it speaks by, its state, or its link.

import type { Charger } from '../../src/charger/charger.ts';
import type { Connector } from '../../src/charger/connector.ts';
import type { Report } from '../../src/charger/report.ts';
import type { SettingName, SettingValue } from '../../src/charger/settings.ts';
import { nextDueMs } from '../../src/charger/time.ts';
import type { Conversation } from '../../src/ocpp/conversation.ts';
import type { AnyRequestRow, Dialect, ReportRow, RequestRow } from '../../src/ocpp/dialect.ts';
import type { Payload } from '../../src/ocpp/frame.ts';
import type { Link, LinkRequest } from '../../src/ports/link.ts';

export interface Mutation {
  dialect?(dialect: Dialect): Dialect;
  /** Applied after every turn. */
  state?(conversation: Conversation): Conversation;
  /** Applied whenever it dials. */
  dialling?(request: LinkRequest): LinkRequest;
}

/** A feature, the charger without it, and the cases that must fail then. */
export interface Feature {
  readonly name: string;
  readonly off: Mutation;
  readonly cases: readonly string[];
}

/** Says yes to a request and does nothing. */
export const heedless = (action: string, answer: Payload): Mutation => ({
  dialect: (dialect) =>
    withRequest(dialect, action, {
      kind: 'data-transfer',
      decode: () => ({ kind: 'data-transfer', vendorId: '' }),
      encode: () => answer,
    }),
});

/** Reads a request otherwise than it was written. */
export const misreading = (action: string, read: (payload: Payload) => Payload): Mutation => ({
  dialect(dialect) {
    const row = dialect.requests[action] as RequestRow<'data-transfer'>;
    return withRequest(dialect, action, { ...row, decode: (payload, talk) => row.decode(read(payload), talk) });
  },
});

/** The same after reading, in the charger's own words. */
export const misunderstanding = (action: string, change: (request: Payload) => Payload): Mutation => ({
  dialect(dialect) {
    const row = dialect.requests[action] as { decode(...words: unknown[]): Payload };
    const decode = (...words: unknown[]) => change(row.decode(...words));
    return withRequest(dialect, action, { ...row, decode } as unknown as AnyRequestRow);
  },
});

const withRequest = (dialect: Dialect, action: string, row: AnyRequestRow | RequestRow<'data-transfer'>): Dialect => ({
  ...dialect,
  requests: { ...dialect.requests, [action]: row as AnyRequestRow },
});

/** Does not say some of what it reports. */
export const silent = <Kind extends Report['kind']>(
  kind: Kind,
  isUnsaid: (report: Extract<Report, { kind: Kind }>) => boolean = () => true,
): Mutation =>
  saying(kind, (row) => ({
    ...row,
    encode: (report, talk) => (isUnsaid(report) ? null : row.encode(report, talk)),
  }));

/** Says it with other fields. */
export const misstating = (kind: Report['kind'], action: string, fields: Payload): Mutation =>
  saying(kind, (row) => ({
    ...row,
    encode(report, talk) {
      const call = row.encode(report, talk);
      return call?.action === action ? { ...call, payload: { ...call.payload, ...fields } } : call;
    },
  }));

/** Hears something else than the CSMS has answered. */
export const mishearing = (kind: Report['kind'], hear: (payload: Payload) => Payload): Mutation =>
  saying(kind, (row) => ({ ...row, decode: (payload, report) => row.decode(hear(payload), report) }));

const saying = <Kind extends Report['kind']>(
  kind: Kind,
  change: (row: ReportRow<Kind>) => ReportRow<Kind>,
): Mutation => ({
  dialect: (dialect) => ({
    ...dialect,
    reports: { ...dialect.reports, [kind]: change(dialect.reports[kind] as unknown as ReportRow<Kind>) },
  }),
});

/** A setting that stays as it is, whoever sets it. */
export const fixed = (name: SettingName, value: SettingValue): Mutation =>
  charger((one) => ({ ...one, overrides: { ...one.overrides, [name]: value } }));

/** A charger that is never so. */
export const charger = (change: (charger: Charger) => Charger): Mutation => ({
  state(conversation) {
    const changed = change(conversation.charger);
    return { ...conversation, charger: changed, dueMs: nextDueMs(changed) };
  },
});

export const connectors = (change: (connector: Connector) => Connector): Mutation =>
  charger((one) => ({ ...one, connectors: one.connectors.map(change) }));

/** A link on which every call is changed before it is made. */
export const spoiled = (link: Link, dialling: (request: LinkRequest) => LinkRequest): Link => ({
  open: (request, listener) => link.open(dialling(request), listener),
});
