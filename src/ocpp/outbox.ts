// What a charger still has to say to its CSMS: one call in flight, the rest in order, transaction messages kept over outages.

import { type Chance, uuidAt } from '../charger/random.ts';
import { isKept, type Report } from '../charger/report.ts';
import type { Payload } from './frame.ts';

export interface Entry {
  readonly report: Report;
  /** The command that led to it, if one did. */
  readonly cause: string | null;
  readonly attempts: number;
  /** A message that failed waits until then before it is tried again. */
  readonly notBeforeMs: number;
  /** The CSMS has asked for it: it goes out before the charger is accepted, too. */
  readonly triggered?: true;
}

export interface InFlight {
  readonly entry: Entry;
  readonly id: string;
  readonly action: string;
  readonly payload: Payload;
  readonly sentAtMs: number;
}

export interface Outbox {
  readonly queue: readonly Entry[];
  readonly inFlight: InFlight | null;
  /** Message ids come from the seed, the life and a counter: unique, and the same in every run of the same story. */
  readonly ids: Chance;
  readonly sent: number;
  readonly lastCallMs: number;
}

/** Past this many unsent transaction messages every second periodic sample goes; starts and ends never do. */
export const maxQueued = 1_000;
/** Past this many unsent security events the oldest goes; the security log still has it. */
export const maxQueuedEvents = 100;

const nothing: readonly Entry[] = Object.freeze([]);

export const newOutbox = (ids: Chance, queue: readonly Entry[] = nothing): Outbox => ({
  queue,
  inFlight: null,
  ids,
  sent: 0,
  lastCallMs: 0,
});

export function enqueue(full: Outbox, report: Report, cause: string | null, triggered?: true): Outbox {
  const outbox = report.kind === 'security-event' ? withRoomForEvent(full) : full;
  const { inFlight, ids, sent, lastCallMs } = outbox;
  const entry: Entry = { report, cause, attempts: 0, notBeforeMs: 0 };
  const queue = [...outbox.queue, triggered ? { ...entry, triggered } : entry];
  return { queue: queue.length > maxQueued ? thinned(queue) : queue, inFlight, ids, sent, lastCallMs };
}

function withRoomForEvent(outbox: Outbox): Outbox {
  const isEvent = ({ report }: Entry): boolean => report.kind === 'security-event';
  if (outbox.queue.filter(isEvent).length < maxQueuedEvents) return outbox;
  return skipped(outbox, outbox.queue.findIndex(isEvent));
}

/** The position of the entry to send now, -1 for none. While a transaction message waits for its retry, the later ones wait too. */
export function nextToSend(outbox: Outbox, atMs: number, accepted: boolean): number {
  if (outbox.inFlight !== null || outbox.queue.length === 0) return -1;
  let transactionsWait = false;
  return outbox.queue.findIndex((entry) => {
    if (!accepted) return entry.report.kind === 'boot' || entry.triggered === true;
    if (entry.report.kind === 'security-event') return entry.notBeforeMs <= atMs;
    if (isKept(entry.report)) {
      transactionsWait ||= entry.notBeforeMs > atMs;
      return !transactionsWait;
    }
    return true;
  });
}

/** When the outbox next wants to do something by itself. */
export function outboxDueMs(outbox: Outbox, timeoutMs: number, accepted: boolean): number {
  if (outbox.inFlight !== null) return outbox.inFlight.sentAtMs + timeoutMs;
  if (!accepted || outbox.queue.length === 0) return Number.POSITIVE_INFINITY;
  const dueMs = (kind: Report['kind']): number =>
    outbox.queue.find((entry) => entry.report.kind === kind)?.notBeforeMs || Number.POSITIVE_INFINITY;
  return Math.min(dueMs('transaction'), dueMs('security-event'));
}

export const nextMessageId = (outbox: Outbox): string => uuidAt(outbox.ids, outbox.sent * 4);

export function sending(outbox: Outbox, index: number, call: Omit<InFlight, 'entry'>): Outbox {
  const entry = outbox.queue[index];
  if (entry === undefined) throw new Error('nothing to send at this position');
  return {
    queue: without(outbox.queue, index),
    inFlight: { entry, ...call },
    ids: outbox.ids,
    sent: outbox.sent + 1,
    lastCallMs: call.sentAtMs,
  };
}

/** Nobody answers it: it is over as soon as it is sent. */
export const sentUnconfirmed = (outbox: Outbox, index: number, atMs: number): Outbox => ({
  ...skipped(outbox, index),
  sent: outbox.sent + 1,
  lastCallMs: atMs,
});

export const skipped = (outbox: Outbox, index: number): Outbox => ({ ...outbox, queue: without(outbox.queue, index) });

const without = (queue: readonly Entry[], index: number): readonly Entry[] =>
  queue.length === 1 ? nothing : queue.toSpliced(index, 1);

export const answered = (outbox: Outbox): Outbox => ({ ...outbox, inFlight: null });

/** Puts the failed call back in front, to be tried again at `notBeforeMs`. No command waits for that. */
export function retryLater(outbox: Outbox, notBeforeMs: number): Outbox {
  const { inFlight } = outbox;
  if (inFlight === null) return outbox;
  const entry = { ...inFlight.entry, cause: null, attempts: inFlight.entry.attempts + 1, notBeforeMs };
  return { ...outbox, inFlight: null, queue: [entry, ...outbox.queue] };
}

/** The line is lost: what must be kept stays, unsent and in order; the rest is given back. */
export function lineLost(outbox: Outbox): { readonly outbox: Outbox; readonly dropped: readonly Entry[] } {
  const all = outbox.inFlight === null ? outbox.queue : [outbox.inFlight.entry, ...outbox.queue];
  return {
    outbox: { ...outbox, inFlight: null, queue: keptEntries(outbox) },
    dropped: all.filter((entry) => !isKept(entry.report)),
  };
}

/** What must survive a power cut, in order. The cause does not: a command never outlives the process that ran it. */
export function keptEntries(outbox: Outbox): readonly Entry[] {
  const all = outbox.inFlight === null ? outbox.queue : [outbox.inFlight.entry, ...outbox.queue];
  const kept = all.filter((entry) => isKept(entry.report));
  return kept.length === 0 ? nothing : kept.map((entry) => ({ ...entry, cause: null, notBeforeMs: 0 }));
}

function thinned(queue: readonly Entry[]): readonly Entry[] {
  let every = 0;
  return queue.filter(({ report }) => {
    const sample = report.kind === 'transaction' && report.trigger.startsWith('MeterValue');
    return !sample || every++ % 2 === 0;
  });
}
