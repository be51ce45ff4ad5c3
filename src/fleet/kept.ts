// What a charger leaves behind, and what may be told of it once it is durable.

import type { NewFleetEvent } from '../ports/feed.ts';
import type { ChargerRecord, Commit } from '../ports/store.ts';

export interface Kept {
  readonly commit: Commit;
  readonly events: readonly NewFleetEvent[];
}

export function eventOf(
  { org, id: chargerId, identity, locationId }: ChargerRecord,
  type: string,
  data: Readonly<Record<string, unknown>>,
  atMs: number,
): NewFleetEvent {
  return { org, type, atMs, chargerId, identity, locationId, data };
}
