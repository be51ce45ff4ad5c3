// Creating, listing and reading deployments of chargers.

import Type from 'typebox';
import type { ChargerFilter } from '../ports/store.ts';
import { createCharger } from './charger-creation.ts';
import { charger, chargerExample, chargerPage, newCharger, ocppVersions } from './charger-schema.ts';
import { chargerView } from './charger-view.ts';
import type { HttpDependencies } from './dependencies.ts';
import { type Mount, mount } from './operation.ts';
import { notFound } from './problem.ts';
import { closed, pageQuery, text, word } from './schema.ts';

const listQuery = closed({
  ...pageQuery,
  location_id: Type.Optional(text(64, { description: 'Only chargers of this location.' })),
  ocpp_version: Type.Optional(word(ocppVersions, { description: 'Only chargers of this version.' })),
  status: Type.Optional(word(['running', 'stopped'], { description: 'Only chargers that shall run, or shall not.' })),
  q: Type.Optional(text(255, { description: 'Part of the identity or the name, upper or lower case.' })),
});

export function mountChargers(on: Mount, deps: HttpDependencies): void {
  const { store, queue, defaults } = deps;

  mount(on, {
    method: 'GET',
    path: '/ocpp/chargers',
    id: 'listChargers',
    tag: 'chargers',
    summary: 'List chargers',
    description: 'Newest first. A page past the end is empty.',
    scope: 'chargers:read',
    query: listQuery,
    answer: {
      status: 200,
      description: 'A page of chargers.',
      schema: chargerPage,
      example: { data: [chargerExample], total: 1, page: 1, limit: 20 },
    },
    problems: [],
    async handle({ caller, query }) {
      const { page, limit } = query;
      const { items, total } = await store.listChargers(caller.org, filterOf(query), page, limit);
      return { data: items.map((record) => chargerView(record, defaults)), total, page, limit };
    },
  });

  mount(on, {
    method: 'POST',
    path: '/ocpp/chargers',
    id: 'createCharger',
    tag: 'chargers',
    summary: 'Create a charger',
    description:
      'Durable: once this is answered, the charger exists after any crash, and it connects and boots by itself (unless `autostart` is false). An identity that is taken, and a location or model that does not exist, is 400.',
    scope: 'chargers:write',
    body: {
      schema: newCharger,
      example: { identity: 'CP-1', name: 'Car park, north', ocpp_version: '1.6', number_of_connectors: 2 },
    },
    answer: {
      status: 202,
      description: 'The charger is stored.',
      schema: charger,
      example: chargerExample,
      headers: { Location: 'The path of the charger.' },
    },
    problems: [400],
    async handle({ caller, body, reply }) {
      const record = await createCharger(deps, caller.org, body);
      await queue.refresh([record.id]);
      reply.header('location', `/ocpp/chargers/${record.id}`);
      return chargerView(record, defaults);
    },
  });

  mount(on, {
    method: 'GET',
    path: '/ocpp/chargers/{charger_id}',
    id: 'getCharger',
    tag: 'chargers',
    summary: 'Get a charger',
    description: 'The deployment; how the charger is right now is told by its simulator.',
    scope: 'chargers:read',
    params: { charger_id: 'The deployment id.' },
    answer: { status: 200, description: 'The charger.', schema: charger, example: chargerExample },
    problems: [404],
    async handle({ caller, params }) {
      const record = await store.charger(caller.org, params.charger_id);
      if (record === null) throw notFound(`charger ${params.charger_id} does not exist`);
      return chargerView(record, defaults);
    },
  });
}

function filterOf({ location_id, ocpp_version, status, q }: Type.Static<typeof listQuery>): ChargerFilter {
  return {
    ...(location_id === undefined ? {} : { locationId: location_id }),
    ...(ocpp_version === undefined ? {} : { ocppVersion: ocpp_version }),
    ...(status === undefined ? {} : { desired: status }),
    ...(q === undefined ? {} : { search: q }),
  };
}
