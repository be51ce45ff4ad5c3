// Things break and are mended: a fault appears on an outlet or the whole station, and goes.

import { reportChanges, reportStation } from './changes.ts';
import {
  andThen,
  type Charger,
  connectorAt,
  named,
  type Refusal,
  refuse,
  type Step,
  step,
  withConnector,
} from './charger.ts';
import { endSessions } from './charging.ts';
import { type Fault, faultStopReason } from './faults.ts';
import { connectorRef } from './station.ts';

/** An outlet, or null for the station as a whole. */
export type FaultPlace = number | null;

/** A code that is active already is only brought up to date: the outside knows of it. */
export function injectFault(charger: Charger, place: FaultPlace, fault: Fault, atMs: number): Step {
  const present = faultsAt(charger, place);
  const others = present.filter((other) => other.errorCode !== fault.errorCode);
  const shown = changeFaults(charger, place, [...others, fault], atMs);
  const isNew = others.length === present.length;
  const told = isNew ? andThen(shown, (next) => tellFault(next, place, fault, false, atMs)) : shown;
  return fault.blocking ? andThen(told, (next) => endBrokenSessions(next, place, fault, atMs)) : told;
}

/** `errorCode` null clears all of that place. */
export function clearFault(
  charger: Charger,
  place: FaultPlace,
  errorCode: string | null,
  atMs: number,
): Step | Refusal {
  const present = faultsAt(charger, place);
  const going = present.filter((fault) => errorCode === null || fault.errorCode === errorCode);
  if (going.length === 0) {
    const where = place === null ? 'the station' : named(charger, place);
    return refuse('no_fault', `no such fault is active on ${where}`);
  }
  const staying = present.filter((fault) => !going.includes(fault));
  return going.reduce(
    (told, fault) => andThen(told, (next) => tellFault(next, place, fault, true, atMs)),
    changeFaults(charger, place, staying, atMs),
  );
}

export function faultsAt(charger: Charger, place: FaultPlace): readonly Fault[] {
  return place === null ? charger.faults : connectorAt(charger, place).faults;
}

function changeFaults(charger: Charger, place: FaultPlace, faults: readonly Fault[], atMs: number): Step {
  if (place !== null) return reportChanges(withConnector(charger, place, { faults }), atMs);
  return andThen(reportStation(charger, { ...charger, faults }, atMs), (next) => reportChanges(next, atMs));
}

function tellFault(charger: Charger, place: FaultPlace, fault: Fault, cleared: boolean, atMs: number): Step {
  const connector = place === null ? null : connectorRef(charger.station, place);
  const eventId = charger.faultCount + 1;
  const { errorCode, info, vendorErrorCode } = fault;
  return step({ ...charger, faultCount: eventId }, [
    { kind: 'report', report: { kind: 'fault', connector, eventId, errorCode, info, vendorErrorCode, cleared, atMs } },
    {
      kind: 'event',
      type: cleared ? 'fault.cleared' : 'fault.injected',
      data: { evse_id: connector?.evseId ?? 0, connector_id: connector?.connectorId ?? 0, error_code: errorCode },
    },
  ]);
}

function endBrokenSessions(charger: Charger, place: FaultPlace, fault: Fault, atMs: number): Step {
  const end = { trigger: 'AbnormalCondition', reason: faultStopReason(fault.errorCode), token: null } as const;
  return endSessions(charger, (_, outlet) => (place === null || place === outlet ? end : null), atMs);
}
