// The whole end of a visit: stop, unplug, gone.

import { andTry, connectorAt, named, refuse, step } from '../charger/charger.ts';
import { endSession } from '../charger/charging.ts';
import { unplug } from '../charger/plugging.ts';
import { command, connectorEvent } from './command.ts';

export const stopSession = command({
  name: 'stop-session',
  summary: 'End a charging session',
  description:
    'Stops the transaction with the tag that started it, then unplugs: the connector is available again. Fails as `no_session` when there is neither a transaction nor a car.',
  addresses: 'connector',
  event: connectorEvent,
  example: { evse_id: 1, connector_id: 1 },
  apply(charger, _event, outlet, atMs) {
    const { session, ev } = connectorAt(charger, outlet);
    if (session === null && ev === null) return refuse('no_session', `no session on ${named(charger, outlet)}`);
    const stopped =
      session === null
        ? step(charger)
        : endSession(charger, outlet, { trigger: 'StopAuthorized', reason: 'Local', token: session.token }, atMs);
    return ev === null ? stopped : andTry(stopped, (next) => unplug(next, outlet, atMs));
  },
});
