// The car stops taking energy.

import { evStopsEnergy as stopEnergy } from '../charger/plugging.ts';
import { command, connectorEvent } from './command.ts';

export const evStopsEnergy = command({
  name: 'ev-stops-energy',
  summary: 'Let the car stop taking energy',
  description:
    'The connector goes to SuspendedEV, from any state; where no car stands, one that wants nothing is plugged in. The transaction, if there is one, stays open.',
  addresses: 'connector',
  event: connectorEvent,
  example: { evse_id: 1, connector_id: 1 },
  apply: (charger, _event, outlet, atMs) => stopEnergy(charger, outlet, atMs),
});
