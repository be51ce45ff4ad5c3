// What the charging profiles and the world outside allow at one moment: an outlet, and the station as a whole.

import { type Charger, connectorAt } from './charger.ts';
import { batteryV, phaseVoltageV } from './meter.ts';
import { type ChargingProfile, momentOf, type SchedulePeriod, scheduleOf } from './schedule.ts';
import { specOf } from './station.ts';

const never = Number.POSITIVE_INFINITY;

/** What a place may take, all profiles, a limit from outside and its own rating considered. */
export interface Limit {
  readonly limitW: number;
  /** How many phases it may take it from; 0 for DC. */
  readonly phases: number;
  /** How many phases a profile has named; null when none did. */
  readonly namedPhases: number | null;
  /** How many watts an ampere is there. */
  readonly wattsPerAmpere: number;
  /** It is less than its rating. */
  readonly isReduced: boolean;
  /** It stays so until then at least. */
  readonly untilMs: number;
}

/** A station is supplied with alternating current, whatever its outlets give. */
const supplyPhases = 3;

export interface Phases {
  /** Of the supply, or fewer where a car uses fewer. */
  readonly usable: number;
  /** No profile can change them now. */
  readonly isFixed: boolean;
}

/** What an outlet may take. */
export function outletLimit(
  charger: Charger,
  outlet: number,
  phases: Phases,
  atMs: number,
  sinceMs: number | null,
): Limit {
  const connector = connectorAt(charger, outlet);
  const spec = specOf(charger.station, outlet);
  const { tx, max, external, untilMs } = inForce(charger, outlet, atMs, sinceMs);
  const said = [tx, max, external].filter((each) => each !== null);
  const outsideW = connector.conditions?.externalLimitW ?? never;
  if (spec.current === 'DC') {
    const volts = batteryV(connector);
    const limits = said.map((each) => inWatts(each, each === tx ? volts : supplyPhases * phaseVoltageV));
    const limitW = Math.min(spec.maxPowerW, outsideW, ...limits);
    return { limitW, phases: 0, namedPhases: null, wattsPerAmpere: volts, isReduced: limitW < spec.maxPowerW, untilMs };
  }
  const namedPhases = lowestPhases(said, spec.phases);
  const used = phases.isFixed ? phases.usable : Math.min(phases.usable, namedPhases ?? phases.usable);
  const wattsPerAmpere = used * phaseVoltageV;
  const ratedW = (spec.maxPowerW * used) / spec.phases;
  const limitW = Math.min(ratedW, outsideW, ...said.map((each) => inWatts(each, wattsPerAmpere)));
  return { limitW, phases: used, namedPhases, wattsPerAmpere, isReduced: limitW < ratedW, untilMs };
}

/** What the station as a whole may take. */
export function stationLimit(charger: Charger, atMs: number): Limit {
  const { max, external, untilMs } = inForce(charger, null, atMs, null);
  const said = [max, external].filter((each) => each !== null);
  const most = stationPhases(charger);
  const namedPhases = lowestPhases(said, most);
  const phases = namedPhases ?? most;
  const wattsPerAmpere = phases * phaseVoltageV;
  const ratedW = charger.station.maxPowerW;
  const limitW = Math.min(ratedW, ...said.map((each) => inWatts(each, wattsPerAmpere)));
  return { limitW, phases, namedPhases, wattsPerAmpere, isReduced: limitW < ratedW, untilMs };
}

const stationPhases = ({ station }: Charger): number =>
  station.connectors.every((spec) => spec.current === 'AC' && spec.phases === 1) ? 1 : supplyPhases;

interface Said {
  readonly profile: ChargingProfile;
  readonly period: SchedulePeriod;
}

interface InForce {
  /** The transaction's own, else the default for transactions. */
  readonly tx: Said | null;
  readonly max: Said | null;
  readonly external: Said | null;
  readonly untilMs: number;
}

/** The period of each purpose that counts at this moment. `outlet` null: of what is for the whole station alone. */
function inForce(charger: Charger, outlet: number | null, atMs: number, sinceMs: number | null): InForce {
  let own: Said | null = null;
  let byDefault: Said | null = null;
  let max: Said | null = null;
  let external: Said | null = null;
  let untilMs = never;
  const { clockOffsetMs } = charger;
  const shownMs = atMs + clockOffsetMs;
  const shownSinceMs = sinceMs === null ? null : sinceMs + clockOffsetMs;
  const sessionId = outlet === null ? null : (connectorAt(charger, outlet).session?.id ?? null);
  for (const profile of charger.profiles) {
    if (!concerns(profile, outlet, sessionId)) continue;
    // A profile is dated by the clock that the CSMS has set.
    const moment = momentOf(profile, shownMs, shownSinceMs);
    untilMs = Math.min(untilMs, moment.untilMs - clockOffsetMs);
    if (moment.period === null) continue;
    const said = { profile, period: moment.period };
    if (profile.purpose === 'TxProfile') own = stronger(own, said);
    else if (profile.purpose === 'TxDefaultProfile') byDefault = stronger(byDefault, said);
    else if (profile.purpose === 'ChargingStationMaxProfile') max = stronger(max, said);
    else external = stronger(external, said);
  }
  return { tx: own ?? byDefault, max, external, untilMs };
}

function concerns(
  { purpose, place, sessionId }: ChargingProfile,
  outlet: number | null,
  running: string | null,
): boolean {
  if (purpose === 'TxProfile') return running !== null && sessionId === running;
  if (outlet === null) return place === 'station' && purpose !== 'TxDefaultProfile';
  return place === 'station' || place.includes(outlet);
}

/** The higher level counts; of two alike the one for this very place. */
function stronger(one: Said | null, other: Said): Said {
  if (one === null || other.profile.stackLevel > one.profile.stackLevel) return other;
  return other.profile.stackLevel === one.profile.stackLevel && one.profile.place === 'station' ? other : one;
}

const inWatts = ({ profile, period }: Said, wattsPerAmpere: number): number =>
  scheduleOf(profile).unit === 'W' ? period.limit : period.limit * wattsPerAmpere;

/** The fewest that are named, and no more than there are; null when none are. */
function lowestPhases(said: readonly Said[], most: number): number | null {
  let lowest: number | null = null;
  for (const { period } of said) if (period.phases !== null) lowest = Math.min(lowest ?? most, period.phases);
  return lowest;
}
