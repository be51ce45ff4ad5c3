// Small ways of putting things that all versions share.

import type { Answer } from '../charger/report.ts';
import type { ReportRow } from './dialect.ts';
import type { Payload } from './frame.ts';

export const timestamp = (atMs: number): string => new Date(atMs).toISOString();

/** Fields have maximum lengths: longer text is cut, never refused. */
export const cut = (text: string, length: number): string => (text.length <= length ? text : text.slice(0, length));

const notedAnswer: Answer = Object.freeze({ kind: 'noted' });
export const noted = (): Answer => notedAnswer;

export const bootAnswer = (payload: Payload): Answer => ({
  kind: 'boot',
  status: payload['status'] as 'Accepted' | 'Pending' | 'Rejected',
  intervalS: payload['interval'] as number,
});

export const heartbeat: ReportRow<'heartbeat'> = {
  encode: () => ({ action: 'Heartbeat', payload: {} }),
  decode: noted,
};

export const securityEvent: ReportRow<'security-event'> = {
  encode: ({ type, atMs }) => ({ action: 'SecurityEventNotification', payload: { type, timestamp: timestamp(atMs) } }),
  decode: noted,
};

/** Said as it was given, answered as it was answered. */
export const rawReport: ReportRow<'raw'> = {
  encode: ({ action, payload }) => ({ action, payload }),
  decode: (response) => ({ kind: 'raw', response }),
};
