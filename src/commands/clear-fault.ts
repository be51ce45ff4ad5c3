// Something is mended.

import Type from 'typebox';
import { clearFault as clear } from '../charger/faulting.ts';
import { command, placeFields } from './command.ts';
import { errorCode } from './inject-fault.ts';

export const clearFault = command({
  name: 'clear-fault',
  summary: 'Clear a fault',
  description: 'One code, or all when none is given. Fails as `no_fault` when nothing of it is active.',
  addresses: 'connector or station',
  event: Type.Object(
    { ...placeFields, error_code: Type.Optional(Type.Union([errorCode, Type.Null()])) },
    { additionalProperties: false },
  ),
  example: { evse_id: 1, connector_id: 1, error_code: 'GroundFailure' },
  apply: (charger, event, place, atMs) => clear(charger, place, event.error_code ?? null, atMs),
});
