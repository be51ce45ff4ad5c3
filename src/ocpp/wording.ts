// Small ways of putting things that all versions share.

import type { Answer } from '../charger/report.ts';
import type { ReportRow } from './dialect.ts';
import type { Payload } from './frame.ts';

/** The minute of the last one is kept: writing a date anew takes a microsecond, and every sample has one. */
export function timestamp(atMs: number): string {
  const minute = Math.floor(atMs / 60_000);
  if (minute !== lastMinute) {
    lastMinuteText = new Date(minute * 60_000).toISOString().slice(0, -7);
    lastMinute = minute;
  }
  const text = String(100_000 + Math.floor(atMs) - minute * 60_000);
  return `${lastMinuteText}${text.slice(1, 3)}.${text.slice(3)}Z`;
}

let lastMinute = Number.NaN;
let lastMinuteText = '';

/** Fields have maximum lengths: longer text is cut, never refused. */
export const cut = (text: string, length: number): string => (text.length <= length ? text : text.slice(0, length));

const notedAnswer: Answer = Object.freeze({ kind: 'noted' });
export const noted = (): Answer => notedAnswer;

export const bootAnswer = (payload: Payload): Answer => ({
  kind: 'boot',
  status: payload['status'] as 'Accepted' | 'Pending' | 'Rejected',
  intervalS: payload['interval'] as number,
  currentTimeMs: Date.parse(payload['currentTime'] as string),
});

export const heartbeat: ReportRow<'heartbeat'> = {
  encode: () => ({ action: 'Heartbeat', payload: {} }),
  decode: (payload) => ({ kind: 'time', currentTimeMs: Date.parse(payload['currentTime'] as string) }),
};

/** Said as it was given, answered as it was answered. */
export const rawReport: ReportRow<'raw'> = {
  encode: ({ action, payload }) => ({ action, payload }),
  decode: (response) => ({ kind: 'raw', response }),
};

export const certificateAnswer = (payload: Payload): Answer => ({
  kind: 'certificate-request',
  status: payload['status'] as 'Accepted' | 'Rejected',
});

/** How often a transfer is tried, and how long it waits in between; a request that does not say means once. */
export const tries = (payload: Payload): { readonly tries: number; readonly retryIntervalS: number } => ({
  tries: Math.max(1, (payload['retries'] as number | undefined) ?? 1),
  retryIntervalS: Math.max(1, (payload['retryInterval'] as number | undefined) ?? 30),
});

/** A moment that may be left out. */
export const momentOf = (value: unknown): number | null => (typeof value === 'string' ? Date.parse(value) : null);
