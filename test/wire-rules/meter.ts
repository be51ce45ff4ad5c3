// What the meters of a charger say, in the words of any version, and the rule that holds for every register.

import { type Call, type Json, type Known, numbered } from './listener.ts';
import type { Rule } from './rule.ts';

export const registerName = 'Energy.Active.Import.Register';

/** One value of a meter, with the time of its sample. */
export const readingsOf = (payload: Json): Json[] =>
  [...(payload.meterValue ?? []), ...(payload.transactionData ?? [])].flatMap(({ timestamp, sampledValue }: Json) =>
    (sampledValue as Json[]).map((reading) => ({ measurand: registerName, ...reading, timestamp })),
  );

interface Register {
  /** A connector of 1.6, an EVSE of 2.x; 0 is the main meter. */
  readonly place: number;
  readonly atMs: number;
  readonly wh: number;
}

export const meterRules: readonly Rule[] = [
  {
    name: 'a register never counts down, over transactions, outages and restarts',
    versions: 'every',
    watch: (known) => {
      const latest = new Map<number, Register>();
      let offsetMs = 0;
      return (word) => {
        // By another clock nobody can tell what was before what.
        if (known.clockOffsetMs !== offsetMs) latest.clear();
        offsetMs = known.clockOffsetMs;
        if (word.kind !== 'call' || word.from !== 'charger') return null;
        for (const register of registersOf(word, known)) {
          const { place, atMs, wh } = register;
          const before = latest.get(place);
          // What was kept for want of a line, or for the end, comes after what is younger.
          const isDown = before !== undefined && (atMs >= before.atMs ? wh < before.wh : wh > before.wh);
          if (isDown) return `${place} from ${before.wh} Wh to ${wh} Wh`;
          if (before === undefined || atMs >= before.atMs) latest.set(place, register);
        }
        return null;
      };
    },
  },
];

function registersOf({ action, payload }: Call, known: Known): readonly Register[] {
  if (action === 'StartTransaction') {
    return [{ place: payload.connectorId, atMs: Date.parse(payload.timestamp), wh: payload.meterStart }];
  }
  if (!['MeterValues', 'StopTransaction', 'TransactionEvent'].includes(action)) return [];
  const place =
    payload.connectorId ??
    payload.evseId ??
    payload.evse?.id ??
    numbered(known, payload.transactionId)?.connectorId ??
    known.evses.get(payload.transactionInfo?.transactionId);
  if (place === undefined) return [];
  const told = readingsOf(payload)
    .filter(({ measurand, phase }) => measurand === registerName && phase === undefined)
    .map(({ timestamp, value }) => ({ place, atMs: Date.parse(timestamp), wh: Number(value) }));
  if (payload.meterStop === undefined) return told;
  return [...told, { place, atMs: Date.parse(payload.timestamp), wh: payload.meterStop }];
}
