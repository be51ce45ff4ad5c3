// The main meter of a station with several outlets: what they take together at the grid's side.

import type { Charger } from './charger.ts';
import {
  frequencyHz,
  phasesUsed,
  phaseVoltageV,
  powerW,
  type Reading,
  registerWh,
  round,
  threePhases,
} from './meter.ts';
import { specOf } from './station.ts';

export const hasMainMeter = ({ connectors }: Charger): boolean => connectors.length > 1;

/** Reads the named measurands, in that order; what a main meter does not know is left out. */
export function readMainMeter(charger: Charger, measurands: readonly string[], sinceWh: number): readonly Reading[] {
  return measurands.flatMap((measurand) => read(charger, measurand, sinceWh));
}

export const mainRegisterWh = (charger: Charger): number =>
  charger.connectors.reduce((sum, connector) => sum + registerWh(connector), 0);

function read(charger: Charger, measurand: string, sinceWh: number): readonly Reading[] {
  const location = 'Inlet';
  switch (measurand) {
    case 'Energy.Active.Import.Register':
      return [{ measurand, value: mainRegisterWh(charger), unit: 'Wh', location }];
    case 'Energy.Active.Import.Interval':
      return [{ measurand, value: mainRegisterWh(charger) - sinceWh, unit: 'Wh', location }];
    case 'Power.Active.Import': {
      const watts = charger.connectors.reduce((sum, connector) => sum + powerW(connector), 0);
      return [{ measurand, value: Math.round(watts), unit: 'W', location }];
    }
    case 'Current.Import':
      return threePhases.map((phase, index) => ({
        measurand,
        value: round(phaseCurrentA(charger, index), 2),
        unit: 'A',
        phase,
        location,
      }));
    case 'Voltage':
      return threePhases.map((phase) => ({
        measurand,
        value: phaseVoltageV,
        unit: 'V',
        phase: `${phase}-N`,
        location,
      }));
    case 'Frequency':
      return [{ measurand, value: frequencyHz, unit: 'Hz', location }];
    default:
      return [];
  }
}

/** What a rectifier feeds comes from all three phases. */
function phaseCurrentA(charger: Charger, phase: number): number {
  return charger.connectors.reduce((sum, connector, outlet) => {
    const spec = specOf(charger.station, outlet);
    const used = spec.current === 'DC' ? threePhases.length : phasesUsed(connector, spec);
    return phase < used ? sum + powerW(connector) / (used * phaseVoltageV) : sum;
  }, 0);
}
