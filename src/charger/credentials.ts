// How a charger shows its CSMS who it is, how that is changed, and how it goes back when the change locks it out.

import { andThen, type Charger, type Refusal, refuse, type Step, step } from './charger.ts';
import {
  csmsRoots,
  type FormerCredentials,
  type OwnCertificate,
  ownCertificate,
  passwordSetting,
  profileOf,
  profileSetting,
  withSecurity,
} from './security.ts';
import { everydayEvent } from './security-events.ts';
import { type SettingValue, setting } from './settings.ts';

/** What goes with a call for the CSMS. */
export interface Dialling {
  readonly profile: number;
  /** As bytes where it was given in hexadecimal digits. */
  readonly password: { readonly text: string; readonly isHex: boolean } | null;
  readonly roots: readonly string[];
  readonly own: OwnCertificate | null;
}

export function dialling(charger: Charger): Dialling {
  const profile = profileOf(charger);
  const given = charger.overrides[passwordSetting] as string | undefined;
  const text = given ?? charger.station.credentials?.password ?? null;
  const isHex =
    given !== undefined && setting(charger, 'SecurityCtrlr.PasswordIsHex') && /^(?:[\da-f]{2}){16,20}$/i.test(given);
  return {
    profile,
    password: text === null || (profile !== 1 && profile !== 2) ? null : { text, isHex },
    roots: profile >= 2 ? csmsRoots(charger) : [],
    own: profile === 3 ? ownCertificate(charger) : null,
  };
}

const hasPassword = ({ overrides, station }: Charger): boolean =>
  overrides[passwordSetting] !== undefined || (station.credentials?.password ?? null) !== null;

export const isCredential = (name: string): boolean => name === profileSetting || name === passwordSetting;

/** Why the CSMS may not set this; null when it may. On site anything goes. */
export function refusesCredential(charger: Charger, name: string, value: SettingValue): Refusal | null {
  if (name !== profileSetting) return null;
  const profile = Number(value);
  if (profile <= profileOf(charger)) return refuse('not_upwards', 'a security profile can only be raised from afar');
  if (profile <= 2 && !hasPassword(charger)) return refuse('no_password', 'there is no password to go with it');
  if (profile >= 2 && csmsRoots(charger).length === 0) {
    return refuse('no_root', 'there is no authority by which the CSMS could be trusted');
  }
  return profile === 3 && ownCertificate(charger) === null
    ? refuse('no_certificate', 'the charger has no certificate of its own')
    : null;
}

/** Sets the password or the profile; the charger dials anew with it. */
export function changeCredential(charger: Charger, name: string, value: SettingValue, atMs: number): Step {
  const changed = { ...charger, overrides: { ...charger.overrides, [name]: value } };
  const isUsed = name === profileSetting || profileOf(charger) === 1 || profileOf(charger) === 2;
  const told = everydayEvent(changed, 'ReconfigurationOfSecurityParameters', atMs);
  return isUsed ? andThen(told, (next) => dialAnew(charger, next)) : told;
}

/** Tries what is new, with what was before to go back to. */
export function dialAnew(before: Charger, changed: Charger): Step {
  const former = changed.security.former ?? presentCredentials(before);
  return step(withSecurity(changed, { former }), [{ kind: 'redial' }]);
}

const presentCredentials = (charger: Charger): FormerCredentials => ({
  profile: profileOf(charger),
  password: (charger.overrides[passwordSetting] as string | undefined) ?? null,
  own: charger.security.own,
});

/** It could not get in: it tries the other credentials next, new and former in turn, and stays with those that work. */
export function lockedOut(charger: Charger): Charger {
  const { former } = charger.security;
  if (former === null) return charger;
  const { [passwordSetting]: _, ...others } = charger.overrides;
  const overrides = {
    ...others,
    [profileSetting]: former.profile,
    ...(former.password === null ? {} : { [passwordSetting]: former.password }),
  };
  return withSecurity({ ...charger, overrides }, { former: presentCredentials(charger), own: former.own });
}

/** It is in. */
export const letIn = (charger: Charger): Charger =>
  charger.security.former === null ? charger : withSecurity(charger, { former: null });
