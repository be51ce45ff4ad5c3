// What an answer of the CSMS is made from, and what it thinks of an id tag.
//
// Every tag is accepted, so that nothing has to be registered before trying things out. To try refusals, present a tag
// that starts with one of the words below, in upper or lower case: `INVALID-1`, `blocked`, `Expired2024`, `CONCURRENT_7`.

import type { Payload } from '../ocpp/frame.ts';

export interface Desk {
  readonly heartbeatIntervalS: number;
  nowMs(): number;
  /** A number for a 1.6 transaction that was never given out before. */
  takeTransactionId(): number | Promise<number>;
}

/** Answers a request that its schema has accepted. */
export type Answer = (request: Payload, desk: Desk) => Payload | Promise<Payload>;

/** By OCPP action: everything that a charger of one version may ask. */
export type AnswerTable = Readonly<Record<string, Answer>>;

const refusedTags: readonly (readonly [start: string, status: string])[] = [
  ['INVALID', 'Invalid'],
  ['BLOCKED', 'Blocked'],
  ['EXPIRED', 'Expired'],
  ['CONCURRENT', 'ConcurrentTx'],
];

export function tagStatus(tag: unknown): string {
  const name = String(tag).toUpperCase();
  return refusedTags.find(([start]) => name.startsWith(start))?.[1] ?? 'Accepted';
}

export const timeText = (atMs: number): string => new Date(atMs).toISOString();

export const nothing: Answer = () => ({});
export const accepted: Answer = () => ({ status: 'Accepted' });

export const bootAccepted: Answer = (_request, desk) => ({
  status: 'Accepted',
  currentTime: timeText(desk.nowMs()),
  interval: desk.heartbeatIntervalS,
});

export const time: Answer = (_request, desk) => ({ currentTime: timeText(desk.nowMs()) });
