// A rule of the line: a sentence that must hold, and a look at one charger that says where it does not.

import type { Call, Json, Known, Word } from './listener.ts';

export interface Rule {
  /** What must hold, in words. */
  readonly name: string;
  readonly versions: 'every' | '1.6' | '2.x';
  /** Begins to look at one charger. What it gives is asked about every word, before the word is known, and says what is wrong. */
  watch(known: Known): (word: Word) => string | null | undefined;
}

type Said<Kind extends Word['kind']> = Extract<Word, { kind: Kind }>;

/** A look at what the charger itself says. */
export const ofCalls =
  (actions: readonly string[], look: (payload: Json, known: Known, call: Call) => string | null | undefined) =>
  (known: Known) =>
  (word: Word): string | null | undefined =>
    word.kind === 'call' && word.from === 'charger' && (actions.length === 0 || actions.includes(word.action))
      ? look(word.payload, known, word)
      : null;

/** A look at how the charger answers; `payload` null: with an error. */
export const ofAnswers =
  (
    actions: readonly string[],
    look: (asked: Json, answer: Json | null, known: Known, word: Said<'result' | 'error'>) => string | null | undefined,
  ) =>
  (known: Known) =>
  (word: Word): string | null | undefined => {
    if ((word.kind !== 'result' && word.kind !== 'error') || word.from !== 'charger' || word.call === null) return null;
    if (actions.length > 0 && !actions.includes(word.call.action)) return null;
    return look(word.call.payload, word.kind === 'result' ? word.payload : null, known, word);
  };
