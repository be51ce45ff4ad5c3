// A driver pulls the cable.

import { unplug } from '../charger/plugging.ts';
import { command, connectorEvent } from './command.ts';

export const unplugConnector = command({
  name: 'unplug-connector',
  summary: 'Pull the cable from a connector',
  description:
    'Ends a running transaction (reason `EVDisconnected`), unless the charger is configured otherwise. Fails as `not_plugged` when no car is there, as `lock_failure` when a jammed lock holds the cable.',
  addresses: 'connector',
  event: connectorEvent,
  example: { evse_id: 1, connector_id: 1 },
  apply: (charger, _event, outlet, atMs) => unplug(charger, outlet, atMs),
});
