// From what a client sends to a deployment that can be stored.

import type { ChargerRecord, Receipt } from '../ports/store.ts';
import { newProvisioning, provisionedStopped } from '../provisioning/provisioning.ts';
import { type Build, buildOf } from './charger-build.ts';
import { defaultOcppVersion, type NewCharger } from './charger-schema.ts';
import { insecureUrl, securitySettings, securityViolations } from './charger-security.ts';
import { csmsUrlViolation } from './csms-url.ts';
import type { HttpDependencies } from './dependencies.ts';
import { madeUpWord, mostTries } from './made-up-word.ts';
import { contradiction, invalid, type Violation } from './problem.ts';

const identityLength = 8;

/** Stores it, under an identity of our own making when none is given. */
export async function createCharger(
  deps: HttpDependencies,
  org: string,
  body: NewCharger,
  receiptOf: (record: ChargerRecord) => Receipt | undefined,
): Promise<ChargerRecord> {
  const violations = violationsOf(body, deps.defaults.csmsUrl(org));
  if (violations.length > 0) throw invalid(violations);
  const build = buildOf(body);
  const { location_id } = body;
  if (location_id != null && (await deps.store.location(org, location_id)) === null) {
    throw contradiction(`location ${location_id} does not exist`);
  }
  for (let tries = 1; ; tries++) {
    const record = recordOf(deps, org, body, build);
    const { taken } = await deps.store.createChargers([record], receiptOf(record));
    if (taken === null) return record;
    if (body.identity != null) throw contradiction(`the identity ${taken} is already in use`);
    if (tries === mostTries) throw new Error('no free identity was found');
  }
}

function violationsOf(body: NewCharger, defaultUrl: string): readonly Violation[] {
  const { identity, ws_url, security, model_id, number_of_connectors } = body;
  const violations: Violation[] = [];
  // In an address these mean the folder itself and the one above.
  if (identity === '.' || identity === '..') violations.push({ field: 'identity', message: 'must not be . or ..' });
  const urlViolation =
    (ws_url == null ? null : csmsUrlViolation(ws_url)) ??
    (security == null ? null : insecureUrl(security.profile, ws_url ?? defaultUrl));
  if (urlViolation !== null) violations.push({ field: 'ws_url', message: urlViolation });
  if (security != null) violations.push(...securityViolations(security));
  if (model_id != null && number_of_connectors != null) {
    violations.push({
      field: 'number_of_connectors',
      message: 'must not be given with model_id: a model has its own layout',
    });
  }
  return violations;
}

function recordOf(deps: HttpDependencies, org: string, body: NewCharger, build: Build): ChargerRecord {
  const nowMs = deps.clock.nowMs();
  const runs = body.autostart ?? true;
  return {
    id: deps.newId(),
    org,
    identity: body.identity ?? `CS-${madeUpWord(identityLength)}`,
    name: body.name ?? null,
    ...build,
    // Written out, so that a list filtered by version finds it.
    ocppVersion: body.ocpp_version ?? defaultOcppVersion,
    locationId: body.location_id ?? null,
    wsUrl: body.ws_url ?? null,
    security: body.security == null ? null : securitySettings(body.security),
    features: body.features ?? [],
    seed: body.seed ?? deps.newSeed(),
    desired: runs ? 'running' : 'stopped',
    generation: 1,
    provisioning: runs ? newProvisioning(nowMs) : provisionedStopped(nowMs),
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
}
