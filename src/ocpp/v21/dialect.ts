// OCPP 2.1 as tables.

import type { Dialect } from '../dialect.ts';
import { requests, responses } from '../generated/v21.js';
import { family2 } from '../v2/dialect.ts';

export const dialect21: Dialect = {
  ...family2,
  version: '2.1',
  subprotocol: 'ocpp2.1',
  defaults: Object.freeze({
    ...family2.defaults,
    'AuthCtrlr.IdTokenMaxLength': 255,
    'AuthCtrlr.IdTokenTypes': '',
    'TxCtrlr.LimitReports': true,
  }),
  validators: { requests, responses },
  // CALLRESULTERROR tells that our answer was bad, SEND wants no answer: neither is replied to.
  silentTypes: [5, 6],
  unconfirmed: ['NotifyPeriodicEventStream'],
};
