// What OCPP 2.0.1 and 2.1 have in common.

import type { Dialect } from '../dialect.ts';
import { reports2 } from './reports.ts';
import { requests2 } from './requests.ts';
import { defaults2, settingNamed2 } from './settings.ts';

export const family2: Omit<Dialect, 'version' | 'subprotocol' | 'validators'> = {
  defaults: defaults2,
  reports: reports2,
  requests: requests2,
  features: {},
  complaints: {
    malformed: 'RpcFrameworkError',
    unknownMessageType: 'MessageTypeNotSupported',
    notImplemented: 'NotImplemented',
    notSupported: 'NotSupported',
    badStructure: 'FormatViolation',
    missingField: 'ProtocolError',
    badOccurrence: 'OccurrenceConstraintViolation',
    badType: 'TypeConstraintViolation',
    badValue: 'PropertyConstraintViolation',
    notAccepted: 'SecurityError',
    bug: 'InternalError',
  },
  settingNamed: settingNamed2,
  silentTypes: [],
  unconfirmed: [],
  transactionId: (_slice, sessionId) => sessionId,
};
