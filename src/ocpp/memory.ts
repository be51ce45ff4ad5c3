// What lasts of a conversation when its process ends, as text, and how it goes on from there.

import { newCharger, type Step, step } from '../charger/charger.ts';
import { type ChargerMemory, remember, wakeUp } from '../charger/memory.ts';
import { type Motion, motionOf, withMotion } from '../charger/motion.ts';
import { chanceFrom } from '../charger/random.ts';
import { type BootReason, isKept } from '../charger/report.ts';
import type { Station } from '../charger/station.ts';
import { nextDueMs } from '../charger/time.ts';
import type { Conversation } from './conversation.ts';
import { type Dialect, emptySlice, type Slice } from './dialect.ts';
import { closedLine } from './line.ts';
import { type Entry, keptEntries, newOutbox } from './outbox.ts';

interface Memory {
  readonly format: 1;
  readonly charger: ChargerMemory;
  readonly queue: readonly Entry[];
  readonly slice: Slice;
  /** Somebody has cut the line by hand, and it stays cut. */
  readonly held?: boolean;
  /** Of a conversation put to sleep: how many calls it had sent in this life. */
  readonly sent?: number;
}

/** `asleep`: it shall go on where it was; otherwise it will wake as after a power cut. */
export function memoryText(conversation: Conversation, options?: { asleep: boolean }): string {
  const memory: Memory = {
    format: 1,
    charger: remember(conversation.charger, options),
    queue: keptEntries(conversation.outbox),
    slice: conversation.slice,
    ...(conversation.line.held ? { held: true } : {}),
    ...(options?.asleep ? { sent: conversation.outbox.sent } : {}),
  };
  return JSON.stringify(memory);
}

/** What has to be kept of a conversation, and the conversation that goes on from there. */
export interface Keeping {
  readonly conversation: Conversation;
  readonly text: { readonly memory: string } | { readonly addendum: string };
}

/** After a turn: what has moved, where that says everything, otherwise the whole memory. */
export function keepTurn(before: Conversation, now: Conversation): Keeping {
  const motion = motionOfTurn(before, now);
  if (motion === null) return keepWhole(now);
  const kept = { charger: now.charger, slice: now.slice, isMotionOnly: true };
  return { conversation: { ...now, kept }, text: { addendum: JSON.stringify(motion) } };
}

/** Nothing may be said from here on before it is durable. */
export function keepWhole(conversation: Conversation): Keeping {
  const { charger, slice } = conversation;
  const isCharging = charger.connectors.some(({ session }) => session !== null);
  const kept = isCharging ? { charger, slice, isMotionOnly: false } : null;
  return { conversation: { ...conversation, stale: false, kept }, text: { memory: memoryText(conversation) } };
}

/** Null when more has changed since something was kept than a motion says. */
function motionOfTurn(before: Conversation, now: Conversation): Motion | null {
  const { kept, slice, line, charger, outbox } = now;
  if (kept === null || kept.charger !== before.charger || kept.slice !== slice) return null;
  if (before.stale || now.stale || before.line.held !== line.held) return null;
  // What waited before may be in the memory, and then its answer must be kept too. Fresh samples need not be there at once.
  if (before.outbox.inFlight !== null || before.outbox.queue.length > 0) return null;
  if (outbox.inFlight !== null && !isSample(outbox.inFlight.entry)) return null;
  return outbox.queue.every(isSample) ? motionOf(before.charger, charger) : null;
}

const isSample = ({ report }: Entry): boolean =>
  report.kind === 'transaction' && report.phase === 'updated' && report.trigger.startsWith('MeterValue');

/** Since when something waits to be told or answered that only a whole memory would bring back; null: nothing does. */
export function owedSinceMs({ kept, outbox: { inFlight, queue } }: Conversation): number | null {
  if (!kept?.isMotionOnly) return null;
  if (inFlight !== null && isKept(inFlight.entry.report)) return inFlight.sentAtMs;
  return queue.some(({ report }) => isKept(report)) ? Number.NEGATIVE_INFINITY : null;
}

/** A memory, and maybe an addendum on a line of its own. */
function readMemory(text: string): Memory {
  const [whole = '', addendum] = text.split('\n');
  const memory = JSON.parse(whole) as Memory;
  if (addendum === undefined) return memory;
  return { ...memory, charger: withMotion(memory.charger, JSON.parse(addendum) as Motion) };
}

/** The conversation and what waking up made of the charger; `text` null is a charger fresh from the factory. */
export function resume(
  dialect: Dialect,
  station: Station,
  text: string | null,
  atMs: number,
  reason: BootReason = 'PowerUp',
): { readonly conversation: Conversation; readonly woken: Step } {
  const memory = text === null ? null : readMemory(text);
  const woken =
    memory === null
      ? step(newCharger(station, dialect.defaults, atMs))
      : wakeUp(station, dialect.defaults, memory.charger, atMs);
  const asleep = memory?.charger.asleep !== undefined;
  const charger = asleep ? woken.charger : { ...woken.charger, boot: { ...woken.charger.boot, reason } };
  const ids = chanceFrom(station.seed, station.identity, charger.lives, 'message');
  const conversation: Conversation = {
    dialect,
    charger,
    outbox: { ...newOutbox(ids, memory?.queue), sent: memory?.sent ?? 0 },
    slice: memory?.slice ?? emptySlice,
    line: { ...closedLine(atMs), held: memory?.held ?? false },
    tasks: [],
    stale: false,
    kept: null,
    dueMs: nextDueMs(charger),
  };
  return { conversation, woken: { ...woken, charger } };
}
