// Things break and are mended: a fault appears on an outlet or the whole station, and goes.

import { andThen, type Charger, named, type Refusal, refuse, type Step } from './charger.ts';
import { endSessions } from './charging.ts';
import { addFault, type FaultPlace, faultsAt, removeFaults } from './fault-changes.ts';
import { type Fault, faultStopReason } from './faults.ts';

/** One that blocks ends the transactions of its place. */
export function injectFault(charger: Charger, place: FaultPlace, fault: Fault, atMs: number): Step {
  const told = addFault(charger, place, fault, atMs);
  return fault.blocking ? andThen(told, (next) => endBrokenSessions(next, place, fault, atMs)) : told;
}

/** `errorCode` null clears all of that place. */
export function clearFault(
  charger: Charger,
  place: FaultPlace,
  errorCode: string | null,
  atMs: number,
): Step | Refusal {
  const going = faultsAt(charger, place).filter((fault) => errorCode === null || fault.errorCode === errorCode);
  if (going.length === 0) {
    const where = place === null ? 'the station' : named(charger, place);
    return refuse('no_fault', `no such fault is active on ${where}`);
  }
  return removeFaults(charger, place, going, atMs);
}

function endBrokenSessions(charger: Charger, place: FaultPlace, fault: Fault, atMs: number): Step {
  const end = { trigger: 'AbnormalCondition', reason: faultStopReason(fault.errorCode), token: null } as const;
  return endSessions(charger, (_, outlet) => (place === null || place === outlet ? end : null), atMs);
}
