// What a CSMS has heard of a charger's transactions, in the words of any version: in order, and without what was only said again.

import type { RecordedCall, Recorder } from '../src/csms/recorder.ts';
import type { Json } from './flows/gateway.ts';

/** What a meter showed, and when: an end tells of the whole transaction. */
export interface Register {
  readonly atMs: number;
  readonly wh: number;
}

/** One message about a transaction. */
export interface Word {
  readonly order: number;
  readonly phase: 'start' | 'update' | 'end';
  /** Of 1.6 the start itself: it may have got several numbers. */
  readonly transaction: string;
  readonly evseId: number;
  readonly atMs: number;
  readonly registers: readonly Register[];
  /** Of an end. */
  readonly reason: string | null;
  readonly tag: string | null;
  /** 2.x counts its messages. */
  readonly seqNo: number | null;
  readonly text: string;
}

export interface Heard {
  readonly words: readonly Word[];
  /** Messages that came once more, right after themselves, on another connection: they were under way when the line broke. */
  readonly repeated: number;
  /** Of each transaction. */
  readonly transactions: ReadonlyMap<string, readonly Word[]>;
  /** What belongs to no transaction, or to one under another number than it got last. */
  readonly strays: readonly string[];
  /** What the CSMS could not answer before the line broke, and has not heard again. */
  readonly unanswered: readonly string[];
}

export function heardOf(recorder: Recorder, identity: string): Heard {
  const answers = answersTo(recorder, identity);
  const numbers = numbersOf(recorder, identity, answers);
  const words: Word[] = [];
  const strays: string[] = [];
  const unanswered = new Set<string>();
  const answered = new Set<string>();
  const evses = new Map<string, number>();
  let repeated = 0;
  let before: { readonly text: string; readonly connection: number } | null = null;
  for (const call of recorder.calls(identity)) {
    if (!isWord(call)) continue;
    const text = JSON.stringify([call.action, call.payload]);
    (answers.has(keyOf(call)) ? answered : unanswered).add(text);
    const isRepeated = before?.text === text && before.connection !== call.connection;
    before = { text, connection: call.connection };
    if (isRepeated) repeated++;
    const transaction = transactionOf(call, numbers);
    if (transaction === null) strays.push(`${identity}: belongs to no transaction: ${text}`);
    if (isRepeated || transaction === null) continue;
    const told = call.action === 'TransactionEvent' ? word2(call.payload) : word16(call.action, call.payload);
    if (told.evseId !== null) evses.set(transaction, told.evseId);
    words.push({ ...told, transaction, order: call.order, text, evseId: evses.get(transaction) ?? 0 });
  }
  return {
    words,
    repeated,
    transactions: Map.groupBy(words, ({ transaction }) => transaction),
    strays,
    unanswered: [...unanswered.difference(answered)],
  };
}

const isWord = ({ action, payload }: RecordedCall): boolean =>
  ['StartTransaction', 'StopTransaction', 'TransactionEvent'].includes(action) ||
  (action === 'MeterValues' && payload['transactionId'] !== undefined);

const keyOf = ({ connection, id }: { readonly connection: number; readonly id: string }): string =>
  `${connection} ${id}`;

function answersTo(recorder: Recorder, identity: string): ReadonlyMap<string, Json> {
  const answers = new Map<string, Json>();
  for (const { direction, connection, text } of recorder.frames(identity)) {
    if (direction === 'in') continue;
    const [type, id, payload] = JSON.parse(text) as Json[];
    if (type === 3) answers.set(keyOf({ connection, id }), payload);
  }
  return answers;
}

/** Which 1.6 start has which number: the one that its last answer gave it. */
function numbersOf(
  recorder: Recorder,
  identity: string,
  answers: ReadonlyMap<string, Json>,
): ReadonlyMap<number, string> {
  const last = new Map<string, number>();
  for (const call of recorder.calls(identity, 'StartTransaction')) {
    const answer = answers.get(keyOf(call));
    if (answer !== undefined) last.set(JSON.stringify(call.payload), answer.transactionId);
  }
  return new Map([...last].map(([start, number]) => [number, start]));
}

function transactionOf({ action, payload }: RecordedCall, numbers: ReadonlyMap<number, string>): string | null {
  if (action === 'TransactionEvent') return (payload['transactionInfo'] as Json).transactionId;
  if (action === 'StartTransaction') return JSON.stringify(payload);
  return numbers.get(payload['transactionId'] as number) ?? null;
}

type Told = Omit<Word, 'order' | 'transaction' | 'evseId' | 'text'> & { readonly evseId: number | null };

const phases16: Readonly<Record<string, Word['phase']>> = { StartTransaction: 'start', StopTransaction: 'end' };
const phases2: Readonly<Record<string, Word['phase']>> = { Started: 'start', Ended: 'end' };

function word16(action: string, payload: Json): Told {
  const edge = payload.meterStart ?? payload.meterStop;
  const atMs = Date.parse(payload.timestamp ?? payload.meterValue[0].timestamp);
  return {
    phase: phases16[action] ?? 'update',
    evseId: payload.connectorId ?? null,
    atMs,
    registers: edge === undefined ? registersOf(payload) : [{ atMs, wh: edge }],
    reason: payload.reason ?? null,
    tag: payload.idTag ?? null,
    seqNo: null,
  };
}

function word2(payload: Json): Told {
  return {
    phase: phases2[payload.eventType] ?? 'update',
    evseId: payload.evse?.id ?? null,
    atMs: Date.parse(payload.timestamp),
    registers: registersOf(payload),
    reason: payload.transactionInfo.stoppedReason ?? null,
    tag: payload.idToken?.idToken ?? null,
    seqNo: payload.seqNo,
  };
}

const registersOf = ({ meterValue = [] }: Json): Register[] =>
  meterValue.flatMap(({ timestamp, sampledValue }: Json) =>
    sampledValue
      .filter(({ measurand }: Json) => measurand === 'Energy.Active.Import.Register')
      .map(({ value }: Json) => ({ atMs: Date.parse(timestamp), wh: Number(value) })),
  );
