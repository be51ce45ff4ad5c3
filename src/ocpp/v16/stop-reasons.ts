// The reasons for the end of a transaction that OCPP 1.6 has words for.

import type { StopReason } from '../../charger/report.ts';

export const stopReasons16: readonly StopReason[] = [
  'DeAuthorized',
  'EmergencyStop',
  'EVDisconnected',
  'HardReset',
  'Local',
  'Other',
  'PowerLoss',
  'Reboot',
  'Remote',
  'SoftReset',
  'UnlockCommand',
];
