// What lasts of a conversation when its process ends, as text, and how it goes on from there.

import { newCharger, type Step, step } from '../charger/charger.ts';
import { type ChargerMemory, remember, wakeUp } from '../charger/memory.ts';
import { chanceFrom } from '../charger/random.ts';
import type { BootReason } from '../charger/report.ts';
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

/** The conversation and what waking up made of the charger; `text` null is a charger fresh from the factory. */
export function resume(
  dialect: Dialect,
  station: Station,
  text: string | null,
  atMs: number,
  reason: BootReason = 'PowerUp',
): { readonly conversation: Conversation; readonly woken: Step } {
  const memory = text === null ? null : (JSON.parse(text) as Memory);
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
    dueMs: nextDueMs(charger),
  };
  return { conversation, woken: { ...woken, charger } };
}
