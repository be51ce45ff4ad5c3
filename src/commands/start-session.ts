// The whole beginning of a visit: plug in, present the tag, charge.

import Type from 'typebox';
import { authorize, refusesToStart } from '../charger/authorization.ts';
import { andTry, connectorAt, step } from '../charger/charger.ts';
import { evRequestsEnergy, plugIn } from '../charger/plugging.ts';
import { command, connectorFields, evSchema, idTagSchema } from './command.ts';
import { evSpec } from './ev.ts';

export const startSession = command({
  name: 'start-session',
  summary: 'Start a charging session',
  description:
    'The whole visit in one call: plug in (unless a car is there), authorise the tag, start the transaction, charge. `energy_wh` or `duration_s` end it by themselves. A tag that the CSMS refuses fails the command as `token_refused` and leaves the car plugged in.',
  addresses: 'connector',
  event: Type.Object(
    {
      id_tag: idTagSchema,
      ...connectorFields,
      ev: evSchema,
      energy_wh: Type.Optional(
        Type.Union([Type.Number({ exclusiveMinimum: 0, maximum: 10_000_000 }), Type.Null()], {
          description: 'Stop after this much energy.',
        }),
      ),
      duration_s: Type.Optional(
        Type.Union([Type.Number({ exclusiveMinimum: 0, maximum: 31_536_000 }), Type.Null()], {
          description: 'Stop after this time.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  example: { id_tag: 'DEADBEEF', evse_id: 1, connector_id: 1 },
  apply(charger, event, outlet, atMs) {
    const refusal = refusesToStart(charger, outlet);
    if (refusal !== null) return refusal;
    const plugged =
      connectorAt(charger, outlet).ev === null ? plugIn(charger, outlet, evSpec(event.ev), atMs) : step(charger);
    const willing = andTry(plugged, (next) => evRequestsEnergy(next, outlet, atMs));
    const token = { idTag: event.id_tag, type: 'ISO14443' };
    const plan = {
      energyWh: event.energy_wh ?? null,
      durationS: event.duration_s ?? null,
      remoteStartId: null,
      mustStart: true,
    };
    return andTry(willing, (next) => {
      // A lock that fails to close only shows now: what has happened has happened.
      const broken = refusesToStart(next, outlet);
      if (broken !== null) return step(next, [{ kind: 'fail', ...broken }]);
      return authorize(next, token, { kind: 'start', outlet, plan }, atMs);
    });
  },
});
