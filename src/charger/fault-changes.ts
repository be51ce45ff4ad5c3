// The faults of an outlet or the whole station change, and the outside hears of it.

import { reportChanges, reportStation } from './changes.ts';
import { andThen, type Charger, connectorAt, type Step, step, withConnector } from './charger.ts';
import type { Fault } from './faults.ts';
import { connectorRef } from './station.ts';

/** An outlet, or null for the station as a whole. */
export type FaultPlace = number | null;

/** A code that is active already is only brought up to date: the outside knows of it. */
export function addFault(charger: Charger, place: FaultPlace, fault: Fault, atMs: number): Step {
  const present = faultsAt(charger, place);
  const others = present.filter((other) => other.errorCode !== fault.errorCode);
  const shown = changeFaults(charger, place, [...others, fault], atMs);
  const isNew = others.length === present.length;
  return isNew ? andThen(shown, (next) => tellFault(next, place, fault, false, atMs)) : shown;
}

export function removeFaults(charger: Charger, place: FaultPlace, going: readonly Fault[], atMs: number): Step {
  const staying = faultsAt(charger, place).filter((fault) => !going.includes(fault));
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
