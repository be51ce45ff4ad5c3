// Reservations: an outlet, or any outlet of the station, is kept for one token or its group until some time.

import { reportChanges } from './changes.ts';
import { type Charger, connectorAt, named, type Refusal, refuse, type Step, step, withConnector } from './charger.ts';
import { isBlocked, show } from './connector.ts';
import type { Token } from './report.ts';
import { siblingInUse } from './siblings.ts';
import { sameToken } from './tokens.ts';

export interface Reservation {
  readonly id: number;
  readonly idTag: string;
  readonly parentIdTag: string | null;
  readonly untilMs: number;
}

/** Who wants to charge. */
export interface Bearer {
  readonly token: Token;
  readonly parentIdTag: string | null;
}

const isFor = (reservation: Reservation, { token, parentIdTag }: Bearer): boolean =>
  sameToken(reservation.idTag, token.idTag) ||
  (reservation.parentIdTag !== null && parentIdTag !== null && sameToken(reservation.parentIdTag, parentIdTag));

/** The token is not the reserved one, but may be of its group: that remains to be asked. */
export function dependsOnGroup(charger: Charger, outlet: number, token: Token): boolean {
  const reservation = connectorAt(charger, outlet).reservation ?? charger.reservation;
  return reservation !== null && reservation.parentIdTag !== null && !isFor(reservation, { token, parentIdTag: null });
}

/** Why an outlet is kept from somebody; null when it is not. */
export function refusesBearer(charger: Charger, outlet: number, bearer: Bearer): Refusal | null {
  const { reservation } = connectorAt(charger, outlet);
  if (reservation !== null) return isFor(reservation, bearer) ? null : reserved(charger, outlet);
  if (charger.reservation === null || isFor(charger.reservation, bearer)) return null;
  // Whoever comes may take any outlet but the last.
  const isLast = !charger.connectors.some((_, other) => other !== outlet && isFree(charger, other));
  return isLast ? reserved(charger, outlet) : null;
}

const reserved = (charger: Charger, outlet: number): Refusal =>
  refuse('reserved', `${named(charger, outlet)} is reserved for another id tag`);

const isFree = (charger: Charger, outlet: number): boolean => reserveOutcome(charger, outlet) === 'Accepted';

/** The reservation that a session of this bearer uses up, if there is one, and the charger without it. */
export function useReservation(
  charger: Charger,
  outlet: number,
  bearer: Bearer,
): { readonly charger: Charger; readonly reservationId?: number } {
  const { reservation } = connectorAt(charger, outlet);
  if (reservation !== null) {
    const free = withConnector(charger, outlet, { reservation: null });
    return isFor(reservation, bearer) ? { charger: free, reservationId: reservation.id } : { charger: free };
  }
  if (charger.reservation === null || !isFor(charger.reservation, bearer)) return { charger };
  return { charger: { ...charger, reservation: null }, reservationId: charger.reservation.id };
}

export type ReserveOutcome = 'Accepted' | 'Faulted' | 'Occupied' | 'Rejected' | 'Unavailable';

/** `outlet` null: any outlet of the station. The same id again takes the place of the earlier reservation. */
export function reserve(
  charger: Charger,
  outlet: number | null,
  reservation: Reservation,
  atMs: number,
): Step & { readonly outcome: ReserveOutcome } {
  const freed = withoutReservation(charger, reservation.id);
  const outcome = reserveOutcome(freed, outlet);
  if (outcome !== 'Accepted') return { ...step(charger), outcome };
  const kept = outlet === null ? { ...freed, reservation } : withConnector(freed, outlet, { reservation });
  return { ...reportChanges(kept, atMs), outcome };
}

function reserveOutcome(charger: Charger, outlet: number | null): ReserveOutcome {
  if (outlet !== null) {
    const outcome = outcomes[show(connectorAt(charger, outlet), charger).status] ?? 'Occupied';
    return outcome === 'Accepted' && siblingInUse(charger, outlet) !== null ? 'Occupied' : outcome;
  }
  if (isBlocked(charger.faults)) return 'Faulted';
  if (charger.reservation !== null) return 'Occupied';
  const each = charger.connectors.map((_, index) => reserveOutcome(charger, index));
  // What stands in the way: the mildest of the reasons.
  return (['Accepted', 'Occupied', 'Unavailable'] as const).find((outcome) => each.includes(outcome)) ?? 'Faulted';
}

const outcomes: Readonly<Record<string, ReserveOutcome>> = {
  Available: 'Accepted',
  Unavailable: 'Unavailable',
  Faulted: 'Faulted',
};

/** Null when there is no such reservation. */
export function cancelReservation(charger: Charger, id: number, atMs: number): Step | null {
  const freed = withoutReservation(charger, id);
  return freed === charger ? null : reportChanges(freed, atMs);
}

/** The same charger when there is none of this id. */
function withoutReservation(charger: Charger, id: number): Charger {
  if (charger.reservation?.id === id) return { ...charger, reservation: null };
  const outlet = charger.connectors.findIndex(({ reservation }) => reservation?.id === id);
  return outlet < 0 ? charger : withConnector(charger, outlet, { reservation: null });
}
