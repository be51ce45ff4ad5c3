// The list of what an operator can do to a charger. Routes, OpenAPI and the command line are loops over it.

import type { Command } from './command.ts';
import { evRequestsEnergy } from './ev-requests-energy.ts';
import { evStopsEnergy } from './ev-stops-energy.ts';
import { plugConnector } from './plug-connector.ts';
import { powerUpdate } from './power-update.ts';
import { startSession } from './start-session.ts';
import { stopSession } from './stop-session.ts';
import { unplugConnector } from './unplug-connector.ts';

export const commands: readonly Command[] = [
  plugConnector,
  unplugConnector,
  evRequestsEnergy,
  evStopsEnergy,
  powerUpdate,
  startSession,
  stopSession,
];

export const commandsByEventType: ReadonlyMap<string, Command> = new Map(
  commands.map((each) => [each.eventType, each]),
);
