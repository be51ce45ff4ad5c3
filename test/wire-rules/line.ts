// Rules of the line that hold for every version: framing, ids, booting, heartbeats, times, and that everything is answered in order.

import { type Call, isTriggered, type Json, type Known, type Word } from './listener.ts';
import { ofAnswers, ofCalls, type Rule } from './rule.ts';

const maxIdLength = 36;
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;
const goodTimestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/;
/** A boot that nobody has given an interval for comes not sooner than this. */
const leastBootWaitMs = 10_000;
const skewMs = 2_000;
/** An answer that takes an errand takes its time. */
const longestAnswerMs = 120_000;

const isOwn = (word: Word): word is Extract<Word, { kind: 'call' }> => word.kind === 'call' && word.from === 'charger';

const errorCodes: Readonly<Record<string, readonly string[]>> = {
  every: [
    'GenericError',
    'InternalError',
    'NotImplemented',
    'NotSupported',
    'PropertyConstraintViolation',
    'ProtocolError',
    'SecurityError',
    'TypeConstraintViolation',
  ],
  '1.6': ['FormationViolation', 'OccurenceConstraintViolation'],
  '2.x': ['FormatViolation', 'MessageTypeNotSupported', 'OccurrenceConstraintViolation', 'RpcFrameworkError'],
};

export const lineRules: readonly Rule[] = [
  {
    name: 'a frame is an array: a call of 4, a result of 3, an error of 5 with details',
    versions: 'every',
    watch: () => (word) => (word.kind === 'noise' && word.from === 'charger' ? word.why : null),
  },
  {
    name: 'a message id is a string of 1 to 36 characters and used once on a connection',
    versions: 'every',
    watch: () => {
      let used = new Set<string>();
      return (word) => {
        if (word.kind === 'opened') used = new Set();
        if (!isOwn(word)) return null;
        const { id } = word as { id: unknown };
        if (typeof id !== 'string' || id === '' || id.length > maxIdLength) return `the id is ${JSON.stringify(id)}`;
        if (used.has(id)) return `${id} was used before`;
        used.add(id);
        return null;
      };
    },
  },
  {
    name: 'one call of the charger is unanswered at a time',
    versions: 'every',
    watch: ofCalls([], (_, known, { atMs }) => {
      const early = [...known.open.charger.values()].find((call) => atMs - call.atMs < known.messageTimeoutMs);
      return early === undefined ? null : `${early.action} is unanswered`;
    }),
  },
  {
    name: 'an error has a code that its version knows',
    versions: 'every',
    watch: (known) => (word) => {
      if (word.kind !== 'error' || word.from !== 'charger') return null;
      const codes = [...(errorCodes['every'] ?? []), ...(errorCodes[known.is16 ? '1.6' : '2.x'] ?? [])];
      return codes.includes(word.code) ? null : word.code;
    },
  },
  {
    name: 'an answer is given to a question, and once',
    versions: 'every',
    watch: () => {
      let complaints = 0;
      return (word) => {
        if (word.kind === 'opened') complaints = 0;
        // Noise may be complained about, under whatever id was to be seen in it.
        if (word.kind === 'noise' && word.from === 'csms') complaints++;
        if ((word.kind !== 'result' && word.kind !== 'error') || word.from !== 'charger' || word.call !== null)
          return null;
        return word.kind === 'error' && complaints-- > 0 ? null : `nobody waits for ${word.id}`;
      };
    },
  },
  {
    name: 'every question is answered before the charger hangs up, and before long',
    versions: 'every',
    watch: (known) => (word) => {
      const asked = [...known.open.csms.values()];
      if (word.kind === 'closed' && word.by === 'charger' && known.instant) {
        return asked[0] === undefined ? null : `${asked[0].action} is unanswered`;
      }
      if (word.kind === 'opened' || word.kind === 'closed') return null;
      const late = asked.find(({ atMs }) => word.atMs - atMs > longestAnswerMs);
      if (late === undefined) return null;
      known.open.csms.delete(late.id);
      return `${late.action} is unanswered`;
    },
  },
  {
    name: 'an answer comes before what follows from it',
    versions: 'every',
    watch: ofCalls([], (payload, known, { action }) => {
      const asked = [...known.open.csms.values()].find((call) => follows(known, call, action, payload));
      return asked === undefined ? null : `${action} comes before the answer to ${asked.action}`;
    }),
  },
  {
    name: 'nothing is said before the boot is accepted but the boot, and what the CSMS has asked for',
    versions: 'every',
    watch: ofCalls([], (_, known, { action, atMs }) => {
      if (action === 'BootNotification' || known.accepted || isTriggered(known, action, atMs)) return null;
      return known.connection === 1 || known.life !== null || !known.mayBoot ? `${action} is said` : null;
    }),
  },
  {
    name: 'a boot comes first on its connection, in a new life, or when it is asked for or asked again',
    versions: 'every',
    watch: ofCalls(['BootNotification'], (_, known, { atMs }) => {
      if (!known.accepted || isTriggered(known, 'BootNotification', atMs)) return null;
      if (known.lastCallMs !== null) return 'the charger is accepted, and has spoken on this connection';
      return known.mayBoot ? null : 'the charger is accepted, and has only been reconnected';
    }),
  },
  {
    name: 'a charger that is not accepted boots again when the interval is over, and not sooner',
    versions: 'every',
    watch: (known) => {
      let notBeforeMs = 0;
      return (word) => {
        if (word.kind === 'opened' && (word.life === null || word.life !== known.life)) notBeforeMs = 0;
        if (word.kind === 'result' && word.call?.action === 'BootNotification' && word.from === 'csms') {
          const { status, interval } = word.payload ?? {};
          const waitMs = Math.max((interval ?? 0) * 1000, leastBootWaitMs);
          notBeforeMs = status === 'Accepted' ? 0 : word.atMs + waitMs;
        }
        if (!isOwn(word) || word.action !== 'BootNotification') return null;
        if (isTriggered(known, word.action, word.atMs) || word.atMs >= notBeforeMs) {
          notBeforeMs = word.atMs + leastBootWaitMs;
          return null;
        }
        return `${notBeforeMs - word.atMs} ms too soon`;
      };
    },
  },
  {
    name: 'heartbeats come after the interval without a call, and not sooner',
    versions: 'every',
    watch: (known) => (word) => {
      if (!known.isOpen || !known.accepted || known.heartbeatS === null) return null;
      if (word.kind === 'opened' || word.kind === 'closed') return null;
      const sinceMs = Math.max(known.lastCallMs ?? known.openedAtMs, known.acceptedAtMs);
      const quietMs = word.atMs - sinceMs;
      const intervalMs = known.heartbeatS * 1000;
      // On a real line one frame may take longer than the next.
      const soonestMs = intervalMs - (known.instant ? 0 : skewMs);
      if (isOwn(word) && word.action === 'Heartbeat' && quietMs > 0 && quietMs < soonestMs) {
        return isTriggered(known, 'Heartbeat', word.atMs) ? null : `after ${quietMs} ms`;
      }
      // Whoever waits for an answer has to wait for its time-out first.
      const latestMs = intervalMs + known.messageTimeoutMs + skewMs;
      if (known.instant && Math.min(quietMs, word.atMs - known.heartbeatSetMs) > latestMs) {
        known.lastCallMs = word.atMs;
        return `nothing was said for ${quietMs} ms`;
      }
      return null;
    },
  },
  {
    name: 'times are UTC with Z, have 3 decimals at most, and are not in the future',
    versions: 'every',
    watch: (known) => {
      let aheadMs = 0;
      return (word) => {
        aheadMs = Math.max(aheadMs, known.clockOffsetMs);
        if (!isOwn(word) && !(word.kind === 'result' && word.from === 'charger')) return null;
        const isCall = word.kind === 'call';
        if (isCall && word.action === 'DataTransfer') return null;
        return found(word.payload, (name, value) => {
          if (typeof value !== 'string' || !timestamp.test(value)) return null;
          if (!goodTimestamp.test(value)) return `${name} is ${value}`;
          if (!isCall || name !== 'timestamp') return null;
          return Date.parse(value) > word.atMs + aheadMs + skewMs ? `${name} is ${value}` : null;
        });
      };
    },
  },
  {
    name: 'what is not known is left out, never null or empty',
    versions: 'every',
    watch: () => (word) => {
      if (!isOwn(word) && !(word.kind === 'result' && word.from === 'charger')) return null;
      const action = word.kind === 'call' ? word.action : word.call?.action;
      // What vendors say is theirs; a setting may be an empty list.
      if (action === 'DataTransfer' || action === 'GetConfiguration' || action === 'GetVariables') return null;
      const isCall = word.kind === 'call';
      return found(word.payload, (name, value) => {
        const isEmpty = value === null || value === '' || (isCall && Array.isArray(value) && value.length === 0);
        return isEmpty ? `${name} is ${JSON.stringify(value)}` : null;
      });
    },
  },
  {
    name: 'a vendor that is not known is answered, not complained about',
    versions: 'every',
    watch: ofAnswers(['DataTransfer'], (_, answer, known) =>
      answer === null && known.accepted ? 'it is answered with an error' : null,
    ),
  },
];

/** What may not be said before an answer to what it follows from. */
function follows(known: Known, { action: asked, payload: wanted }: Call, action: string, payload: Json): boolean {
  switch (asked) {
    case 'RemoteStartTransaction':
      return (action === 'Authorize' || action === 'StartTransaction') && payload.idTag === wanted.idTag;
    case 'RequestStartTransaction':
      return action === 'TransactionEvent' && payload.transactionInfo.remoteStartId === wanted.remoteStartId;
    case 'TriggerMessage':
    case 'ExtendedTriggerMessage':
      return known.instant && action === wanted.requestedMessage;
    case 'ChangeAvailability':
      return known.instant && action === 'StatusNotification';
    case 'Reset':
      return known.instant && (action === 'StopTransaction' || action === 'TransactionEvent');
    case 'GetBaseReport':
    case 'GetReport':
      return action === 'NotifyReport' && payload.requestId === wanted.requestId;
    case 'RemoteStopTransaction':
      return known.instant && action === 'StopTransaction' && payload.transactionId === wanted.transactionId;
    default:
      return false;
  }
}

/** Walks without recursion: a payload may be nested as deep as a megabyte allows. */
function found(payload: Json, problemOf: (name: string, value: unknown) => string | null): string | null {
  const rest: (readonly [name: string, value: unknown])[] = [['the payload', payload]];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const [name, value] = next;
    const problem = problemOf(name, value);
    if (problem !== null) return problem;
    if (typeof value === 'object' && value !== null && name !== 'customData') rest.push(...Object.entries(value));
  }
  return null;
}
