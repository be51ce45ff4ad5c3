// From what a client sends to a deployment that can be stored.

import { randomInt } from 'node:crypto';
import type { ChargerRecord, ConnectorLayout } from '../ports/store.ts';
import { defaultOcppVersion, type NewCharger } from './charger-schema.ts';
import { csmsUrlViolation } from './csms-url.ts';
import type { HttpDependencies } from './dependencies.ts';
import { contradiction, invalid, type Violation } from './problem.ts';

/** What can be sold to have a socket: the driver brings the cable. */
const strongestSocketW = 22_000;

/** Without letters and digits that look alike. */
const identityAlphabet = '23456789ABCDEFGHJKMNPQRSTVWXYZ';
const identityLength = 8;
const identityTries = 5;

/** Stores it, under an identity of our own making when none is given. */
export async function createCharger(deps: HttpDependencies, org: string, body: NewCharger): Promise<ChargerRecord> {
  refuseWhatIsWrong(body);
  if (body.identity != null) {
    const record = recordOf(deps, org, body, body.identity);
    const { taken } = await deps.store.createChargers([record]);
    if (taken !== null) throw contradiction(`the identity ${taken} is already in use`);
    return record;
  }
  for (let attempt = 0; attempt < identityTries; attempt++) {
    const record = recordOf(deps, org, body, madeUpIdentity());
    const { taken } = await deps.store.createChargers([record]);
    if (taken === null) return record;
  }
  throw new Error('no free identity was found');
}

function refuseWhatIsWrong({ ws_url, security, features, location_id, model_id }: NewCharger): void {
  const violations: Violation[] = [];
  const urlViolation = ws_url == null ? null : csmsUrlViolation(ws_url);
  if (urlViolation !== null) violations.push({ field: 'ws_url', message: urlViolation });
  if (security != null) violations.push(...securityViolations(security));
  if (features != null && features.length > 0) {
    violations.push({ field: 'features', message: 'must be empty: this gateway simulates none of them' });
  }
  if (violations.length > 0) throw invalid(violations);
  if (location_id != null) throw contradiction(`location ${location_id} does not exist`);
  if (model_id != null) throw contradiction(`model ${model_id} does not exist`);
}

function securityViolations({ profile, ...credentials }: NonNullable<NewCharger['security']>): readonly Violation[] {
  if (profile !== 0) {
    return [{ field: 'security.profile', message: 'must be 0: this gateway connects without transport security' }];
  }
  return Object.entries(credentials)
    .filter(([, value]) => value != null)
    .map(([name]) => ({ field: `security.${name}`, message: 'must not be given with profile 0' }));
}

function recordOf(deps: HttpDependencies, org: string, body: NewCharger, identity: string): ChargerRecord {
  const nowMs = deps.clock.nowMs();
  const type = body.connector_type ?? 'Type2';
  const maxPowerW = body.max_charging_power ?? 22_000;
  return {
    id: deps.newId(),
    org,
    identity,
    name: body.name ?? null,
    vendorName: body.vendor_name ?? null,
    model: body.model ?? null,
    // Written out, so that a list filtered by version finds it.
    ocppVersion: body.ocpp_version ?? defaultOcppVersion,
    layout: layoutOf(body.number_of_connectors ?? 1, type, maxPowerW),
    connectorType: type,
    maxChargingPowerW: maxPowerW,
    locationId: null,
    wsUrl: body.ws_url ?? null,
    seed: body.seed ?? deps.newSeed(),
    desired: (body.autostart ?? true) ? 'running' : 'stopped',
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
}

/** That many EVSEs with one connector each. The station's power is shared: each of them may have all of it. */
function layoutOf(connectors: number, type: string, maxPowerW: number): readonly ConnectorLayout[] {
  const format = type === 'Type2' && maxPowerW <= strongestSocketW ? 'SOCKET' : 'CABLE';
  return Array.from({ length: connectors }, (_, index) => ({
    evseId: index + 1,
    connectorId: 1,
    type,
    format,
    maxPowerW,
  }));
}

function madeUpIdentity(): string {
  const characters = Array.from({ length: identityLength }, () => identityAlphabet[randomInt(identityAlphabet.length)]);
  return `CS-${characters.join('')}`;
}
