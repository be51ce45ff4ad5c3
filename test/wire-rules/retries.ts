// Rules for what speaks of transactions: kept, said in order, and said again when it has failed.

import { isTransactional, type Json, type Known, textOf, type Word } from './listener.ts';
import { ofCalls, type Rule } from './rule.ts';

/** By the words of each version. */
const attempts = (known: Known): number =>
  Number(known.config.get('TransactionMessageAttempts') ?? known.config.get('OCPPCommCtrlr.MessageAttempts') ?? 3);
const intervalMs = (known: Known): number => {
  const { config, is16 } = known;
  const set = config.get('TransactionMessageRetryInterval') ?? config.get('OCPPCommCtrlr.MessageAttemptInterval');
  return Number(set ?? (is16 ? 60 : 10)) * 1000;
};

/** A reading on the way, by its words. */
const isSample = (text: string): boolean =>
  text.startsWith('["MeterValues"') || text.includes('"triggerReason":"MeterValue');

const isOwn = (word: Word): word is Extract<Word, { kind: 'call' }> =>
  word.kind === 'call' && word.from === 'charger' && isTransactional(word);

export const retryRules: readonly Rule[] = [
  {
    name: 'a transaction message that failed is said again word for word, before the next',
    versions: 'every',
    watch: (known) => {
      let last: { text: string; failures: number; answered: boolean } | null = null;
      return (word) => {
        // One that is killed has no more than what it has kept: samples go, what begins and ends stays.
        const isNewLife = word.kind === 'opened' && (word.life === null || word.life !== known.life);
        if (isNewLife && last !== null && isSample(last.text)) last = null;
        if ((word.kind === 'result' || word.kind === 'error') && word.call !== null && isTransactional(word.call)) {
          if (word.call.from !== 'charger' || last?.text !== textOf(word.call)) return null;
          if (word.kind === 'result') last.answered = true;
          else last.failures++;
        }
        if (word.kind !== 'call' || word.from !== 'charger') return null;
        const before = last;
        // It was not answered at all, and not because the line was lost.
        if (before !== null && [...known.open.charger.values()].some((call) => textOf(call) === before.text)) {
          before.failures++;
        }
        if (!isTransactional(word)) return null;
        const text = textOf(word);
        if (before === null || before.answered) {
          last = { text, failures: 0, answered: false };
          return null;
        }
        if (before.text === text) return null;
        last = { text, failures: 0, answered: false };
        return before.failures >= Math.min(attempts(known), 3) ? null : `${before.text} has not been answered`;
      };
    },
  },
  {
    name: 'a transaction message that was refused waits for its interval, longer each time',
    versions: 'every',
    watch: (known) => {
      let last: { readonly text: string; readonly failures: number; readonly notBeforeMs: number } | null = null;
      return (word) => {
        // A line that comes back is a new chance.
        if (word.kind === 'opened') last = null;
        if (word.kind === 'error' && word.call !== null && word.call.from === 'charger' && isTransactional(word.call)) {
          const text = textOf(word.call);
          const failures = last?.text === text ? last.failures + 1 : 1;
          last = { text, failures, notBeforeMs: word.atMs + intervalMs(known) * failures };
        }
        if (!isOwn(word) || last === null || textOf(word) !== last.text) return null;
        return word.atMs < last.notBeforeMs ? `${last.notBeforeMs - word.atMs} ms too soon` : null;
      };
    },
  },
  {
    name: 'what is said of transactions comes in the order in which it happened',
    versions: 'every',
    watch: (known) => {
      let latestMs = 0;
      return ofCalls([], (payload, _, call) => {
        if (!isTransactional(call) || known.isClockSet) return null;
        // What a power cut has ended is dated when it was last known to go on.
        if (payload.reason === 'PowerLoss' || payload.transactionInfo?.stoppedReason === 'PowerLoss') return null;
        const times = [
          payload.timestamp ?? ((payload.meterValue ?? []) as Json[]).map(({ timestamp }) => timestamp),
        ].flat();
        if (times.length === 0) return null;
        const atMs = Math.max(...times.map((time) => Date.parse(time)));
        const before = latestMs;
        latestMs = Math.max(latestMs, atMs);
        return atMs < before ? `${call.action} of ${times} after ${new Date(before).toISOString()}` : null;
      })(known);
    },
  },
];
