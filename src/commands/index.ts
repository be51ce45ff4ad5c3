// The list of what an operator can do to a charger. Routes, OpenAPI and the command line are loops over it.

import { authorize } from './authorize.ts';
import { clearFault } from './clear-fault.ts';
import { clearLocalAuthList } from './clear-local-auth-list.ts';
import type { Command } from './command.ts';
import { evRequestsEnergy } from './ev-requests-energy.ts';
import { evStopsEnergy } from './ev-stops-energy.ts';
import { injectFault } from './inject-fault.ts';
import { localAuthList } from './local-auth-list.ts';
import { plugConnector } from './plug-connector.ts';
import { powerCycle } from './power-cycle.ts';
import { powerUpdate } from './power-update.ts';
import { proxyMessage } from './proxy-message.ts';
import { resetAuthCache } from './reset-auth-cache.ts';
import { seedAuthCache } from './seed-auth-cache.ts';
import { setCondition } from './set-condition.ts';
import { setConfiguration } from './set-configuration.ts';
import { setConnectivity } from './set-connectivity.ts';
import { startSession } from './start-session.ts';
import { startTransaction } from './start-transaction.ts';
import { stopSession } from './stop-session.ts';
import { stopTransaction } from './stop-transaction.ts';
import { transactionLimit } from './transaction-limit.ts';
import { unlockConnector } from './unlock-connector.ts';
import { unplugConnector } from './unplug-connector.ts';

export const commands: readonly Command[] = [
  plugConnector,
  unplugConnector,
  unlockConnector,
  evRequestsEnergy,
  evStopsEnergy,
  powerUpdate,
  startTransaction,
  stopTransaction,
  transactionLimit,
  startSession,
  stopSession,
  authorize,
  injectFault,
  clearFault,
  localAuthList,
  clearLocalAuthList,
  resetAuthCache,
  seedAuthCache,
  setConfiguration,
  proxyMessage,
  setCondition,
  setConnectivity,
  powerCycle,
];

export const commandsByEventType: ReadonlyMap<string, Command> = new Map(
  commands.map((each) => [each.eventType, each]),
);
