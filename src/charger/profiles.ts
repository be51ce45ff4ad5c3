// The charging profiles that a charger holds: which it accepts, which replaces which, which are cleared, which die.

import { type Charger, noProfiles, type Refusal, refuse } from './charger.ts';
import type { ChargingProfile, ChargingSchedule, ProfilePlace, ProfilePurpose } from './schedule.ts';
import { listSetting, setting } from './settings.ts';

/** Takes a profile in, in the place of any that it replaces, or says why not (the code is OCPP's reason code). */
export function withProfile(charger: Charger, profile: ChargingProfile): Charger | Refusal {
  const problem = placeProblem(charger, profile) ?? profileProblem(charger, profile);
  if (problem !== null) return problem;
  const session = sessionAt(charger, profile.place);
  const bound = profile.purpose === 'TxProfile' ? { ...profile, sessionId: session } : { ...profile, sessionId: null };
  const profiles = [...charger.profiles.filter((other) => !isReplaced(other, bound)), bound];
  return countProblem(charger, profiles.length) ?? { ...charger, profiles };
}

/** A profile that comes with a remote start, for the session to be; `SessionPlan.profile` brings it there. */
export function acceptTxProfile(charger: Charger, profile: ChargingProfile): ChargingProfile | Refusal {
  if (profile.purpose !== 'TxProfile') return refuse('InvalidValue', 'only a TxProfile can come with a remote start');
  if (profile.sessionId !== null) return refuse('InvalidValue', 'a transaction that is yet to begin has no id');
  return profileProblem(charger, profile) ?? countProblem(charger, charger.profiles.length + 1) ?? profile;
}

/** The session has begun: the profile that came with its remote start is bound to it. */
export function withTxProfile(charger: Charger, outlet: number, sessionId: string, profile: ChargingProfile): Charger {
  const bound = { ...profile, place: [outlet], sessionId };
  return { ...charger, profiles: [...charger.profiles.filter((other) => !isReplaced(other, bound)), bound] };
}

/** With a session its profiles go. */
export function withoutTxProfiles(charger: Charger, sessionId: string): Charger {
  if (!charger.profiles.some((profile) => profile.sessionId === sessionId)) return charger;
  return withProfiles(
    charger,
    charger.profiles.filter((profile) => profile.sessionId !== sessionId),
  );
}

/** Which profiles are meant; null: whichever. */
export interface ProfileCriteria {
  /** When it is given nothing else counts. */
  readonly id: number | null;
  readonly place: ProfilePlace | null;
  readonly purpose: ProfilePurpose | null;
  readonly stackLevel: number | null;
}

/** The same charger when nothing matches. */
export function withoutProfiles(charger: Charger, criteria: ProfileCriteria): Charger {
  const left = charger.profiles.filter((profile) => !matches(profile, criteria));
  return left.length === charger.profiles.length ? charger : withProfiles(charger, left);
}

export function matches(profile: ChargingProfile, { id, place, purpose, stackLevel }: ProfileCriteria): boolean {
  if (id !== null) return profile.id === id;
  return (
    (place === null || isSamePlace(profile.place, place)) &&
    (purpose === null || profile.purpose === purpose) &&
    (stackLevel === null || profile.stackLevel === stackLevel)
  );
}

const withProfiles = (charger: Charger, profiles: readonly ChargingProfile[]): Charger => ({
  ...charger,
  profiles: profiles.length === 0 ? noProfiles : profiles,
});

/** The same id, or the same level of the same purpose at the same place: there can be only one. */
const isReplaced = (other: ChargingProfile, profile: ChargingProfile): boolean =>
  other.id === profile.id ||
  (other.purpose === profile.purpose &&
    other.stackLevel === profile.stackLevel &&
    isSamePlace(other.place, profile.place));

/** A session is at one outlet of what may be an EVSE of several. */
const isSamePlace = (one: ProfilePlace, other: ProfilePlace): boolean =>
  one === 'station' || other === 'station' ? one === other : one.some((outlet) => other.includes(outlet));

function sessionAt(charger: Charger, place: ProfilePlace): string | null {
  if (place === 'station') return null;
  for (const outlet of place) {
    const session = charger.connectors[outlet]?.session;
    if (session !== null && session !== undefined) return session.id;
  }
  return null;
}

function placeProblem(charger: Charger, { place, purpose, kind, sessionId }: ChargingProfile): Refusal | null {
  if (place !== 'station' && place.length === 0) return refuse('UnknownEvse', 'there is no such connector');
  switch (purpose) {
    case 'ChargingStationExternalConstraints':
      return refuse('InvalidValue', 'constraints from outside cannot be set by the CSMS');
    case 'ChargingStationMaxProfile':
      if (place !== 'station') return refuse('InvalidValue', 'a maximum is for the whole station');
      return kind === 'Relative' ? refuse('InvalidValue', 'a maximum cannot be relative to a transaction') : null;
    case 'TxDefaultProfile':
      return null;
    case 'TxProfile': {
      if (place === 'station') return refuse('InvalidValue', 'a TxProfile is for one connector');
      const running = sessionAt(charger, place);
      if (running === null) return refuse('TxNotFound', 'no transaction is running there');
      return sessionId === null || sessionId === running
        ? null
        : refuse('TxNotFound', 'another transaction runs there');
    }
  }
}

function countProblem(charger: Charger, count: number): Refusal | null {
  const most = setting(charger, 'SmartChargingCtrlr.Entries');
  return count > most ? refuse('TooManyElements', `at most ${most} charging profiles can be installed`) : null;
}

/** What is wrong with a profile wherever it is put. */
function profileProblem(charger: Charger, profile: ChargingProfile): Refusal | null {
  const { stackLevel, kind, recurrency, schedules } = profile;
  const highest = setting(charger, 'SmartChargingCtrlr.ProfileStackLevel');
  if (stackLevel < 0 || stackLevel > highest) return refuse('InvalidStackLevel', `the levels are 0 to ${highest}`);
  if (kind === 'Recurring' && recurrency === null) return badSchedule('it does not say how often it recurs');
  for (const schedule of schedules) {
    if (kind !== 'Relative' && schedule.startMs === null) return badSchedule('it does not say when it starts');
    const problem = scheduleProblem(charger, schedule);
    if (problem !== null) return problem;
  }
  return schedules.length === 0 ? badSchedule('there is none') : null;
}

function scheduleProblem(charger: Charger, { unit, durationS, periods }: ChargingSchedule): Refusal | null {
  if (!isUnitAllowed(charger, unit)) return refuse('UnsupportedRateUnit', `the charger cannot be limited in ${unit}`);
  if (durationS !== null && durationS < 0) return badSchedule('it ends before it starts');
  if (periods.length > setting(charger, 'SmartChargingCtrlr.PeriodsPerSchedule')) return badSchedule('it is too long');
  if (periods[0]?.startS !== 0) return badSchedule('its first period must start at 0');
  for (const [index, { startS, limit, phases }] of periods.entries()) {
    if (index > 0 && startS <= (periods[index - 1]?.startS ?? 0)) return badSchedule('its periods are out of order');
    if (limit < 0) return badSchedule('a limit is negative');
    if (phases !== null && (phases < 1 || phases > 3)) return badSchedule('there are one to three phases');
  }
  return null;
}

const badSchedule = (sentence: string): Refusal => refuse('InvalidSchedule', sentence);

/** 1.6 lists words where 2.x lists units. */
export function isUnitAllowed(charger: Charger, unit: 'A' | 'W'): boolean {
  const allowed = listSetting(setting(charger, 'SmartChargingCtrlr.RateUnit'));
  return allowed.includes(unit) || allowed.includes(unit === 'A' ? 'Current' : 'Power');
}
