// Rules for what a charger does after it has agreed to it, and for what it does not agree to.

import { isHeldBack, isOn, isUpToDate, type Word } from './listener.ts';
import { ofAnswers, type Rule } from './rule.ts';
import { hasDelay } from './v16.ts';

/** What was promised may have to wait for other calls. */
const patienceMs = 120_000;
const momentMs = 2_000;
const starting = [
  'RemoteStartTransaction',
  'RemoteStopTransaction',
  'RequestStartTransaction',
  'RequestStopTransaction',
];

interface Promised {
  readonly what: string;
  readonly byMs: number;
  isKept(word: Word): boolean;
}

/** What follows from an answer of the charger; null where that cannot be told. */
function promisedBy(word: Word): Promised | null {
  if (word.kind !== 'result' || word.from !== 'charger' || word.call === null) return null;
  if (word.payload?.status !== 'Accepted') return null;
  const { action, payload } = word.call;
  const byMs = word.atMs + patienceMs;
  const says = (what: string, isMeant: (said: Extract<Word, { kind: 'call' }>) => boolean): Promised => ({
    what,
    byMs,
    isKept: (said) => said.kind === 'call' && said.from === 'charger' && isMeant(said),
  });
  if (action === 'RemoteStopTransaction') {
    const { transactionId } = payload;
    return says(`the end of ${transactionId}`, (said) => {
      return said.action === 'StopTransaction' && said.payload.transactionId === transactionId;
    });
  }
  // Keys take their time, and what a firmware is about to do is told under another name.
  if (!/TriggerMessage$/.test(action) || /^Sign|^Firmware|^Transaction/.test(payload.requestedMessage)) return null;
  const isOfTransaction = payload.requestedMessage === 'MeterValues';
  return says(
    payload.requestedMessage,
    (said) =>
      said.action === payload.requestedMessage || (isOfTransaction && said.payload?.triggerReason === 'Trigger'),
  );
}

export const promiseRules: readonly Rule[] = [
  {
    name: 'a charger that is not accepted starts and stops nothing',
    versions: 'every',
    watch: ofAnswers(starting, (_, answer, known) =>
      known.isTurnedAway && answer?.status === 'Accepted' ? 'it says that it does' : null,
    ),
  },
  {
    name: 'what is asked for and agreed to is done',
    versions: 'every',
    watch: (known) => {
      let promised: Promised[] = [];
      return (word) => {
        if (word.kind === 'closed' || word.kind === 'opened') promised = [];
        promised = promised.filter(({ isKept }) => !isKept(word));
        const next = isUpToDate(known) ? promisedBy(word) : null;
        if (next !== null) promised.push(next);
        if (isHeldBack(known) || known.open.charger.size > 0) return null;
        const broken = promised.find(({ byMs }) => byMs < word.atMs);
        promised = promised.filter((each) => each !== broken);
        return broken === undefined ? null : `${broken.what} has not come`;
      };
    },
  },
  {
    name: 'before a soft reset every transaction has ended',
    versions: '1.6',
    watch: (known) => {
      let isResetting = false;
      return (word) => {
        if (word.kind === 'result' && word.from === 'charger' && word.call?.action === 'Reset') {
          isResetting = word.payload?.status === 'Accepted' && word.call.payload.type === 'Soft' && isUpToDate(known);
        }
        if (word.kind !== 'closed' || !isResetting) return null;
        isResetting = false;
        if (word.by !== 'charger' || isHeldBack(known) || known.open.charger.size > 0) return null;
        const running = known.transactions.find(({ stop, ids }) => stop === null && ids.size > 0);
        return running === undefined ? null : `not that of connector ${running.connectorId}`;
      };
    },
  },
  {
    name: 'a remote start waits for its car until the time is over, and no longer',
    versions: '1.6',
    watch: (known) => {
      /** Asked for where no car is; then, when it shows that it waits, until when. */
      const waiting = new Map<number, number | null>();
      return (word) => {
        if (word.kind === 'closed' || word.kind === 'opened') waiting.clear();
        if (word.kind === 'result' && word.from === 'charger' && word.call?.action === 'RemoteStartTransaction') {
          const { connectorId } = word.call.payload;
          const isFree = known.shown.get(connectorId)?.status === 'Available' && isUpToDate(known);
          const isAsked = ['AuthorizeRemoteTxRequests', 'LocalPreAuthorize'].some((key) => isOn(known, key, false));
          const isSure = !isAsked && !hasDelay(known, word.atMs);
          if (isFree && isSure && word.payload?.status === 'Accepted') waiting.set(connectorId, null);
        }
        // Whoever comes by with a token waits anew.
        if (word.kind === 'call' && word.action === 'Authorize') waiting.clear();
        if (word.kind === 'call' && word.from === 'charger' && waiting.has(word.payload?.connectorId)) {
          const { connectorId, status } = word.payload;
          const timeoutMs = Number(known.config.get('ConnectionTimeOut') ?? 60) * 1000;
          if (waiting.get(connectorId) === null && status === 'Preparing') {
            waiting.set(connectorId, word.atMs + timeoutMs + momentMs);
          } else if (word.action === 'StatusNotification' || word.action === 'StartTransaction') {
            waiting.delete(connectorId);
          }
        }
        if (word.kind !== 'time' || known.open.charger.size > 0 || isHeldBack(known)) return null;
        const late = [...waiting].find(([, untilMs]) => untilMs !== null && untilMs < word.atMs)?.[0];
        if (late === undefined) return null;
        waiting.delete(late);
        return `connector ${late} still waits`;
      };
    },
  },
];
