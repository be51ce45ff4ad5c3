// OCPP 2.0.1 as tables.

import type { Dialect } from '../dialect.ts';
import { requests, responses } from '../generated/v201.js';
import { family2 } from '../v2/dialect.ts';

export const dialect201: Dialect = {
  ...family2,
  version: '2.0.1',
  subprotocol: 'ocpp2.0.1',
  validators: { requests, responses },
};
