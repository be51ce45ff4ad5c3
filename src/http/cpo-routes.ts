// Charge point operators: creating, listing, reading and deleting them.

import Type from 'typebox';
import type { CpoRecord, LocationRecord, Store } from '../ports/store.ts';
import { cpoTemplate } from '../templates/cpo-templates.ts';
import { cpo, cpoExample, cpoPage, cpoView, newCpo } from './cpo-schema.ts';
import type { HttpDependencies } from './dependencies.ts';
import { createLocations, plansOf } from './location-creation.ts';
import { cpoOf, removeLocations } from './location-routes.ts';
import { type Mount, mount } from './operation.ts';
import { contradiction } from './problem.ts';
import { closed, pageQuery } from './schema.ts';

const params = { cpo_id: 'The id of the operator.' };

const deletionQuery = closed({
  cascade: Type.Boolean({ default: false, description: 'Whether its locations and their chargers go with it.' }),
});

const cascadeRounds = 5;

export function mountCpos(on: Mount, deps: HttpDependencies): void {
  const { store, clock, newId } = deps;

  mount(on, {
    method: 'POST',
    path: '/ocpi/cpos',
    id: 'createCpo',
    tag: 'locations',
    summary: 'Create a CPO',
    description:
      'With a `template` its locations and all their chargers are created too, everything or nothing, and the chargers connect and boot by themselves. A template that does not exist is 400.',
    scope: 'locations:write',
    body: {
      schema: newCpo,
      example: { name: 'Sunny Charging', country_code: 'NL', party_id: 'SUN', template: 'dutch-city-network' },
    },
    answer: {
      status: 201,
      description: 'The operator is stored.',
      schema: cpo,
      example: cpoExample,
      headers: { Location: 'The path of the operator.' },
    },
    problems: [400],
    idempotent: true,
    async handle({ caller: { org }, body, receipt }) {
      const template = body.template == null ? null : cpoTemplate(body.template);
      if (body.template != null && template === null) {
        throw contradiction(`template ${body.template} does not exist`);
      }
      const atMs = clock.nowMs();
      const record: CpoRecord = {
        id: newId(),
        org,
        name: body.name,
        countryCode: body.country_code.toUpperCase(),
        partyId: body.party_id.toUpperCase(),
        createdAtMs: atMs,
        updatedAtMs: atMs,
      };
      const view = cpoView(record);
      const announced = { view, receipt: receipt(view, { location: `/ocpi/cpos/${record.id}` }) };
      if (template === null) await store.createCpo(record, announced.receipt);
      else await createLocations(deps, { cpo: record, isNew: true, plans: plansOf(template) }, () => announced);
      return view;
    },
  });

  mount(on, {
    method: 'GET',
    path: '/ocpi/cpos',
    id: 'listCpos',
    tag: 'locations',
    summary: 'List CPOs',
    description: 'Newest first. A page past the end is empty.',
    scope: 'locations:read',
    query: closed(pageQuery),
    answer: {
      status: 200,
      description: 'A page of operators.',
      schema: cpoPage,
      example: { data: [cpoExample], total: 1, page: 1, limit: 20 },
    },
    problems: [],
    async handle({ caller: { org }, query: { page, limit } }) {
      const { items, total } = await store.listCpos(org, page, limit);
      return { data: items.map(cpoView), total, page, limit };
    },
  });

  mount(on, {
    method: 'GET',
    path: '/ocpi/cpos/{cpo_id}',
    id: 'getCpo',
    tag: 'locations',
    summary: 'Get a CPO',
    description: 'Its locations are listed under it.',
    scope: 'locations:read',
    params,
    answer: { status: 200, description: 'The operator.', schema: cpo, example: cpoExample },
    problems: [404],
    async handle({ caller: { org }, params: { cpo_id } }) {
      return cpoView(await cpoOf(store, org, cpo_id));
    },
  });

  mount(on, {
    method: 'DELETE',
    path: '/ocpi/cpos/{cpo_id}',
    id: 'deleteCpo',
    tag: 'locations',
    summary: 'Delete a CPO',
    description:
      'While it has locations this is 400, unless `cascade` is true: then they and their chargers go with it. The chargers are stopped first, and deleted all the same when they do not stop within 10 seconds.',
    scope: 'locations:write',
    params,
    query: deletionQuery,
    answer: { status: 204, description: 'It is gone.' },
    problems: [400, 404],
    async handle({ caller: { org }, params: { cpo_id }, query: { cascade } }) {
      await cpoOf(store, org, cpo_id);
      // Somebody may add a location while the others go: then those go too.
      for (let round = 0; round < (cascade ? cascadeRounds : 1); round++) {
        if (cascade) await removeLocations(deps, await allLocations(store, org, cpo_id));
        if (await store.deleteCpo(org, cpo_id)) return;
      }
      // It was deleted meanwhile, or has locations.
      await cpoOf(store, org, cpo_id);
      throw contradiction(`CPO ${cpo_id} still has locations: delete them first, or use cascade=true`);
    },
  });
}

async function allLocations(store: Store, org: string, cpoId: string): Promise<readonly LocationRecord[]> {
  const found: LocationRecord[] = [];
  for (let page = 1; ; page++) {
    const { items, total } = await store.listLocations(org, cpoId, page, 100);
    found.push(...items);
    if (items.length === 0 || found.length >= total) return found;
  }
}
