// The meter of a connector: the energy register, and what a meter reads at one moment.

import { charge, drawnW } from './battery.ts';
import type { Connector } from './connector.ts';
import { isDrawing } from './connector.ts';
import type { ConnectorSpec } from './station.ts';

export interface Reading {
  readonly measurand: string;
  readonly value: number;
  readonly unit: 'Wh' | 'W' | 'A' | 'V' | 'Percent' | 'Hz' | 'Celsius';
  readonly phase?: string;
  readonly location?: 'EV' | 'Outlet';
}

const phaseVoltageV = 230;
const batteryMinV = 320;
const batteryMaxV = 420;

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

/** Reads the named measurands, in that order; what this connector cannot measure is left out. */
export function readMeter(
  connector: Connector,
  spec: ConnectorSpec,
  measurands: readonly string[],
): readonly Reading[] {
  return measurands.flatMap((measurand) => read(connector, spec, measurand));
}

function read(connector: Connector, spec: ConnectorSpec, measurand: string): readonly Reading[] {
  switch (measurand) {
    case 'Energy.Active.Import.Register':
      return [{ measurand, value: registerWh(connector), unit: 'Wh' }];
    case 'Power.Active.Import':
      return [{ measurand, value: Math.round(powerW(connector)), unit: 'W' }];
    case 'Power.Offered':
      return [{ measurand, value: Math.round(connector.offeredW), unit: 'W' }];
    case 'Current.Import':
      return currents(connector, spec, measurand, powerW(connector));
    case 'Current.Offered':
      return [{ measurand, value: round(lineCurrentA(connector, spec, connector.offeredW), 1), unit: 'A' }];
    case 'Voltage':
      return voltages(connector, spec, measurand);
    case 'Frequency':
      return spec.current === 'AC' ? [{ measurand, value: 50, unit: 'Hz' }] : [];
    case 'SoC':
      return connector.ev === null
        ? []
        : [{ measurand, value: socPercent(connector), unit: 'Percent', location: 'EV' }];
    default:
      return [];
  }
}

export function socPercent(connector: Connector): number {
  return connector.ev === null ? 0 : Math.floor(connector.ev.battery.soc * 100);
}

function currents(connector: Connector, spec: ConnectorSpec, measurand: string, watts: number): readonly Reading[] {
  const value = round(lineCurrentA(connector, spec, watts), 2);
  if (spec.current === 'DC') return [{ measurand, value, unit: 'A' }];
  const used = phasesUsed(connector, spec);
  return phaseNames(spec).map((phase, i) => ({ measurand, value: i < used ? value : 0, unit: 'A', phase }));
}

function voltages(connector: Connector, spec: ConnectorSpec, measurand: string): readonly Reading[] {
  if (spec.current === 'DC') return [{ measurand, value: batteryV(connector), unit: 'V' }];
  return phaseNames(spec).map((phase) => ({ measurand, value: phaseVoltageV, unit: 'V', phase: `${phase}-N` }));
}

function lineCurrentA(connector: Connector, spec: ConnectorSpec, watts: number): number {
  return spec.current === 'DC' ? watts / batteryV(connector) : watts / (phasesUsed(connector, spec) * phaseVoltageV);
}

function batteryV(connector: Connector): number {
  // Rounded here, as it is shown, so that what is shown multiplies up to the power.
  return round(batteryMinV + (batteryMaxV - batteryMinV) * (connector.ev?.battery.soc ?? 0), 1);
}

function phasesUsed(connector: Connector, spec: ConnectorSpec): number {
  return Math.min(spec.phases, connector.ev?.phases ?? spec.phases);
}

const phaseNames = (spec: ConnectorSpec): readonly string[] => (spec.phases === 1 ? singlePhase : threePhases);
const singlePhase = ['L1'];
const threePhases = ['L1', 'L2', 'L3'];

function round(value: number, digits: number): number {
  const factor = 10 ** digits;
  return Math.round(value * factor) / factor;
}
