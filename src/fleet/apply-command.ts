// What a queued command does to its charger.

import { type Charger, type Refusal, refuse, type Step } from '../charger/charger.ts';
import { noSuchOutlet, placeOf } from '../commands/addressing.ts';
import { commandsByEventType } from '../commands/index.ts';
import type { Dialect } from '../ocpp/dialect.ts';
import { versionTools } from '../ocpp/version-tools.ts';
import type { QueuedCommand } from '../ports/queue.ts';

export function applyCommand(queued: QueuedCommand, charger: Charger, dialect: Dialect, atMs: number): Step | Refusal {
  const command = commandsByEventType.get(queued.eventType);
  if (command === undefined) return refuse('unknown_command', `${queued.eventType} is not a command`);
  if (!isEvent(queued.payload)) return refuse('invalid_event', 'the event of the command cannot be read');
  const place = placeOf(command.addresses, charger.station.connectors, dialect.version, queued.payload);
  if (place === undefined) return refuse('unknown_connector', noSuchOutlet(queued.payload));
  return command.apply(charger, queued.payload, place, atMs, versionTools(dialect));
}

/** Nobody but a fault in the store, or a stranger's hand in it, makes it anything else. */
const isEvent = (payload: unknown): boolean =>
  typeof payload === 'object' && payload !== null && !Array.isArray(payload);
