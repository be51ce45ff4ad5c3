// Whether the CSMS lets a charger be used: of the station as a whole, and of each outlet. Kept over a restart.

import { reportChanges, reportStation } from './changes.ts';
import { andThen, type Charger, type Step, withConnector } from './charger.ts';

export interface AvailabilityChange {
  readonly station: boolean;
  readonly outlets: readonly number[];
  readonly operative: boolean;
}

/** A transaction goes on until its end: what is switched off meanwhile is off afterwards. */
export function changeAvailability(charger: Charger, change: AvailabilityChange, atMs: number): Step {
  const { station, outlets, operative } = change;
  const changed = outlets.reduce(
    (next, outlet) => withConnector(next, outlet, operative ? { operative } : { operative, waiting: null }),
    station ? { ...charger, operative, waiting: operative ? charger.waiting : null } : charger,
  );
  return andThen(reportStation(charger, changed, atMs), (next) => reportChanges(next, atMs));
}

/** Whether it must wait for the end of a transaction. */
export const mustWait = (charger: Charger, { station, outlets, operative }: AvailabilityChange): boolean =>
  !operative &&
  charger.connectors.some(({ session }, outlet) => session !== null && (station || outlets.includes(outlet)));
