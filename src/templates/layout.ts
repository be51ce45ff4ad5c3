// A model as a charger is built from it: its outlets, numbered, and its power in watts.

import { connectorKind } from '../charger/station.ts';
import type { Model, ModelConnector } from './brands.ts';
import type { ConnectorFormat, ConnectorType } from './catalog-data.ts';

/** One outlet of a charger. Both numbers count from 1, the connector's within its EVSE. */
export interface ConnectorLayout {
  readonly evseId: number;
  readonly connectorId: number;
  readonly type: ConnectorType;
  readonly format: ConnectorFormat;
  readonly maxPowerW: number;
}

/** The outlets of a model. A weaker installation than the model allows holds every outlet to its own power. */
export function layoutOf(model: Model, installedKw: number = model.maxKw): readonly ConnectorLayout[] {
  return model.evses.flatMap(({ connectors }, evse) =>
    connectors.map(({ type, format, maxKw }, connector) => ({
      evseId: evse + 1,
      connectorId: connector + 1,
      type,
      format,
      maxPowerW: watts(Math.min(maxKw, installedKw)),
    })),
  );
}

/** Of the whole station, shared by its outlets. */
export const maxChargingPowerW = (model: Model): number => watts(model.maxKw);

/** The first of the strongest. */
export function strongestConnector(model: Model): ModelConnector {
  return connectorsOf(model).reduce((best, each) => (each.maxKw > best.maxKw ? each : best));
}

export const connectorsOf = (model: Model): readonly ModelConnector[] =>
  model.evses.flatMap(({ connectors }) => connectors);

export const currentOf = ({ type, maxKw }: ModelConnector): 'AC' | 'DC' => connectorKind(type, watts(maxKw)).current;

export const watts = (kilowatts: number): number => Math.round(kilowatts * 1_000);
