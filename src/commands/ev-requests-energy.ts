// The car asks for energy again.

import { evRequestsEnergy as requestEnergy } from '../charger/plugging.ts';
import { command, connectorEvent } from './command.ts';

export const evRequestsEnergy = command({
  name: 'ev-requests-energy',
  summary: 'Let the car take energy again',
  description:
    'A transaction that the car had suspended goes on charging. Fails as `not_plugged` when no car is there.',
  addresses: 'connector',
  event: connectorEvent,
  example: { evse_id: 1, connector_id: 1 },
  apply: (charger, _event, outlet, atMs) => requestEnergy(charger, outlet, atMs),
});
