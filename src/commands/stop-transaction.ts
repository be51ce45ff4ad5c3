// A transaction is stopped; the cable stays in.

import Type from 'typebox';
import { stopReasons } from '../charger/report.ts';
import { stopTransaction as stop } from '../charger/stopping.ts';
import { command, connectorFields } from './command.ts';

export const stopTransaction = command({
  name: 'stop-transaction',
  summary: 'Stop a transaction',
  description:
    'Ends the transaction and leaves the cable in. `reason` is one of OCPP’s words; one that the charger’s version does not have fails the command as `unknown_reason`.',
  addresses: 'connector',
  event: Type.Object(
    { ...connectorFields, reason: Type.Enum([...stopReasons], { default: 'Local', description: 'Why it ends.' }) },
    { additionalProperties: false },
  ),
  example: { evse_id: 1, connector_id: 1, reason: 'Local' },
  apply: (charger, event, outlet, atMs) => stop(charger, outlet, event.reason, atMs),
});
