// An outlet in the words of OCPI 2.2.1: which standard, and what voltage and current stand behind its power.

import { connectorKind } from '../charger/station.ts';

/** As deployed: the catalog's, or one that a client described. */
export interface OutletSpec {
  readonly evseId: number;
  readonly connectorId: number;
  readonly type: string;
  readonly format: 'SOCKET' | 'CABLE';
  readonly maxPowerW: number;
}

export interface OcpiConnector {
  readonly id: string;
  readonly standard: string;
  readonly format: 'SOCKET' | 'CABLE';
  readonly power_type: 'AC_1_PHASE' | 'AC_3_PHASE' | 'DC';
  /** From line to neutral where there are three phases. */
  readonly max_voltage: number;
  readonly max_amperage: number;
  readonly max_electric_power: number;
  readonly last_updated: string;
}

const standards: Readonly<Record<string, string>> = {
  Type1: 'IEC_62196_T1',
  Type2: 'IEC_62196_T2',
  CCS1: 'IEC_62196_T1_COMBO',
  CCS2: 'IEC_62196_T2_COMBO',
  CHAdeMO: 'CHADEMO',
  // OCPI 2.2.1 knows the plug under its older name only.
  NACS: 'TESLA_S',
};

export function ocpiConnector(outlet: OutletSpec, id: string, lastUpdated: string): OcpiConnector {
  const standard = standards[outlet.type];
  if (standard === undefined) throw new Error(`OCPI has no word for the connector type ${outlet.type}`);
  return {
    id,
    standard,
    format: outlet.format,
    ...electrics(outlet.type, outlet.maxPowerW),
    max_electric_power: Math.round(outlet.maxPowerW),
    last_updated: lastUpdated,
  };
}

type Electrics = Pick<OcpiConnector, 'power_type' | 'max_voltage' | 'max_amperage'>;

function electrics(type: string, maxPowerW: number): Electrics {
  const { current, phases } = connectorKind(type, maxPowerW);
  if (current === 'DC') return direct(type, maxPowerW);
  // Where Type 1 and NACS are at home, a car gets two legs of 120 V.
  const volts = type === 'Type1' || type === 'NACS' ? 240 : 230;
  return {
    power_type: phases === 1 ? 'AC_1_PHASE' : 'AC_3_PHASE',
    max_voltage: volts,
    max_amperage: breakerA(maxPowerW / (volts * phases)),
  };
}

/** What circuits are protected with; 7.4 kW is said of 32 A although it would take a little more. */
const breakersA = [6, 8, 10, 13, 16, 20, 24, 30, 32, 40, 48, 63, 80, 100, 125, 160, 200];
const breakerA = (amperes: number): number => breakersA.find((rated) => rated >= amperes * 0.98) ?? Math.ceil(amperes);

/** DC power is quoted at the voltage of a common battery; the outlet itself reaches further up. */
const quotedV = 400;
const weakestHighVoltageW = 60_000;

function direct(type: string, maxPowerW: number): Electrics {
  const isLowVoltage = type === 'CHAdeMO' || maxPowerW <= weakestHighVoltageW;
  const maxVoltage = isLowVoltage ? 500 : 1_000;
  const cableA = type === 'CHAdeMO' ? 200 : 500;
  const amperes = Math.max(Math.min(cableA, maxPowerW / quotedV), maxPowerW / maxVoltage);
  return { power_type: 'DC', max_voltage: maxVoltage, max_amperage: Math.ceil(amperes) };
}
