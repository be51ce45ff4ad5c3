// A driver plugs a car in.

import Type from 'typebox';
import { plugIn } from '../charger/plugging.ts';
import { command, connectorFields, evSchema } from './command.ts';
import { evSpec } from './ev.ts';

export const plugConnector = command({
  name: 'plug-connector',
  summary: 'Plug a car into a connector',
  description:
    'The connector becomes occupied; where a token already waits, the transaction starts. Fails as `already_plugged` when a car is there.',
  addresses: 'connector',
  event: Type.Object({ ...connectorFields, ev: evSchema }, { additionalProperties: false }),
  example: { evse_id: 1, connector_id: 1, ev: { battery_kwh: 77, soc_percent: 35 } },
  apply: (charger, event, outlet, atMs) => plugIn(charger, outlet, evSpec(event.ev), atMs),
});
