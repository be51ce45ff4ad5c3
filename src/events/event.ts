// Events as the world sees them: their types, and the JSON that streams and webhooks carry.

import type { ChargerEvent } from '../charger/charger.ts';
import type { FleetEvent } from '../ports/feed.ts';

export const eventTypes = [
  'charger.connected',
  'charger.disconnected',
  'charger.boot_accepted',
  'connector.status_changed',
  'transaction.started',
  'transaction.updated',
  'transaction.ended',
  'command.succeeded',
  'command.failed',
  'fault.injected',
  'fault.cleared',
  'provisioning.changed',
] as const;

export type EventType = (typeof eventTypes)[number];

/** Whatever a charger tells of is listed: this does not compile otherwise. */
true satisfies ChargerEvent extends EventType ? true : false;

export interface EventResource {
  readonly id: string;
  readonly type: string;
  readonly at: string;
  readonly charger_id: string;
  readonly identity: string;
  readonly location_id: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

export function eventView({ id, type, atMs, chargerId, identity, locationId, data }: FleetEvent): EventResource {
  const at = new Date(atMs).toISOString();
  return { id, type, at, charger_id: chargerId, identity, location_id: locationId, data };
}
