// Locations of charge point operators: made from templates, told as OCPI tells of them, live.

import type { CpoRecord, LocationRecord, Store } from '../ports/store.ts';
import { locationTemplate } from '../templates/location-templates.ts';
import { removeChargers } from './charger-removal.ts';
import {
  createdLocation,
  location,
  locationExample,
  locationPage,
  locationProvisioning,
  type NewLocation,
  newLocation,
} from './cpo-schema.ts';
import { csmsUrlViolation } from './csms-url.ts';
import type { HttpDependencies } from './dependencies.ts';
import { stopAllTimeoutMs } from './limits.ts';
import { createLocations, type LocationPlan, noSuchCpo, refuseTooMany } from './location-creation.ts';
import { liveViews, locationView, type WholeLocation } from './location-view.ts';
import { type Mount, mount } from './operation.ts';
import { contradiction, invalid, notFound } from './problem.ts';
import { closed, pageQuery } from './schema.ts';

const cpoParams = { cpo_id: 'The id of the operator.' };
const params = { ...cpoParams, location_id: 'The id of the location.' };

export async function cpoOf(store: Store, org: string, id: string): Promise<CpoRecord> {
  const record = await store.cpo(org, id);
  if (record === null) throw noSuchCpo(id);
  return record;
}

export function mountLocations(on: Mount, deps: HttpDependencies): void {
  const { store, ask } = deps;

  const locationOf = async (
    org: string,
    { cpo_id, location_id }: typeof params,
  ): Promise<[CpoRecord, LocationRecord]> => {
    const cpo = await cpoOf(store, org, cpo_id);
    const record = await store.location(org, location_id);
    if (record === null || record.cpoId !== cpo_id) throw notFound(`location ${location_id} does not exist`);
    return [cpo, record];
  };
  const whole = async (record: LocationRecord): Promise<WholeLocation> => ({
    location: record,
    chargers: await store.chargersOfLocation(record.org, record.id),
  });

  mount(on, {
    method: 'POST',
    path: '/ocpi/cpos/{cpo_id}/locations',
    id: 'createLocation',
    tag: 'locations',
    summary: 'Create a location from a template',
    description:
      'The location and all its chargers, or nothing. Durable: once this is answered they exist after any crash, and the chargers connect and boot by themselves. A template that does not exist, and identities that are taken, are 400.',
    scope: 'locations:write',
    params: cpoParams,
    body: { schema: newLocation, example: { template: 'home-duo', identity_prefix: 'HOME' } },
    answer: {
      status: 202,
      description: 'Everything is stored.',
      schema: createdLocation,
      example: {
        location: locationExample,
        charger_ids: ['019a8b1e-6c3f-7d20-b7a5-0c9d5b1e7f42'],
        provisioning: { total: 1, ready: 0, failed: 0 },
      },
      headers: { Location: 'The path of the location.' },
    },
    problems: [400, 404],
    idempotent: true,
    async handle({ caller: { org }, params: { cpo_id }, body, receipt }) {
      const plan = planOf(body);
      const cpo = await cpoOf(store, org, cpo_id);
      if (plan === null) throw contradiction(`template ${body.template} does not exist`);
      return createLocations(deps, { cpo, isNew: false, plans: [plan] }, ([made]) => {
        if (made === undefined) throw new Error('bug: no location was made');
        const view = {
          location: locationView(cpo, made, new Map()),
          charger_ids: made.chargers.map(({ id }) => id),
          provisioning: { total: made.chargers.length, ready: 0, failed: 0 },
        };
        const path = `/ocpi/cpos/${cpo.id}/locations/${made.location.id}`;
        return { view, receipt: receipt(view, { location: path }) };
      });
    },
  });

  mount(on, {
    method: 'GET',
    path: '/ocpi/cpos/{cpo_id}/locations',
    id: 'listLocations',
    tag: 'locations',
    summary: 'List the locations of a CPO',
    description: 'Newest first, each with its EVSEs and their live status. A page past the end is empty.',
    scope: 'locations:read',
    params: cpoParams,
    query: closed(pageQuery),
    answer: {
      status: 200,
      description: 'A page of locations.',
      schema: locationPage,
      example: { data: [locationExample], total: 1, page: 1, limit: 20 },
    },
    problems: [404],
    async handle({ caller: { org }, params: { cpo_id }, query: { page, limit } }) {
      const cpo = await cpoOf(store, org, cpo_id);
      const { items, total } = await store.listLocations(org, cpo_id, page, limit);
      const data = await liveViews(ask, cpo, await Promise.all(items.map(whole)));
      return { data: [...data], total, page, limit };
    },
  });

  mount(on, {
    method: 'GET',
    path: '/ocpi/cpos/{cpo_id}/locations/{location_id}',
    id: 'getLocation',
    tag: 'locations',
    summary: 'Get a location',
    description: 'A bare OCPI 2.2.1 Location with its EVSEs and their live status.',
    scope: 'locations:read',
    params,
    answer: { status: 200, description: 'The location.', schema: location, example: locationExample },
    problems: [404],
    async handle({ caller, params: named }) {
      const [cpo, record] = await locationOf(caller.org, named);
      const [view] = await liveViews(ask, cpo, [await whole(record)]);
      if (view === undefined) throw new Error('bug: no view was made');
      return view;
    },
  });

  mount(on, {
    method: 'GET',
    path: '/ocpi/cpos/{cpo_id}/locations/{location_id}/provisioning',
    id: 'getLocationProvisioning',
    tag: 'locations',
    summary: 'Get how far the chargers of a location have come',
    description: 'How many there are, how many are ready, and how many count as failed (and go on trying).',
    scope: 'locations:read',
    params,
    answer: {
      status: 200,
      description: 'How many are how far.',
      schema: locationProvisioning,
      example: { total: 12, ready: 11, failed: 0 },
    },
    problems: [404],
    async handle({ caller: { org }, params: named }) {
      const [, { id }] = await locationOf(org, named);
      return store.locationProgress(org, id);
    },
  });

  mount(on, {
    method: 'DELETE',
    path: '/ocpi/cpos/{cpo_id}/locations/{location_id}',
    id: 'deleteLocation',
    tag: 'locations',
    summary: 'Delete a location',
    description:
      'Its chargers go with it: they are stopped first, and deleted all the same when they do not stop within 10 seconds.',
    scope: 'locations:write',
    params,
    answer: { status: 204, description: 'It is gone.' },
    problems: [404],
    async handle({ caller: { org }, params: named }) {
      const [, record] = await locationOf(org, named);
      await removeLocations(deps, [record]);
    },
  });
}

/** Several at once share the time that their chargers have to stop. */
export async function removeLocations(deps: HttpDependencies, records: readonly LocationRecord[]): Promise<void> {
  const { store } = deps;
  const chargers = await Promise.all(records.map(({ org, id }) => store.chargersOfLocation(org, id)));
  const [org = ''] = records.map((record) => record.org);
  const ids = chargers.flat().map(({ id }) => id);
  await removeChargers(deps, org, ids, stopAllTimeoutMs);
  for (const record of records) await store.deleteLocation(org, record.id);
}

/** Null when there is no such template. What is wrong with the shape is thrown. */
function planOf(body: NewLocation): LocationPlan | null {
  const message = body.ws_url == null ? null : csmsUrlViolation(body.ws_url);
  if (message !== null) throw invalid([{ field: 'ws_url', message }]);
  const template = locationTemplate(body.template);
  if (template === null) return null;
  const plan: LocationPlan = {
    template,
    name: body.name ?? template.name,
    wsUrl: body.ws_url ?? null,
    identityPrefix: body.identity_prefix ?? null,
    ocppVersion: body.ocpp_version ?? null,
    countMultiplier: body.count_multiplier ?? 1,
  };
  refuseTooMany(plan);
  return plan;
}
