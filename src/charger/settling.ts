// A status that must last for a while before it is told: what has changed and may yet change back.

import { type Charger, connectorAt, nothingSettling, withConnector } from './charger.ts';
import { sameShown } from './connector.ts';
import type { Shown } from './report.ts';
import { setting } from './settings.ts';

export interface Settling {
  readonly outlet: number;
  readonly shown: Shown;
  readonly sinceMs: number;
}

/** Since when the outlet is so, if that is long enough to be told; a fault is told at once. */
export function settledSince(charger: Charger, outlet: number, shown: Shown, atMs: number): number | null {
  const waitMs = setting(charger, 'ChargingStation.MinimumStatusDuration') * 1000;
  if (waitMs === 0 || shown.errorCode !== connectorAt(charger, outlet).shown.errorCode) return atMs;
  const known = charger.settling.find((entry) => entry.outlet === outlet && sameShown(entry.shown, shown));
  return known !== undefined && atMs >= known.sinceMs + waitMs ? known.sinceMs : null;
}

export function withSettling(charger: Charger, outlet: number, shown: Shown, atMs: number): Charger {
  if (charger.settling.some((entry) => entry.outlet === outlet && sameShown(entry.shown, shown))) return charger;
  return { ...charger, settling: [...settlingElsewhere(charger, outlet), { outlet, shown, sinceMs: atMs }] };
}

export function withoutSettling(charger: Charger, outlet: number): Charger {
  if (charger.settling.length === 0) return charger;
  const settling = settlingElsewhere(charger, outlet);
  return { ...charger, settling: settling.length === 0 ? nothingSettling : settling };
}

/** The statuses of these outlets are told now, however new. */
export function settledNow(charger: Charger, outlets: readonly number[]): Charger {
  return charger.settling.reduce((next, { outlet, shown, sinceMs }) => {
    if (!outlets.includes(outlet)) return next;
    return withoutSettling(withConnector(next, outlet, { shown, shownAtMs: sinceMs }), outlet);
  }, charger);
}

/** When the next status has lasted long enough. */
export function settledDueMs(charger: Charger): number {
  const waitMs = setting(charger, 'ChargingStation.MinimumStatusDuration') * 1000;
  return charger.settling.reduce((first, { sinceMs }) => Math.min(first, sinceMs + waitMs), Number.POSITIVE_INFINITY);
}

const settlingElsewhere = (charger: Charger, outlet: number): readonly Settling[] =>
  charger.settling.filter((entry) => entry.outlet !== outlet);
