// The meter of a connector: the energy register, and what a meter reads at one moment.

import { charge, drawnW } from './battery.ts';
import type { Connector } from './connector.ts';
import { isDrawing } from './connector.ts';
import type { ConnectorSpec } from './station.ts';

export interface Reading {
  readonly measurand: string;
  readonly value: number;
  /** Null: a number without one. */
  readonly unit: 'Wh' | 'varh' | 'W' | 'var' | 'A' | 'V' | 'Percent' | 'Hz' | 'Celsius' | null;
  readonly phase?: string;
  readonly location?: 'Body' | 'EV' | 'Inlet' | 'Outlet';
}

export const phaseVoltageV = 230;
export const frequencyHz = 50;
const batteryMinV = 320;
const batteryMaxV = 420;
const idleCelsius = 25;
const fullLoadCelsius = 45;

/** What the car draws at the moment to which the meter is settled. */
export function powerW(connector: Connector): number {
  return isDrawing(connector) && connector.ev !== null ? drawnW(connector.ev.battery, connector.offeredW) : 0;
}

/** What the register shows: whole watt-hours. A hair below one is rounding, not energy. */
export const registerWh = (connector: Connector): number => Math.floor(connector.meterWh + 1e-6);

/** Brings the register (and the battery) forward to `atMs` at the limit in force until now. */
export function meteredUntil(connector: Connector, atMs: number): Connector {
  const seconds = (atMs - connector.meteredAtMs) / 1000;
  if (seconds <= 0) return connector;
  if (connector.ev === null || !isDrawing(connector)) return { ...connector, meteredAtMs: atMs };
  const { battery, energyWh } = charge(connector.ev.battery, connector.offeredW, seconds);
  return { ...connector, meterWh: connector.meterWh + energyWh, meteredAtMs: atMs, ev: { ...connector.ev, battery } };
}

/**
 * Reads the named measurands, in that order; what this connector cannot measure is left out. `sinceWh` is what the register
 * showed when the interval began that an interval's energy is of.
 */
export function readMeter(
  connector: Connector,
  spec: ConnectorSpec,
  measurands: readonly string[],
  sinceWh: number,
): readonly Reading[] {
  const readings: Reading[] = [];
  const watts = powerW(connector);
  for (const measurand of measurands) read(readings, connector, spec, measurand, watts, sinceWh);
  return readings;
}

function read(
  into: Reading[],
  connector: Connector,
  spec: ConnectorSpec,
  measurand: string,
  watts: number,
  sinceWh: number,
): void {
  switch (measurand) {
    case 'Energy.Active.Import.Register':
      into.push({ measurand, value: registerWh(connector), unit: 'Wh' });
      return;
    case 'Energy.Active.Import.Interval':
      into.push({ measurand, value: registerWh(connector) - sinceWh, unit: 'Wh' });
      return;
    case 'Power.Active.Import':
      into.push({ measurand, value: Math.round(watts), unit: 'W' });
      return;
    case 'Power.Offered':
      into.push({ measurand, value: Math.round(connector.offeredW), unit: 'W' });
      return;
    case 'Power.Factor':
      if (spec.current === 'AC') into.push({ measurand, value: 1, unit: null });
      return;
    case 'Current.Import':
      readCurrents(into, connector, spec, measurand, watts);
      return;
    case 'Current.Offered':
      into.push({ measurand, value: round(lineCurrentA(connector, spec, connector.offeredW), 1), unit: 'A' });
      return;
    case 'Voltage':
      readVoltages(into, connector, spec, measurand);
      return;
    case 'Frequency':
      if (spec.current === 'AC') into.push({ measurand, value: frequencyHz, unit: 'Hz' });
      return;
    case 'Temperature': {
      const celsius = idleCelsius + ((fullLoadCelsius - idleCelsius) * watts) / spec.maxPowerW;
      into.push({ measurand, value: round(celsius, 1), unit: 'Celsius', location: 'Body' });
      return;
    }
    case 'SoC':
      if (connector.ev !== null) {
        into.push({ measurand, value: socPercent(connector), unit: 'Percent', location: 'EV' });
      }
      return;
    default:
      readSeldom(into, connector, spec, measurand, watts);
  }
}

/** What nothing flows of here: energy to the grid, and what is not in phase with the voltage. */
const nothing: Readonly<Record<string, Reading['unit']>> = {
  'Current.Export': 'A',
  'Energy.Active.Export.Interval': 'Wh',
  'Energy.Active.Export.Register': 'Wh',
  'Energy.Reactive.Export.Interval': 'varh',
  'Energy.Reactive.Export.Register': 'varh',
  'Energy.Reactive.Import.Interval': 'varh',
  'Energy.Reactive.Import.Register': 'varh',
  'Power.Active.Export': 'W',
  'Power.Reactive.Export': 'var',
  'Power.Reactive.Import': 'var',
};

/** A measurand can be asked for on one phase alone: `Voltage.L1-N`, `Current.Import.L2`. */
const onPhase = /^(Current\.Import|Power\.Active\.Import|Voltage)\.(L[123])(?:-N)?$/;

function readSeldom(
  into: Reading[],
  connector: Connector,
  spec: ConnectorSpec,
  measurand: string,
  watts: number,
): void {
  const unit = nothing[measurand];
  if (unit !== undefined) {
    into.push({ measurand, value: 0, unit });
    return;
  }
  const [, base, phase] = onPhase.exec(measurand) ?? [];
  const index = phaseNames(spec).indexOf(phase ?? '');
  if (base === undefined || index < 0 || spec.current === 'DC') return;
  if (base === 'Power.Active.Import') {
    const used = phasesUsed(connector, spec);
    into.push({ measurand: base, value: index < used ? Math.round(watts / used) : 0, unit: 'W', phase: phase ?? '' });
    return;
  }
  const all: Reading[] = [];
  if (base === 'Voltage') readVoltages(all, connector, spec, base);
  else readCurrents(all, connector, spec, base, watts);
  into.push(...all.slice(index, index + 1));
}

export function socPercent(connector: Connector): number {
  return connector.ev === null ? 0 : Math.floor(connector.ev.battery.soc * 100);
}

function readCurrents(into: Reading[], connector: Connector, spec: ConnectorSpec, measurand: string, watts: number) {
  const value = round(lineCurrentA(connector, spec, watts), 2);
  if (spec.current === 'DC') {
    into.push({ measurand, value, unit: 'A' });
    return;
  }
  const used = phasesUsed(connector, spec);
  const phases = phaseNames(spec);
  for (let i = 0; i < phases.length; i++) {
    into.push({ measurand, value: i < used ? value : 0, unit: 'A', phase: phases[i] ?? '' });
  }
}

function readVoltages(into: Reading[], connector: Connector, spec: ConnectorSpec, measurand: string): void {
  if (spec.current === 'DC') {
    into.push({ measurand, value: connector.ev === null ? 0 : batteryV(connector), unit: 'V' });
    return;
  }
  for (const phase of spec.phases === 1 ? singleVoltage : threeVoltages) {
    into.push({ measurand, value: phaseVoltageV, unit: 'V', phase });
  }
}

function lineCurrentA(connector: Connector, spec: ConnectorSpec, watts: number): number {
  return spec.current === 'DC' ? watts / batteryV(connector) : watts / (phasesUsed(connector, spec) * phaseVoltageV);
}

export function batteryV(connector: Connector): number {
  // Rounded here, as it is shown, so that what is shown multiplies up to the power.
  return round(batteryMinV + (batteryMaxV - batteryMinV) * (connector.ev?.battery.soc ?? 0), 1);
}

export function phasesUsed(connector: Connector, spec: ConnectorSpec): number {
  return Math.min(spec.phases, connector.phases, connector.ev?.phases ?? spec.phases);
}

const phaseNames = (spec: ConnectorSpec): readonly string[] => (spec.phases === 1 ? singlePhase : threePhases);
const singlePhase = ['L1'];
export const threePhases = ['L1', 'L2', 'L3'];
const singleVoltage = ['L1-N'];
const threeVoltages = ['L1-N', 'L2-N', 'L3-N'];

export function round(value: number, digits: number): number {
  const factor = 10 ** digits;
  return Math.round(value * factor) / factor;
}
