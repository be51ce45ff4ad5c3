// A transaction is started on a connector that is already plugged.

import Type from 'typebox';
import { authorize, refusesToStart } from '../charger/authorization.ts';
import { connectorAt, named, refuse } from '../charger/charger.ts';
import { openEnd } from '../charger/session.ts';
import { command, connectorFields, idTagSchema } from './command.ts';

export const startTransaction = command({
  name: 'start-transaction',
  summary: 'Start a transaction on a plugged connector',
  description:
    'Authorises the tag and starts the transaction. Fails as `not_plugged` when no car is there, as `token_refused` when the CSMS refuses the tag.',
  addresses: 'connector',
  event: Type.Object({ id_tag: idTagSchema, ...connectorFields }, { additionalProperties: false }),
  example: { id_tag: 'DEADBEEF', evse_id: 1, connector_id: 1 },
  apply(charger, event, outlet, atMs) {
    const refusal = refusesToStart(charger, outlet);
    if (refusal !== null) return refusal;
    if (connectorAt(charger, outlet).ev === null) {
      return refuse('not_plugged', `no EV is plugged in at ${named(charger, outlet)}`);
    }
    const token = { idTag: event.id_tag, type: 'ISO14443' };
    return authorize(charger, token, { kind: 'start', outlet, plan: { ...openEnd, mustStart: true } }, atMs);
  },
});
