// The charger's power is cut and comes back.

import Type from 'typebox';
import { step } from '../charger/charger.ts';
import { command } from './command.ts';

export const powerCycle = command({
  name: 'power-cycle',
  summary: 'Cut the power for a while',
  description:
    'The line breaks without a word, what is volatile is lost, what a real charger keeps is kept. When the power is back after `off_s` seconds the charger boots; a transaction that was running has ended with `PowerLoss`.',
  addresses: 'charger',
  event: Type.Object(
    { off_s: Type.Number({ minimum: 0, maximum: 3_600, default: 5, description: 'How long it is off.' }) },
    { additionalProperties: false },
  ),
  example: { off_s: 5 },
  apply: (charger, event) => step(charger, [{ kind: 'power_cut', offMs: Math.round(event.off_s * 1000) }]),
});
