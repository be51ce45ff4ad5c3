// A driver presents a tag at the reader.

import Type from 'typebox';
import { authorize as present } from '../charger/authorization.ts';
import { openEnd } from '../charger/session.ts';
import { command, idTagSchema, optionalInteger } from './command.ts';

export const authorize = command({
  name: 'authorize',
  summary: 'Present a tag',
  description:
    'The charger acts as a real one: accepted with a car plugged in, a transaction starts; the tag (or group) of the running transaction stops it; otherwise the charger waits for a plug until the connection time-out. A refused tag is a successful command; its status is in `result`.',
  addresses: 'any connector',
  event: Type.Object(
    {
      id_tag: idTagSchema,
      id_token_type: Type.String({
        minLength: 1,
        maxLength: 20,
        default: 'ISO14443',
        description: 'What kind of token it is, in OCPP 2.x’s words.',
      }),
      evse_id: optionalInteger({
        minimum: 1,
        maximum: 1_000,
        description: 'Where; anywhere when left out.',
      }),
      connector_id: optionalInteger({
        minimum: 1,
        maximum: 1_000,
        description: 'Where; anywhere when left out.',
      }),
    },
    { additionalProperties: false },
  ),
  example: { id_tag: 'DEADBEEF' },
  apply: (charger, event, outlet, atMs) =>
    present(
      charger,
      { idTag: event.id_tag, type: event.id_token_type },
      { kind: 'present', outlet, plan: openEnd },
      atMs,
    ),
});
