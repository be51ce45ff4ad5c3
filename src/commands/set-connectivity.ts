// Somebody cuts the charger's line to its CSMS, or lets it be.

import Type from 'typebox';
import { step } from '../charger/charger.ts';
import { command } from './command.ts';

export const setConnectivity = command({
  name: 'set-connectivity',
  summary: 'Cut or restore the line to the CSMS',
  description:
    'With `online` false the line goes down (`drop`: without a close frame) and stays down; the charger lives on offline. With `online` true it is dialled at once, without the back-off. A line that already is as wanted stays so.',
  addresses: 'charger',
  event: Type.Object(
    {
      online: Type.Boolean({ description: 'Whether there shall be a line.' }),
      mode: Type.Enum(['close', 'drop'], { default: 'close', description: 'How it goes down.' }),
    },
    { additionalProperties: false },
  ),
  example: { online: false, mode: 'drop' },
  apply: (charger, event) => step(charger, [{ kind: 'line', wanted: event.online, drop: event.mode === 'drop' }]),
});
