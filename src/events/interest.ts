// What somebody wants to hear of: the events of one tenant, or some of them.

import type { FleetEvent } from '../ports/feed.ts';

export interface Interest {
  readonly org: string;
  /** None means all. */
  readonly types: readonly string[];
  /** Only of this charger, or of this location; null for all. */
  readonly chargerId: string | null;
  readonly locationId: string | null;
}

export function isOfInterest({ org, types, chargerId, locationId }: Interest, event: FleetEvent): boolean {
  return (
    event.org === org &&
    (chargerId === null || event.chargerId === chargerId) &&
    (locationId === null || event.locationId === locationId) &&
    (types.length === 0 || types.includes(event.type))
  );
}
