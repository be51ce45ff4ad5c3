// Creating, listing and reading deployments of chargers.

import Type from 'typebox';
import type { ChargerFilter, ChargerRecord, Page, Store } from '../ports/store.ts';
import { createCharger } from './charger-creation.ts';
import {
  charger,
  chargerExample,
  chargerPage,
  chargerProvisioning,
  newCharger,
  ocppVersions,
  provisioningExample,
  provisioningStatuses,
} from './charger-schema.ts';
import { chargerView, provisioningView } from './charger-view.ts';
import type { HttpDependencies } from './dependencies.ts';
import { type Answer, type Mount, mount } from './operation.ts';
import { notFound } from './problem.ts';
import { closed, pageQuery, text, word } from './schema.ts';

const listQuery = closed({
  ...pageQuery,
  location_id: Type.Optional(text(64, { description: 'Only chargers of this location.' })),
  ocpp_version: Type.Optional(word(ocppVersions, { description: 'Only chargers of this version.' })),
  status: Type.Optional(word(['running', 'stopped'], { description: 'Only chargers that shall run, or shall not.' })),
  provisioning_status: Type.Optional(word(provisioningStatuses, { description: 'Only chargers that are that far.' })),
  q: Type.Optional(text(255, { description: 'Part of the identity or the name, upper or lower case.' })),
});

export const chargerParams = { charger_id: 'The deployment id.' };

export async function chargerOf(store: Store, org: string, id: string): Promise<ChargerRecord> {
  const record = await store.charger(org, id);
  if (record === null) throw notFound(`charger ${id} does not exist`);
  return record;
}

export function mountChargers(on: Mount, deps: HttpDependencies): void {
  const { store, queue, defaults } = deps;

  const pageAnswer: Answer<typeof chargerPage> = {
    status: 200,
    description: 'A page of chargers.',
    schema: chargerPage,
    example: { data: [chargerExample], total: 1, page: 1, limit: 20 },
  };
  const pageView = ({ items, total }: Page<ChargerRecord>, { page, limit }: { page: number; limit: number }) => ({
    data: items.map((record) => chargerView(record, defaults)),
    total,
    page,
    limit,
  });

  mount(on, {
    method: 'GET',
    path: '/ocpp/chargers',
    id: 'listChargers',
    tag: 'chargers',
    summary: 'List chargers',
    description: 'Newest first. A page past the end is empty.',
    scope: 'chargers:read',
    query: listQuery,
    answer: pageAnswer,
    problems: [],
    async handle({ caller, query }) {
      const { page, limit } = query;
      return pageView(await store.listChargers(caller.org, filterOf(query), page, limit), query);
    },
  });

  mount(on, {
    method: 'GET',
    path: '/ocpp/locations/{location_id}/chargers',
    id: 'listChargersInLocation',
    tag: 'chargers',
    summary: 'List the chargers of a location',
    description: 'Newest first. A page past the end is empty.',
    scope: 'chargers:read',
    params: { location_id: 'The id of the location.' },
    query: closed(pageQuery),
    answer: pageAnswer,
    problems: [404],
    async handle({ caller: { org }, params: { location_id: locationId }, query }) {
      if ((await store.location(org, locationId)) === null) throw notFound(`location ${locationId} does not exist`);
      return pageView(await store.listChargers(org, { locationId }, query.page, query.limit), query);
    },
  });

  mount(on, {
    method: 'POST',
    path: '/ocpp/chargers',
    id: 'createCharger',
    tag: 'chargers',
    summary: 'Create a charger',
    description:
      'Durable: once this is answered, the charger exists after any crash, and it connects and boots by itself (unless `autostart` is false). An identity that is taken, a location or model that does not exist, and what a model does not have, is 400.',
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
    idempotent: true,
    async handle({ caller, body, receipt }) {
      const record = await createCharger(deps, caller.org, body, (made) =>
        receipt(chargerView(made, defaults), { location: `/ocpp/chargers/${made.id}` }),
      );
      await queue.refresh([record.id]);
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
    params: chargerParams,
    answer: { status: 200, description: 'The charger.', schema: charger, example: chargerExample },
    problems: [404],
    async handle({ caller, params }) {
      return chargerView(await chargerOf(store, caller.org, params.charger_id), defaults);
    },
  });

  mount(on, {
    method: 'GET',
    path: '/ocpp/chargers/{charger_id}/provisioning',
    id: 'getChargerProvisioning',
    tag: 'chargers',
    summary: 'Get how far the creation of a charger has come',
    description:
      'A charger is `ready` when its CSMS has accepted its boot, or at once when it was created not to run. A step that fails is tried again and again, with the last error told here; after 10 minutes the status is `failed`, and still turns `ready` when the charger is accepted after all.',
    scope: 'chargers:read',
    params: chargerParams,
    answer: { status: 200, description: 'How far it is.', schema: chargerProvisioning, example: provisioningExample },
    problems: [404],
    async handle({ caller, params }) {
      return provisioningView(await chargerOf(store, caller.org, params.charger_id));
    },
  });
}

function filterOf(query: Type.Static<typeof listQuery>): ChargerFilter {
  const { location_id, ocpp_version, status, provisioning_status, q } = query;
  return {
    ...(location_id === undefined ? {} : { locationId: location_id }),
    ...(ocpp_version === undefined ? {} : { ocppVersion: ocpp_version }),
    ...(status === undefined ? {} : { desired: status }),
    ...(provisioning_status === undefined ? {} : { provisioningStatus: provisioning_status }),
    ...(q === undefined ? {} : { search: q }),
  };
}
