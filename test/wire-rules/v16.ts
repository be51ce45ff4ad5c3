// Rules of OCPP 1.6 for what a charger says of its connectors and its transactions.

import { isHeldBack, isOn, isTriggered, isUpToDate, type Json, type Known, numbered, openAt } from './listener.ts';
import { readingsOf, registerName } from './meter.ts';
import { ofCalls, type Rule } from './rule.ts';

/** From what a connector may become what, by the table of the standard; a car that wants nothing shows before it charges, too. */
const steps: Readonly<Record<string, readonly string[]>> = {
  Available: ['Preparing', 'SuspendedEV', 'Reserved', 'Unavailable', 'Faulted'],
  Preparing: ['Available', 'Charging', 'SuspendedEV', 'SuspendedEVSE', 'Reserved', 'Unavailable', 'Faulted'],
  Charging: ['SuspendedEV', 'SuspendedEVSE', 'Finishing', 'Available', 'Unavailable', 'Faulted'],
  SuspendedEV: [
    'Charging',
    'SuspendedEVSE',
    'Preparing',
    'Finishing',
    'Available',
    'Reserved',
    'Unavailable',
    'Faulted',
  ],
  SuspendedEVSE: ['Charging', 'SuspendedEV', 'Finishing', 'Available', 'Unavailable', 'Faulted'],
  Finishing: ['Available', 'Preparing', 'SuspendedEV', 'Unavailable', 'Faulted'],
  Reserved: ['Available', 'Preparing', 'SuspendedEV', 'Unavailable', 'Faulted'],
  Unavailable: ['Available', 'Preparing', 'SuspendedEV', 'Finishing', 'Reserved', 'Faulted'],
};

/** With these nothing can be charged: they are never only a warning. */
const blocking: readonly string[] = [
  'GroundFailure',
  'OverCurrentFailure',
  'OverVoltage',
  'PowerSwitchFailure',
  'UnderVoltage',
];

/** Only the driver's own token ends a transaction with a token in hand. */
const endsWithToken = ['Local', 'MasterPass', undefined];

export const hasDelay = (known: Known, atMs: number): boolean => known.delayUntilMs >= atMs;
const isCharging = (status: string): boolean => status === 'Charging' || status === 'SuspendedEVSE';

export const statusRules: readonly Rule[] = [
  {
    name: 'the station as a whole is available, unavailable or faulted',
    versions: '1.6',
    watch: ofCalls(['StatusNotification'], ({ connectorId, status }) =>
      connectorId === 0 && !['Available', 'Unavailable', 'Faulted'].includes(status) ? status : null,
    ),
  },
  {
    name: 'what is faulted says why',
    versions: '1.6',
    watch: ofCalls(['StatusNotification'], ({ status, errorCode }) =>
      status === 'Faulted' && errorCode === 'NoError' ? 'Faulted with NoError' : null,
    ),
  },
  {
    name: 'what has recovered does not say any more what was wrong',
    versions: '1.6',
    watch: ofCalls(['StatusNotification'], ({ connectorId, status, errorCode }, known) => {
      const before = known.shown.get(connectorId);
      const isStill = blocking.includes(errorCode) && errorCode === before?.errorCode;
      return before?.status === 'Faulted' && status !== 'Faulted' && isStill ? `${status} with ${errorCode}` : null;
    }),
  },
  {
    name: 'after a boot and after a reconnection the status of the station and of every connector comes first, once',
    versions: '1.6',
    watch: (known) => {
      let untold: Set<number> | null = null;
      const connectors = new Set([0, 1]);
      let hasBooted = false;
      return (word) => {
        const isAccepting =
          word.kind === 'result' && word.call?.action === 'BootNotification' && word.payload?.status === 'Accepted';
        if (word.kind === 'closed') untold = null;
        if (word.kind === 'opened') hasBooted = false;
        hasBooted ||= isAccepting;
        if ((isAccepting && !known.accepted) || (word.kind === 'opened' && isReconnected(known, word.life))) {
          untold = new Set(connectors);
        }
        if (word.kind !== 'call' || word.from !== 'charger') return null;
        const { action, payload } = word;
        // Where nobody knows of lives, one that goes on without a boot goes on with the life that it had.
        if (known.life === null && known.accepted && known.lastCallMs === null) untold = new Set(connectors);
        if (action === 'BootNotification') untold = null;
        if (untold === null) return null;
        if (action === 'StatusNotification') {
          connectors.add(payload.connectorId);
          untold.delete(payload.connectorId);
          return null;
        }
        const missing = [...untold];
        if (isTriggered(known, action, word.atMs) && missing.length > 0) return null;
        untold = null;
        if (hasBooted && known.life === null && isTail(missing, connectors)) {
          // Where nobody knows of lives, it may have been built anew with fewer connectors.
          for (const connectorId of missing) connectors.delete(connectorId);
          return null;
        }
        return missing.length === 0 ? null : `${action} comes before the status of ${missing}`;
      };
    },
  },
  {
    name: 'a status is told when it has changed',
    versions: '1.6',
    watch: ofCalls(['StatusNotification'], (payload, known, { action, atMs }) => {
      const { connectorId, status, errorCode, info, vendorErrorCode } = payload;
      if (isTriggered(known, action, atMs)) return null;
      const isSame = known.shown.get(connectorId)?.text === JSON.stringify([status, errorCode, info, vendorErrorCode]);
      return isSame ? `connector ${connectorId} is still ${status} ${errorCode}` : null;
    }),
  },
  {
    name: 'a connector becomes only what it can become',
    versions: '1.6',
    watch: ofCalls(['StatusNotification'], ({ connectorId, status }, known, { action, atMs }) => {
      const before = known.shown.get(connectorId)?.status;
      if (connectorId === 0 || before === undefined || before === status || before === 'Faulted') return null;
      if (hasDelay(known, atMs) || isTriggered(known, action, atMs)) return null;
      return steps[before]?.includes(status) ? null : `connector ${connectorId} from ${before} to ${status}`;
    }),
  },
  {
    name: 'a connector charges in a transaction only',
    versions: '1.6',
    watch: ofCalls(['StatusNotification'], ({ connectorId, status }, known) => {
      if (!isCharging(status) || isHeldBack(known) || !known.shown.has(connectorId)) return null;
      return openAt(known, connectorId) === undefined ? `connector ${connectorId} is ${status} without one` : null;
    }),
  },
  {
    name: 'a transaction begins where a car has come',
    versions: '1.6',
    watch: ofCalls(['StartTransaction'], ({ connectorId, timestamp }, known, { atMs }) => {
      const shown = known.shown.get(connectorId)?.status;
      // What had to wait tells of a connector that has become something else since.
      const hasWaited = Date.parse(timestamp) < Math.max(atMs - 1_000, known.openedAtMs) + known.clockOffsetMs;
      if (shown === undefined || hasWaited || hasDelay(known, atMs) || known.isClockSet) return null;
      return shown === 'Preparing' || shown === 'SuspendedEV' ? null : `connector ${connectorId} is ${shown}`;
    }),
  },
  {
    name: 'with the cable still in a transaction ends in Finishing',
    versions: '1.6',
    watch: ofCalls(['StatusNotification'], ({ connectorId, status }, known, { atMs }) => {
      const before = known.shown.get(connectorId)?.status;
      if (status !== 'Available' || before === undefined || !isCharging(before) || isHeldBack(known)) return null;
      const last = known.transactions.findLast((transaction) => transaction.connectorId === connectorId);
      if (hasDelay(known, atMs) || !isOn(known, 'StopTransactionOnEVSideDisconnect', true)) return null;
      const reason = last?.stop?.reason;
      return reason === 'EVDisconnected' ? null : `connector ${connectorId} is Available after ${reason}`;
    }),
  },
];

const isReconnected = (known: Known, life: number | null): boolean =>
  known.accepted && life !== null && life === known.life;

export const transactionRules: readonly Rule[] = [
  {
    name: 'a transaction is called by the number that the CSMS gave it, and not after its end',
    versions: '1.6',
    watch: ofCalls(['StopTransaction', 'MeterValues'], (payload, known, { action }) => {
      const { transactionId } = payload;
      if (transactionId === undefined) return null;
      const transaction = numbered(known, transactionId);
      if (transaction === undefined) return `no transaction has the number ${transactionId}`;
      const isOver = transaction.stop !== null && JSON.stringify(transaction.stop) !== JSON.stringify(payload);
      if (isOver) return `${action} of ${transactionId} after its end`;
      return action === 'MeterValues' && payload.connectorId !== transaction.connectorId
        ? `${transactionId} runs at connector ${transaction.connectorId}`
        : null;
    }),
  },
  {
    name: 'a connector has one transaction at a time',
    versions: '1.6',
    watch: ofCalls(['StartTransaction'], ({ connectorId }, known, call) => {
      const running = openAt(known, connectorId);
      // Of a start that was never answered the end is never told.
      if (running === undefined || running.ids.size === 0) return null;
      return running.text === JSON.stringify([call.action, call.payload]) ? null : `${[...running.ids]} is running`;
    }),
  },
  {
    name: 'what is measured at one moment is told as one',
    versions: '1.6',
    watch: ofCalls(['MeterValues', 'StopTransaction'], ({ meterValue = [], transactionData = [] }) => {
      const moments = [...meterValue, ...transactionData].map(
        ({ timestamp, sampledValue }: Json) => `${timestamp} ${sampledValue[0]?.context}`,
      );
      const twice = moments.find((moment, index) => moments.indexOf(moment) !== index);
      return twice === undefined ? null : `there are two of ${twice}`;
    }),
  },
  {
    name: 'registers are in whole Wh',
    versions: '1.6',
    watch: ofCalls(['MeterValues', 'StopTransaction'], (payload) => {
      const odd = readingsOf(payload).find(
        ({ measurand, unit, value }) =>
          measurand === registerName && ((unit ?? 'Wh') !== 'Wh' || !Number.isInteger(Number(value))),
      );
      return odd === undefined ? null : `${odd.value} ${odd.unit}`;
    }),
  },
  {
    name: 'a transaction begins and ends with what its samples say',
    versions: '1.6',
    watch: ofCalls(['StopTransaction'], (payload, known) => {
      const transaction = numbered(known, payload.transactionId);
      if (payload.meterStop < (transaction?.start.meterStart ?? 0)) return 'it ends below its start';
      for (const { context, measurand, value, phase, location } of readingsOf(payload)) {
        if (measurand !== registerName || phase !== undefined || location === 'Inlet') continue;
        if (context === 'Transaction.End' && Number(value) !== payload.meterStop) return `it ends with ${value} Wh`;
        const start = transaction?.start.meterStart;
        if (context === 'Transaction.Begin' && start !== undefined && Number(value) !== start) {
          return `it begins with ${value} Wh`;
        }
      }
      return null;
    }),
  },
  {
    name: 'what is said of a transaction is dated between its start and its end, in order',
    versions: '1.6',
    watch: (known) => {
      const latest = new Map<number, number>();
      return ofCalls(['StartTransaction', 'StopTransaction', 'MeterValues'], (payload, _, { action }) => {
        const { transactionId, timestamp } = payload;
        if (known.isClockSet || action === 'StartTransaction' || transactionId === undefined) return null;
        const startedMs = numbered(known, transactionId)?.startedMs ?? 0;
        const times = [...(payload.meterValue ?? []), ...(payload.transactionData ?? [])].map(
          (value) => value.timestamp,
        );
        const told = action === 'MeterValues' ? times : [timestamp];
        const before = latest.get(transactionId) ?? startedMs;
        const early =
          told.find((time) => Date.parse(time) < before) ?? times.find((time) => Date.parse(time) < startedMs);
        latest.set(transactionId, Math.max(before, ...told.map((time) => Date.parse(time))));
        return early === undefined ? null : `${action} is dated ${early}, before ${new Date(before).toISOString()}`;
      })(known);
    },
  },
  {
    name: 'meter values of a transaction bear its number, others bear none',
    versions: '1.6',
    watch: (known) => {
      const unnumbered = new Map<number, number[]>();
      return ofCalls(['MeterValues', 'StopTransaction'], (payload) => {
        if (payload.transactionId === undefined) {
          const { connectorId } = payload;
          if (connectorId === 0 || openAt(known, connectorId) === undefined) return null;
          const times = (payload.meterValue as Json[]).map(({ timestamp }) => Date.parse(timestamp));
          unnumbered.set(connectorId, [...(unnumbered.get(connectorId) ?? []), ...times]);
          return null;
        }
        const transaction = numbered(known, payload.transactionId);
        if (payload.meterStop === undefined || transaction === undefined || known.isClockSet) return null;
        const { connectorId, startedMs } = transaction;
        const endedMs = Date.parse(payload.timestamp);
        const inside = unnumbered.get(connectorId)?.find((time) => time > startedMs && time < endedMs);
        unnumbered.delete(connectorId);
        return inside === undefined ? null : `those of ${new Date(inside).toISOString()} have none`;
      })(known);
    },
  },
  {
    name: 'the end of a transaction names a token only when one was presented',
    versions: '1.6',
    watch: ofCalls(['StopTransaction'], ({ reason, idTag }) =>
      idTag !== undefined && !endsWithToken.includes(reason) ? `${reason} with ${idTag}` : null,
    ),
  },
  {
    name: 'a transaction that the CSMS has stopped, reset or unlocked says so',
    versions: '1.6',
    watch: (known) => {
      const reasons = new Map<number, readonly string[]>();
      const expect = (transactionId: number | undefined, ...wanted: string[]): void => {
        if (transactionId !== undefined) reasons.set(transactionId, wanted);
      };
      return (word) => {
        if (word.kind === 'result' && word.from === 'charger' && word.call !== null && isUpToDate(known)) {
          const { action, payload: asked } = word.call;
          const said = word.payload?.status;
          if (action === 'RemoteStopTransaction' && said === 'Accepted') expect(asked.transactionId, 'Remote');
          if (action === 'UnlockConnector' && said === 'Unlocked') {
            expect(numberOf(known, asked.connectorId), 'UnlockCommand');
          }
          if (action === 'Reset' && said === 'Accepted') {
            for (const { connectorId } of known.transactions) {
              expect(numberOf(known, connectorId), `${asked.type}Reset`);
            }
          }
        }
        if (word.kind !== 'call' || word.action !== 'StopTransaction' || word.from !== 'charger') return null;
        const { transactionId, reason } = word.payload;
        const wanted = reasons.get(transactionId);
        reasons.delete(transactionId);
        return wanted === undefined || wanted.includes(reason)
          ? null
          : `${transactionId} says ${reason}, not ${wanted}`;
      };
    },
  },
  {
    name: 'a transaction whose token the CSMS refuses ends, or gets no more energy',
    versions: '1.6',
    watch: ofCalls(['MeterValues'], ({ transactionId, meterValue }, known) => {
      const refusedMs = transactionId === undefined ? null : (numbered(known, transactionId)?.refusedMs ?? null);
      if (refusedMs === null || known.isClockSet || Number(known.config.get('MaxEnergyOnInvalidId') ?? 0) > 0)
        return null;
      const later = (meterValue as Json[]).filter(({ timestamp }) => Date.parse(timestamp) > refusedMs);
      if (later.length === 0) return null;
      if (isOn(known, 'StopTransactionOnInvalidId', true)) return `${transactionId} goes on`;
      const powers = later.flatMap(({ sampledValue }) => sampledValue as Json[]);
      const isDrawing = powers.some(({ measurand, value }) => measurand === 'Power.Active.Import' && Number(value) > 0);
      return isDrawing ? `${transactionId} still draws power` : null;
    }),
  },
  {
    name: 'values read on the clock are read on the grid of the clock',
    versions: '1.6',
    watch: ofCalls(['MeterValues'], (payload, known) => {
      const intervalS = Number(known.config.get('ClockAlignedDataInterval') ?? 0);
      if (intervalS === 0 || known.isClockSet) return null;
      for (const { timestamp, sampledValue } of (payload.meterValue ?? []) as Json[]) {
        if (!(sampledValue as Json[]).some(({ context }) => context === 'Sample.Clock')) continue;
        const sinceMidnightMs = Date.parse(timestamp) % 86_400_000;
        if (sinceMidnightMs % (intervalS * 1000) !== 0) return `${timestamp} is not on a grid of ${intervalS} s`;
      }
      return null;
    }),
  },
];

const numberOf = (known: Known, connectorId: number): number | undefined =>
  [...(openAt(known, connectorId)?.ids ?? [])].at(-1);

/** Those with the highest numbers, and not all of them. */
function isTail(missing: readonly number[], all: ReadonlySet<number>): boolean {
  const told = [...all].filter((connectorId) => !missing.includes(connectorId));
  return missing.every((connectorId) => connectorId > Math.max(1, ...told));
}
