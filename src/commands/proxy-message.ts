// Words are put into the charger's mouth.

import Type from 'typebox';
import { refuse, step } from '../charger/charger.ts';
import { command } from './command.ts';

export const proxyMessage = command({
  name: 'proxy-message',
  summary: 'Send an OCPP message as given',
  description:
    'The CALL goes to the CSMS as it stands, behind what the charger has to say already; the answer is the command’s `result`. What OCPP 2.1 sends without being answered (NotifyPeriodicEventStream) goes out as SEND, and the command has ended with it. Its schema is checked first (`invalid_message`) unless `validate` is false. The charger itself does not change.',
  addresses: 'charger',
  event: Type.Object(
    {
      action: Type.String({ minLength: 1, maxLength: 100, pattern: '^[A-Za-z0-9]+$', description: 'The OCPP action.' }),
      payload: Type.Record(Type.String(), Type.Unknown(), { description: 'The payload, a JSON object.' }),
      validate: Type.Boolean({ default: true, description: 'False: send it although it is wrong.' }),
    },
    { additionalProperties: false },
  ),
  example: { action: 'DataTransfer', payload: { vendorId: 'com.example' } },
  apply(charger, { action, payload, validate }, _place, _atMs, version) {
    const problem = validate ? version.checkCall(action, payload) : null;
    if (problem !== null) return refuse('invalid_message', problem);
    if (!charger.online) return refuse('not_connected', 'the charger is not connected to the CSMS');
    if (charger.boot.status !== 'Accepted') {
      return refuse('not_accepted', 'the CSMS has not accepted the charger yet');
    }
    return step(charger, [{ kind: 'report', report: { kind: 'raw', action, payload, checked: validate } }]);
  },
});
