// Something breaks.

import Type from 'typebox';
import { injectFault as inject } from '../charger/faulting.ts';
import { faultKinds } from '../charger/faults.ts';
import { command, optionalNumber, optionalText, placeFields } from './command.ts';

export const errorCode = Type.Enum(Object.keys(faultKinds), {
  description: 'What breaks, in OCPP 1.6’s words for every version.',
});

export const injectFault = command({
  name: 'inject-fault',
  summary: 'Inject a fault',
  description:
    'A blocking fault makes the connector (or with `0, 0` the station) Faulted and ends its transaction; a warning only shows its code. 2.x reports it as an event of the device model too.',
  addresses: 'connector or station',
  event: Type.Object(
    {
      ...placeFields,
      error_code: errorCode,
      blocking: Type.Optional(
        Type.Union([Type.Boolean(), Type.Null()], {
          description: 'Whether it stops the connector; by the code when left out.',
        }),
      ),
      vendor_error_code: optionalText({ maxLength: 50, description: 'The maker’s own code.' }),
      info: optionalText({ maxLength: 500, description: 'Free text; 1.6 carries 50 characters of it.' }),
      duration_s: optionalNumber({
        exclusiveMinimum: 0,
        maximum: 31_536_000,
        description: 'Goes by itself after this time; stays until cleared when left out.',
      }),
    },
    { additionalProperties: false },
  ),
  example: { evse_id: 1, connector_id: 1, error_code: 'GroundFailure' },
  apply(charger, event, place, atMs) {
    const fault = {
      errorCode: event.error_code,
      blocking: event.blocking ?? faultKinds[event.error_code]?.blocking ?? true,
      info: event.info ?? null,
      vendorErrorCode: event.vendor_error_code ?? null,
      untilMs: event.duration_s == null ? null : atMs + event.duration_s * 1000,
    };
    return inject(charger, place, fault, atMs);
  },
});
