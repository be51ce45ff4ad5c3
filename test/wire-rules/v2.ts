// Rules of OCPP 2.0.1 and 2.1 for statuses, transactions and reports.

import { isTriggered, isUpToDate } from './listener.ts';
import { ofCalls, type Rule } from './rule.ts';

/** These are nobody's token. */
const endsWithoutToken = ['Remote', 'EVDisconnected', 'PowerLoss', 'Reboot', 'ImmediateReset', 'Timeout'];

/** With so much kept, something may have been left out for want of room. */
const leastOverflow = 400;

export const rules2: readonly Rule[] = [
  {
    name: 'the status of a connector is told, not that of the station',
    versions: '2.x',
    watch: ofCalls(['StatusNotification'], ({ evseId, connectorId }) =>
      evseId === 0 || connectorId === 0 ? `of EVSE ${evseId}, connector ${connectorId}` : null,
    ),
  },
  {
    name: 'a status is told when it has changed',
    versions: '2.x',
    watch: (known) => {
      const shown = new Map<string, string>();
      return (word) => {
        const isAccepting = word.kind === 'result' && word.call?.action === 'BootNotification';
        if (word.kind === 'opened' || isAccepting) shown.clear();
        if (word.kind !== 'call' || word.from !== 'charger' || word.action !== 'StatusNotification') return null;
        const { evseId, connectorId, connectorStatus } = word.payload;
        const isSame = shown.get(`${evseId} ${connectorId}`) === connectorStatus;
        shown.set(`${evseId} ${connectorId}`, connectorStatus);
        return isSame && !isTriggered(known, word.action, word.atMs)
          ? `EVSE ${evseId} is still ${connectorStatus}`
          : null;
      };
    },
  },
  {
    name: 'a transaction has one start, one end, and every number between, once or word for word again',
    versions: '2.x',
    watch: (known) => {
      const told = new Map<string, { seqNo: number; text: string; over: boolean }>();
      /** Told of a time without a line, in a row; and what was missing among it. */
      let kept = 0;
      let gap: string | null = null;
      return ofCalls(['TransactionEvent'], (payload) => {
        const { eventType, seqNo, offline } = payload;
        const id = payload.transactionInfo.transactionId as string;
        const text = JSON.stringify(payload);
        const before = told.get(id);
        if (before?.text === text) return null;
        told.set(id, { seqNo, text, over: eventType === 'Ended' });
        if (id.length > 36) return `the id ${id} is too long`;
        if ((before === undefined) !== (eventType === 'Started')) return `${eventType} ${seqNo} of ${id}`;
        if (before?.over) return `${eventType} ${seqNo} of ${id} after its end`;
        if (seqNo <= (before?.seqNo ?? -1)) return `${seqNo} comes after ${before?.seqNo}`;
        if (seqNo > (before?.seqNo ?? -1) + 1) gap ??= `${seqNo} comes after ${before?.seqNo}`;
        if (offline) {
          kept++;
          return null;
        }
        // Where more was kept than there is room for, samples were thinned out.
        const missing = kept < leastOverflow ? gap : null;
        kept = 0;
        gap = null;
        return missing;
      })(known);
    },
  },
  {
    name: 'a start names the EVSE and the token, an end its reason',
    versions: '2.x',
    watch: ofCalls(['TransactionEvent'], ({ eventType, evse, idToken, transactionInfo, triggerReason }) => {
      const { stoppedReason, remoteStartId } = transactionInfo;
      if (eventType === 'Started' && (evse === undefined || idToken === undefined)) return 'the start does not';
      if (eventType !== 'Started' && remoteStartId !== undefined) return `${eventType} has a remote start`;
      if ((triggerReason === 'RemoteStart') !== (remoteStartId !== undefined))
        return `${triggerReason} with ${remoteStartId}`;
      if (eventType !== 'Ended') return null;
      if (stoppedReason === undefined) return 'the end does not';
      if (idToken !== undefined && endsWithoutToken.includes(stoppedReason)) return `${stoppedReason} with a token`;
      const isUnplugged = triggerReason === 'EVCommunicationLost';
      return isUnplugged === (stoppedReason === 'EVDisconnected') ? null : `${triggerReason} with ${stoppedReason}`;
    }),
  },
  {
    name: 'a remote start has a number that the CSMS gave it',
    versions: '2.x',
    watch: () => {
      const asked = new Set<number>();
      return (word) => {
        if (word.kind !== 'call') return null;
        if (word.action === 'RequestStartTransaction') asked.add(word.payload.remoteStartId);
        const id = word.action === 'TransactionEvent' ? word.payload.transactionInfo.remoteStartId : undefined;
        return id === undefined || asked.has(id) ? null : `nobody has asked for ${id}`;
      };
    },
  },
  {
    name: 'a remote start begins with its number',
    versions: '2.x',
    watch: (known) => {
      const asked = new Map<string, number>();
      return (word) => {
        if (word.kind === 'result' && word.from === 'charger' && word.call?.action === 'RequestStartTransaction') {
          const { idToken } = word.call.payload;
          if (word.payload?.status === 'Accepted' && known.instant) asked.set(idToken.idToken, word.atMs);
        }
        if (word.kind !== 'call' || word.action !== 'TransactionEvent') return null;
        const { eventType, idToken, transactionInfo, triggerReason } = word.payload;
        const sinceMs = asked.get(idToken?.idToken);
        if (eventType !== 'Started' || sinceMs === undefined) return null;
        asked.delete(idToken.idToken);
        // Whoever has waited longer may have come with the token in hand.
        const isOfIt = word.atMs === sinceMs && triggerReason !== 'Authorized';
        return isOfIt && transactionInfo.remoteStartId === undefined ? `${triggerReason} without one` : null;
      };
    },
  },
  {
    name: 'a transaction that the CSMS has stopped or reset says so',
    versions: '2.x',
    watch: (known) => {
      const running = new Set<string>();
      const reasons = new Map<string, string>();
      return (word) => {
        if (word.kind === 'result' && word.from === 'charger' && word.call !== null && isUpToDate(known)) {
          const { action, payload } = word.call;
          const isAccepted = word.payload?.status === 'Accepted';
          if (isAccepted && action === 'RequestStopTransaction') reasons.set(payload.transactionId, 'Remote');
          if (isAccepted && action === 'Reset' && payload.type === 'Immediate' && payload.evseId === undefined) {
            for (const id of running) reasons.set(id, 'ImmediateReset');
          }
        }
        if (word.kind !== 'call' || word.action !== 'TransactionEvent') return null;
        const { eventType, transactionInfo } = word.payload;
        const { transactionId, stoppedReason } = transactionInfo;
        running.add(transactionId);
        if (eventType !== 'Ended') return null;
        running.delete(transactionId);
        const wanted = reasons.get(transactionId);
        reasons.delete(transactionId);
        return wanted === undefined || wanted === stoppedReason ? null : `it says ${stoppedReason}, not ${wanted}`;
      };
    },
  },
  {
    name: 'what happened without a line says so, and nothing else does',
    versions: '2.x',
    watch: (known) => {
      /** When the line was lost, and when it was back. */
      const gaps: [lostMs: number, backMs: number][] = [[Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]];
      return (word) => {
        const last = gaps.at(-1);
        if (word.kind === 'opened' && last !== undefined) last[1] = word.atMs;
        if (word.kind === 'closed') gaps.push([word.atMs, Number.POSITIVE_INFINITY]);
        if (word.kind !== 'call' || word.action !== 'TransactionEvent' || !known.instant || known.isClockSet)
          return null;
        const { timestamp, offline = false, eventType, transactionInfo } = word.payload;
        // A power cut is noticed when it is over.
        if (transactionInfo.stoppedReason === 'PowerLoss') return null;
        const atMs = Date.parse(timestamp);
        const isInside = gaps.some(([lostMs, backMs]) => atMs > lostMs && atMs < backMs);
        const isAtEdge = gaps.some((edges) => edges.includes(atMs));
        return isAtEdge || isInside === offline ? null : `${eventType} of ${timestamp} says ${offline}`;
      };
    },
  },
  {
    name: 'a connector in an authorized transaction is not unlocked',
    versions: '2.x',
    watch: (known) => {
      const running = new Map<string, number>();
      return (word) => {
        if (word.kind === 'call' && word.action === 'TransactionEvent') {
          const { transactionInfo, evse, idToken, eventType } = word.payload;
          if (eventType === 'Ended') running.delete(transactionInfo.transactionId);
          else if (evse !== undefined && idToken !== undefined) running.set(transactionInfo.transactionId, evse.id);
        }
        if (word.kind !== 'result' || word.call?.action !== 'UnlockConnector' || !isUpToDate(known)) return null;
        const isRunning = [...running.values()].includes(word.call.payload.evseId);
        const { status } = word.payload ?? {};
        return isRunning && status === 'Unlocked' ? `EVSE ${word.call.payload.evseId} is` : null;
      };
    },
  },
  {
    name: 'in a transaction the meter is told of by the transaction',
    versions: '2.x',
    watch: (known) => {
      const running = new Map<string, { evseId: number; fromMs: number }>();
      const beside: { evseId: number; atMs: number }[] = [];
      return ofCalls(['TransactionEvent', 'MeterValues'], (payload) => {
        if (payload.transactionInfo === undefined) {
          for (const { timestamp } of payload.meterValue)
            beside.push({ evseId: payload.evseId, atMs: Date.parse(timestamp) });
          return null;
        }
        const { transactionId } = payload.transactionInfo;
        const atMs = Date.parse(payload.timestamp);
        if (payload.evse !== undefined) running.set(transactionId, { evseId: payload.evse.id, fromMs: atMs });
        const here = running.get(transactionId);
        if (payload.eventType !== 'Ended' || here === undefined || known.isClockSet) return null;
        running.delete(transactionId);
        const inside = beside.find(
          (value) => value.evseId === here.evseId && value.atMs > here.fromMs && value.atMs < atMs,
        );
        beside.splice(0, beside.length, ...beside.filter(({ evseId }) => evseId !== here.evseId));
        return inside === undefined ? null : `not that of ${new Date(inside.atMs).toISOString()}`;
      })(known);
    },
  },
  {
    name: 'after a reset the boot says so',
    versions: '2.x',
    watch: () => {
      let isReset = false;
      return (word) => {
        if (word.kind === 'result' && word.from === 'charger' && word.call?.action === 'Reset') {
          isReset = word.payload?.status === 'Accepted' && word.call.payload.evseId === undefined;
        }
        if (word.kind !== 'call' || word.action !== 'BootNotification' || !isReset) return null;
        isReset = false;
        const { reason } = word.payload;
        return ['RemoteReset', 'ScheduledReset', 'PowerUp', 'Triggered'].includes(reason) ? null : `it says ${reason}`;
      };
    },
  },
  {
    name: 'a report is numbered from 0, and its last part says so',
    versions: '2.x',
    watch: (known) => {
      const parts = new Map<number, number>();
      return ofCalls(['NotifyReport'], ({ requestId, seqNo, tbc }) => {
        const next = parts.get(requestId) ?? 0;
        if (tbc) parts.set(requestId, next + 1);
        else parts.delete(requestId);
        return seqNo === next ? null : `${seqNo} comes instead of ${next}`;
      })(known);
    },
  },
  {
    name: 'the state of an update names the request, unless nothing goes on',
    versions: '2.x',
    watch: ofCalls(['FirmwareStatusNotification'], ({ status, requestId }) =>
      (status === 'Idle') === (requestId === undefined) ? null : `${status} with ${requestId}`,
    ),
  },
];
