// What a charger is built as: a model of the catalog, or connectors all alike as a client describes them.

import type { ChargerRecord, ConnectorLayout } from '../ports/store.ts';
import { type Model, modelById } from '../templates/brands.ts';
import { layoutOf, maxChargingPowerW } from '../templates/layout.ts';
import type { NewCharger } from './charger-schema.ts';
import { contradiction } from './problem.ts';

export type Build = Pick<
  ChargerRecord,
  'vendorName' | 'model' | 'modelId' | 'layout' | 'connectorType' | 'maxChargingPowerW'
>;

/** What can be sold to have a socket: the driver brings the cable. */
const strongestSocketW = 22_000;
const defaultType = 'Type2';
const defaultPowerW = 22_000;

export function buildOf(body: NewCharger): Build {
  if (body.model_id == null) return handMade(body);
  const model = modelById(body.model_id);
  if (model === null) throw contradiction(`model ${body.model_id} does not exist`);
  return ofModel(model, body);
}

function handMade(body: NewCharger): Build {
  const connectorType = body.connector_type ?? defaultType;
  const maxPowerW = body.max_charging_power ?? defaultPowerW;
  return {
    vendorName: body.vendor_name ?? null,
    model: body.model ?? null,
    modelId: null,
    layout: uniformLayout(body.number_of_connectors ?? 1, connectorType, maxPowerW),
    connectorType,
    maxChargingPowerW: maxPowerW,
  };
}

function ofModel(model: Model, body: NewCharger): Build {
  const modelW = maxChargingPowerW(model);
  const installedW = body.max_charging_power ?? modelW;
  if (installedW > modelW) throw contradiction(`model ${model.id} gives at most ${modelW} W`);
  const layout = layoutOf(model, installedW / 1_000);
  return {
    vendorName: body.vendor_name ?? model.brandName,
    model: body.model ?? model.name,
    modelId: model.id,
    layout,
    connectorType: modelConnectorType(layout, body.connector_type ?? null),
    maxChargingPowerW: installedW,
  };
}

/** Of a layout that is as its model made it: the strongest connector's, or this one where it is among the strongest. */
export function modelConnectorType(layout: readonly ConnectorLayout[], wanted: string | null): string | null {
  const types = strongestTypes(layout);
  if (wanted === null) return types[0] ?? null;
  if (types.includes(wanted)) return wanted;
  throw contradiction(`the strongest connector of this model is ${types.join(' or ')}, not ${wanted}`);
}

/** In the order of the connectors. */
export function strongestTypes(layout: readonly ConnectorLayout[]): readonly string[] {
  const mostW = Math.max(...layout.map(({ maxPowerW }) => maxPowerW));
  return [...new Set(layout.filter(({ maxPowerW }) => maxPowerW === mostW).map(({ type }) => type))];
}

/** That many EVSEs with one connector each. The station's power is shared: each of them may have all of it. */
export function uniformLayout(connectors: number, type: string, maxPowerW: number): readonly ConnectorLayout[] {
  const format = type === 'Type2' && maxPowerW <= strongestSocketW ? 'SOCKET' : 'CABLE';
  return Array.from({ length: connectors }, (_, index) => ({
    evseId: index + 1,
    connectorId: 1,
    type,
    format,
    maxPowerW,
  }));
}
