// What a connector may offer: its rating, the operator's set point, a limit from outside, and its share of the station's power.

import { drawnW } from './battery.ts';
import { type Charger, withConnector } from './charger.ts';
import { type Connector, isBlocked, isPaused, wantsEnergy } from './connector.ts';
import { specOf } from './station.ts';

/** Works out every connector's offer. Call it with the meters settled: the new offer must not apply to the past. */
export function withOffers(charger: Charger): Charger {
  const caps = charger.connectors.map((connector, outlet) => capW(charger, connector, outlet));
  const needs = charger.connectors.map((connector, outlet) => needW(charger, connector, caps[outlet] ?? 0));
  const shares = fairShares(needs, charger.station.maxPowerW);
  const spareW = charger.station.maxPowerW - sum(shares);
  let changed = charger;
  charger.connectors.forEach((connector, outlet) => {
    const offeredW = Math.min(caps[outlet] ?? 0, (shares[outlet] ?? 0) + spareW);
    if (offeredW !== connector.offeredW) changed = withConnector(changed, outlet, { offeredW });
  });
  return changed;
}

function capW(charger: Charger, connector: Connector, outlet: number): number {
  const rating = specOf(charger.station, outlet).maxPowerW;
  return Math.min(rating, connector.setPointW ?? rating, connector.conditions?.externalLimitW ?? rating);
}

/** What the car would take of the cap right now; nothing where no energy may flow. */
function needW(charger: Charger, connector: Connector, cap: number): number {
  const { ev, session } = connector;
  if (ev === null || session === null || isPaused(session) || !wantsEnergy(ev)) return 0;
  if (isBlocked(connector.faults) || isBlocked(charger.faults)) return 0;
  return drawnW(ev.battery, cap);
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
