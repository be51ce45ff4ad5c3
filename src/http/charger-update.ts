// What a partial update changes of a stored deployment: only what is given, and only what is really different.

import type { ChargerChange, ChargerRecord, LocationRecord, OcppVersion } from '../ports/store.ts';
import { modelConnectorType, strongestTypes, uniformLayout } from './charger-build.ts';
import { type ChargerChangeBody, defaultOcppVersion } from './charger-schema.ts';
import { insecureUrl } from './charger-security.ts';
import { versionOf } from './charger-view.ts';
import { csmsUrlViolation } from './csms-url.ts';
import type { HttpDependencies } from './dependencies.ts';
import { contradiction, invalid } from './problem.ts';

type Changed = { -readonly [Name in keyof ChargerChange]: ChargerChange[Name] };

/** To be called before the charger is looked for. */
export function refuseBadUpdate({ ws_url }: ChargerChangeBody): void {
  const message = ws_url == null ? null : csmsUrlViolation(ws_url);
  if (message !== null) throw invalid([{ field: 'ws_url', message }]);
}

/** Null when nothing changes. */
export async function changeOf(
  deps: HttpDependencies,
  record: ChargerRecord,
  body: ChargerChangeBody,
): Promise<ChargerChange | null> {
  const changed: Changed = {};
  const name = nameOf(body);
  if (name !== undefined && name !== record.name) changed.name = name;
  const locationId = await locationIdOf(deps, record.org, body);
  if (locationId !== undefined && locationId !== record.locationId) changed.locationId = locationId;
  changeVersion(changed, record, body);
  changeUrl(changed, deps, record, body);
  changeConnectorType(changed, record, body);
  return Object.keys(changed).length === 0 ? null : changed;
}

function nameOf({ name, charge_point_name: alias }: ChargerChangeBody): string | null | undefined {
  if (name != null && alias != null && name !== alias) {
    throw contradiction('name and charge_point_name are one thing: they must not differ');
  }
  return name ?? alias ?? (name === undefined ? alias : name);
}

async function locationIdOf(
  { store }: HttpDependencies,
  org: string,
  { location_id: id, location_name: name }: ChargerChangeBody,
): Promise<string | null | undefined> {
  if (id != null) {
    const location = await store.location(org, id);
    if (location === null) throw contradiction(`location ${id} does not exist`);
    if (name != null && location.name !== name) {
      throw contradiction(`location ${id} is called ${location.name}, not ${name}`);
    }
    return id;
  }
  if (name != null) return onlyOne(await store.locationsByName(org, name, 2), name).id;
  return id === undefined ? name : id;
}

function onlyOne([first, second]: readonly LocationRecord[], name: string): LocationRecord {
  if (first === undefined) throw contradiction(`there is no location called ${name}`);
  if (second !== undefined) throw contradiction(`several locations are called ${name}: use location_id`);
  return first;
}

function changeVersion(changed: Changed, record: ChargerRecord, { ocpp_version }: ChargerChangeBody): void {
  if (ocpp_version === undefined) return;
  const version: OcppVersion = ocpp_version ?? defaultOcppVersion;
  if (version === versionOf(record)) return;
  changed.ocppVersion = version;
  changed.restart = true;
}

function changeUrl(
  changed: Changed,
  { defaults, urlOf }: HttpDependencies,
  record: ChargerRecord,
  { ws_url: wsUrl }: ChargerChangeBody,
): void {
  if (wsUrl === undefined || wsUrl === record.wsUrl) return;
  const problem = insecureUrl(record.security?.profile ?? 0, wsUrl ?? defaults.csmsUrl(record.org));
  if (problem !== null) throw contradiction(`ws_url ${problem}, which this charger has`);
  changed.wsUrl = wsUrl;
  // Another way to write the same address is no reason to hang up.
  if (urlOf({ ...record, wsUrl }) !== urlOf(record)) changed.restart = true;
}

function changeConnectorType(
  changed: Changed,
  record: ChargerRecord,
  { connector_type: wanted }: ChargerChangeBody,
): void {
  if (wanted === undefined) return;
  const { layout, modelId, maxChargingPowerW } = record;
  if (modelId !== null || wanted === null) {
    const type = modelId === null ? (strongestTypes(layout)[0] ?? null) : modelConnectorType(layout, wanted);
    if (type !== record.connectorType) changed.connectorType = type;
    return;
  }
  if (wanted === record.connectorType) return;
  changed.connectorType = wanted;
  changed.layout = uniformLayout(layout.length, wanted, maxChargingPowerW);
  changed.restart = true;
}
