// OCPP 1.6 as tables.

import type { Dialect } from '../dialect.ts';
import { requests, responses } from '../generated/v16.js';
import { reports16 } from './reports.ts';
import { features16, requests16 } from './requests.ts';
import { defaults16, settingNamed16 } from './settings.ts';

export const dialect16: Dialect = {
  version: '1.6',
  subprotocol: 'ocpp1.6',
  defaults: defaults16,
  reports: reports16,
  requests: requests16,
  features: features16,
  validators: { requests, responses },
  complaints: {
    malformed: 'FormationViolation',
    unknownMessageType: 'GenericError',
    notImplemented: 'NotImplemented',
    notSupported: 'NotSupported',
    badStructure: 'FormationViolation',
    missingField: 'ProtocolError',
    badOccurrence: 'OccurenceConstraintViolation',
    badType: 'TypeConstraintViolation',
    badValue: 'PropertyConstraintViolation',
    notAccepted: 'SecurityError',
    bug: 'InternalError',
  },
  settingNamed: settingNamed16,
  silentTypes: [],
  unconfirmed: [],
  transactionId: (slice, sessionId) => slice.transactionIds[sessionId]?.toString() ?? null,
};
