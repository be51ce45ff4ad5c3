// A stored deployment as clients see it.

import type { ChargerRecord } from '../ports/store.ts';
import { type ChargerResource, defaultOcppVersion } from './charger-schema.ts';
import type { HttpDependencies } from './dependencies.ts';
import { instant } from './schema.ts';

export function chargerView(record: ChargerRecord, defaults: HttpDependencies['defaults']): ChargerResource {
  return {
    id: record.id,
    identity: record.identity,
    name: record.name,
    vendor_name: record.vendorName,
    model: record.model,
    image_url: null,
    ocpp_version: versionOf(record),
    number_of_connectors: record.layout.length,
    max_charging_power: record.maxChargingPowerW,
    connector_type: record.connectorType,
    location_id: record.locationId,
    created_at: instant(record.createdAtMs),
    updated_at: instant(record.updatedAtMs),
    ws_url: record.wsUrl ?? defaults.csmsUrl(record.org),
    model_id: null,
  };
}

export const versionOf = (record: ChargerRecord): string => record.ocppVersion ?? defaultOcppVersion;
