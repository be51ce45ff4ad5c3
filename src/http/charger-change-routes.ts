// Changing and deleting deployments of chargers.

import { removeChargers } from './charger-removal.ts';
import { chargerOf, chargerParams } from './charger-routes.ts';
import { charger, chargerChange, chargerExample } from './charger-schema.ts';
import { changeOf, refuseBadUpdate } from './charger-update.ts';
import { chargerView } from './charger-view.ts';
import type { HttpDependencies } from './dependencies.ts';
import { stopTimeoutMs } from './limits.ts';
import { type Mount, mount } from './operation.ts';
import { notFound } from './problem.ts';

export function mountChargerChanges(on: Mount, deps: HttpDependencies): void {
  const { store, queue, clock, defaults } = deps;

  mount(on, {
    method: 'PUT',
    path: '/ocpp/chargers/{charger_id}',
    id: 'updateCharger',
    tag: 'chargers',
    summary: 'Update a charger',
    description:
      'Only what is given changes. A running charger restarts when its `ocpp_version`, `ws_url` or connectors really change, and ends open transactions as for a reboot. A location that does not exist, is ambiguous or is named in two ways that disagree, two different names, and what contradicts the charger’s model or security profile, is 400.',
    scope: 'chargers:write',
    params: chargerParams,
    body: { schema: chargerChange, example: { name: 'Car park, north', ocpp_version: '2.0.1' } },
    answer: { status: 200, description: 'The charger as it is now.', schema: charger, example: chargerExample },
    problems: [400, 404],
    async handle({ caller: { org }, params: { charger_id: id }, body }) {
      refuseBadUpdate(body);
      const record = await chargerOf(store, org, id);
      const change = await changeOf(deps, record, body);
      if (change === null) return chargerView(record, defaults);
      const changed = await store.changeCharger(org, id, change, clock.nowMs());
      if (changed === null) throw notFound(`charger ${id} does not exist`);
      await queue.refresh([id]);
      return chargerView(changed, defaults);
    },
  });

  mount(on, {
    method: 'DELETE',
    path: '/ocpp/chargers/{charger_id}',
    id: 'deleteCharger',
    tag: 'chargers',
    summary: 'Delete a charger',
    description:
      'A running transaction is stopped first and the connection closed; a charger that does not stop within 5 seconds is deleted all the same. Its commands that have not ended fail.',
    scope: 'chargers:write',
    params: chargerParams,
    answer: { status: 204, description: 'It is gone.' },
    problems: [404],
    async handle({ caller: { org }, params: { charger_id } }) {
      const { id } = await chargerOf(store, org, charger_id);
      await removeChargers(deps, org, [id], stopTimeoutMs);
    },
  });
}
