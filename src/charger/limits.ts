// What a connector may offer: rating, set point, charging profiles, a limit from outside, its share of the station's power.

import { drawnW } from './battery.ts';
import { type Charger, withConnector } from './charger.ts';
import { type Connector, isBlocked, isPaused, wantsEnergy } from './connector.ts';
import { type Limit, outletLimit, stationLimit } from './profile-limits.ts';
import { setting } from './settings.ts';
import { specOf } from './station.ts';

/** Below this a car on AC cannot be told to charge at all (IEC 61851). */
const leastAmperes = 6;

/** Works out every connector's offer. Call it with the meters settled: the new offer must not apply to the past. */
export function withOffers(charger: Charger, atMs: number): Charger {
  if (isLimited(charger)) return withLimitedOffers(charger, atMs);
  const caps = charger.connectors.map((connector, outlet) => ratedW(charger, connector, outlet));
  return shared(charger, caps, charger.station.maxPowerW, null);
}

/** Few are. `offersUntilMs`: one that was until now has to find back to what it may offer without. */
const isLimited = ({ profiles, offersUntilMs, connectors }: Charger): boolean =>
  profiles.length > 0 ||
  offersUntilMs !== null ||
  connectors.some(({ conditions }) => conditions !== undefined && conditions.externalLimitW != null);

function withLimitedOffers(charger: Charger, atMs: number): Charger {
  const whole = stationLimit(charger, atMs);
  let changed = charger;
  let untilMs = whole.untilMs;
  const limits = charger.connectors.map((connector, outlet) => {
    const limit = presentLimit(charger, outlet, atMs);
    untilMs = Math.min(untilMs, limit.untilMs);
    if (limit.phases !== connector.phases) changed = withConnector(changed, outlet, { phases: limit.phases });
    return limit;
  });
  const caps = charger.connectors.map((connector, outlet) => {
    const limit = limits[outlet];
    const limitW = limit === undefined || isTooLittle(limit) ? 0 : limit.limitW;
    return Math.min(limitW, ratedW(charger, connector, outlet));
  });
  const leastW = limits.map(({ phases, wattsPerAmpere }) => (phases === 0 ? 0 : leastAmperes * wattsPerAmpere));
  const offersUntilMs = charger.profiles.length === 0 && hasAllPhases(changed) ? null : untilMs;
  return shared({ ...changed, offersUntilMs }, caps, whole.limitW, whole.isReduced ? leastW : null);
}

/** What its profiles, the world outside and its rating allow an outlet now, with the car that is there. */
export function presentLimit(charger: Charger, outlet: number, atMs: number): Limit {
  const spec = specOf(charger.station, outlet);
  const { ev, session, phases } = charger.connectors[outlet] as Connector;
  const sinceMs = session?.startedAtMs ?? null;
  // Phases are chosen when a transaction begins; few chargers can change them under load.
  const isFixed = session !== null && sinceMs !== atMs && !setting(charger, 'SmartChargingCtrlr.Phases3to1');
  const usable = isFixed ? phases : spec.phases;
  return outletLimit(charger, outlet, { usable: Math.min(usable, ev?.phases ?? usable), isFixed }, atMs, sinceMs);
}

const hasAllPhases = ({ connectors, station }: Charger): boolean =>
  connectors.every(({ phases }, outlet) => phases === specOf(station, outlet).phases);

/** A limit that no car on AC can follow; the rounding of amperes into watts and back is forgiven. */
const isTooLittle = ({ limitW, phases, wattsPerAmpere, isReduced }: Limit): boolean =>
  isReduced && phases > 0 && limitW / wattsPerAmpere < leastAmperes - 1e-9;

const ratedW = (charger: Charger, connector: Connector, outlet: number): number => {
  const rating = specOf(charger.station, outlet).maxPowerW;
  return Math.min(rating, connector.setPointW ?? rating);
};

/** `leastW`: who would get less than that of the total gets nothing, and the others get more. */
function shared(charger: Charger, caps: readonly number[], totalW: number, leastW: readonly number[] | null): Charger {
  if (caps.length === 1 && leastW === null) return offered(charger, 0, Math.min(caps[0] ?? 0, totalW));
  const needs = charger.connectors.map((connector, outlet) => needW(charger, connector, caps[outlet] ?? 0));
  const usefulW = needs.map((need, outlet) => Math.min(need, leastW?.[outlet] ?? 0));
  const shares = usefulShares(needs, totalW, usefulW);
  // Shares that add up to a hair more than the total are rounding.
  const spareW = Math.max(0, totalW - sum(shares));
  return charger.connectors.reduce((changed, _, outlet) => {
    const mayW = Math.min(caps[outlet] ?? 0, (shares[outlet] ?? 0) + spareW);
    return offered(changed, outlet, mayW < (usefulW[outlet] ?? 0) ? 0 : mayW);
  }, charger);
}

function offered(charger: Charger, outlet: number, offeredW: number): Charger {
  return charger.connectors[outlet]?.offeredW === offeredW ? charger : withConnector(charger, outlet, { offeredW });
}

/** What the car would take of the cap right now; nothing where no energy may flow. */
function needW(charger: Charger, connector: Connector, cap: number): number {
  const { ev, session } = connector;
  if (ev === null || session === null || isPaused(session) || !wantsEnergy(ev)) return 0;
  if (isBlocked(connector.faults) || isBlocked(charger.faults)) return 0;
  return drawnW(ev.battery, cap);
}

function usefulShares(needs: readonly number[], total: number, usefulW: readonly number[]): readonly number[] {
  let served = needs;
  for (;;) {
    const shares = fairShares(served, total);
    const starved = shares.findLastIndex(
      (share, outlet) => (served[outlet] ?? 0) > 0 && share < (usefulW[outlet] ?? 0),
    );
    if (starved < 0) return withRest(shares, needs, total, usefulW);
    served = served.with(starved, 0);
  }
}

/** Who was passed over may do with what is left, one after the other. */
function withRest(
  shares: readonly number[],
  needs: readonly number[],
  total: number,
  usefulW: readonly number[],
): readonly number[] {
  let leftW = total - sum(shares);
  return shares.map((share, outlet) => {
    const need = needs[outlet] ?? 0;
    if (share > 0 || leftW < (usefulW[outlet] ?? 0)) return share;
    const restW = Math.min(need, leftW);
    leftW -= restW;
    return restW;
  });
}

/** Splits a total equally among those in need; what one does not need goes to the others. */
export function fairShares(needs: readonly number[], total: number): readonly number[] {
  const shares = needs.map(() => 0);
  let left = total;
  const waiting = [...needs.keys()].sort((one, other) => (needs[one] ?? 0) - (needs[other] ?? 0));
  waiting.forEach((index, position) => {
    const share = Math.min(needs[index] ?? 0, left / (waiting.length - position));
    shares[index] = share;
    left -= share;
  });
  return shares;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
