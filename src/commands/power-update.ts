// The operator sets what a connector offers.

import Type from 'typebox';
import { setPoint } from '../charger/charging.ts';
import { command, connectorFields } from './command.ts';

export const powerUpdate = command({
  name: 'power-update',
  summary: 'Set the power that a connector offers',
  description:
    'What the connector offers from now until unplug, in watts: capped at its rating, 0 suspends (SuspendedEVSE). The car draws the lesser of this and what it takes. In a transaction the CSMS gets a meter sample at once.',
  addresses: 'connector',
  event: Type.Object(
    {
      power_w: Type.Number({ minimum: 0, maximum: 10_000_000, description: 'Active power in watts.' }),
      ...connectorFields,
    },
    { additionalProperties: false },
  ),
  example: { power_w: 7400, evse_id: 1, connector_id: 1 },
  apply: (charger, event, outlet, atMs) => setPoint(charger, outlet, event.power_w, atMs),
});
