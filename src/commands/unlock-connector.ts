// The lock of a socket is opened at the charger.

import { unlock } from '../charger/stopping.ts';
import { command, connectorEvent } from './command.ts';

export const unlockConnector = command({
  name: 'unlock-connector',
  summary: 'Unlock a connector',
  description:
    'Releases the cable. In OCPP 1.6 this ends a running transaction (reason `UnlockCommand`); in 2.x it fails as `transaction_active`. A fixed cable has no lock: `no_lock`. A jammed lock (`set-condition`) stays closed, and while the fault `ConnectorLockFailure` is active it is not even tried: `lock_failure`.',
  addresses: 'connector',
  event: connectorEvent,
  example: { evse_id: 1, connector_id: 1 },
  apply: (charger, _event, outlet, atMs) => unlock(charger, outlet, atMs),
});
