// A stored deployment, and how far it has come, as clients see them.

import type Type from 'typebox';
import type { ChargerRecord } from '../ports/store.ts';
import { modelById } from '../templates/brands.ts';
import { imageUrl, modelImagePath } from '../templates/images.ts';
import { type ChargerResource, type chargerProvisioning, defaultOcppVersion } from './charger-schema.ts';
import type { HttpDependencies } from './dependencies.ts';
import { instant, instantOrNull } from './schema.ts';

export function chargerView(record: ChargerRecord, defaults: HttpDependencies['defaults']): ChargerResource {
  const model = record.modelId === null ? null : modelById(record.modelId);
  return {
    id: record.id,
    identity: record.identity,
    name: record.name,
    vendor_name: record.vendorName,
    model: record.model,
    image_url: model === null ? null : imageUrl(defaults.publicUrl(), modelImagePath(model)),
    ocpp_version: versionOf(record),
    number_of_connectors: record.layout.length,
    max_charging_power: record.maxChargingPowerW,
    connector_type: record.connectorType,
    location_id: record.locationId,
    created_at: instant(record.createdAtMs),
    updated_at: instant(record.updatedAtMs),
    ws_url: record.wsUrl ?? defaults.csmsUrl(record.org),
    model_id: record.modelId,
    provisioning_status: record.provisioning.status,
  };
}

export function provisioningView(record: ChargerRecord): Type.Static<typeof chargerProvisioning> {
  const { status, step, attempts, error, startedAtMs, finishedAtMs } = record.provisioning;
  return {
    charger_id: record.id,
    identity: record.identity,
    status,
    step,
    attempts,
    error,
    started_at: instant(startedAtMs),
    finished_at: instantOrNull(finishedAtMs),
  };
}

export const versionOf = (record: ChargerRecord): string => record.ocppVersion ?? defaultOcppVersion;
