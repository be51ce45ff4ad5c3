// What a setting may be set to, and by whom.

import { type Configured, listSetting, type SettingName, type SettingValue } from './settings.ts';
import type { Station } from './station.ts';

export interface NamedSetting {
  readonly name: string;
  /** Null for one that the version does not know: anybody may add and remove such. */
  readonly default: SettingValue | null;
  readonly rule?: SettingRule;
}

export interface SettingRule {
  /** Left out: the CSMS may read and write it. */
  readonly access?: 'read-only' | 'write-only';
  readonly atMost?: number;
  readonly text?: RegExp;
  /** For a list: what each of its words must match, and the setting that says how many there may be. */
  readonly words?: RegExp;
  readonly longest?: string;
  /** It follows from how the station is built, and nobody sets it. */
  readonly built?: (station: Station) => SettingValue;
  /** Its default follows from how the station is built. */
  readonly usual?: (station: Station) => SettingValue;
}

/** Settings for which 0 would mean to do a thing without end. */
const atLeastOne: ReadonlySet<string> = new Set<SettingName>([
  'OCPPCommCtrlr.HeartbeatInterval',
  'OCPPCommCtrlr.MessageTimeout',
  'OCPPCommCtrlr.MessageAttempts',
  'OCPPCommCtrlr.RetryBackOffWaitMinimum',
  'TxCtrlr.EVConnectionTimeOut',
]);

/** Undefined when the text is not of the kind that the setting has. */
export function parseSetting(
  configured: Configured,
  { name, default: example, rule }: NamedSetting,
  text: string,
): SettingValue | undefined {
  if (typeof example === 'number') {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : undefined;
    if (value === undefined || value > (rule?.atMost ?? value)) return undefined;
    return value === 0 && atLeastOne.has(name) ? undefined : value;
  }
  if (typeof example === 'boolean') return booleans[text.toLowerCase()];
  if (rule?.text?.test(text) === false) return undefined;
  if (rule?.words === undefined) return text;
  const { words: allowed, longest = '' } = rule;
  const words = listSetting(text);
  if (words.length > Number(configured.overrides[longest] ?? configured.defaults[longest] ?? words.length)) {
    return undefined;
  }
  return words.every((word) => allowed.test(word)) ? words.join(',') : undefined;
}

const booleans: Readonly<Record<string, boolean | undefined>> = { true: true, false: false };

export function settingKind({ name, default: example, rule }: NamedSetting): string {
  if (typeof example === 'boolean') return '`true` or `false`';
  if (typeof example !== 'number') return rule?.words === undefined ? 'a text' : 'a list of words that it knows';
  return `a whole number${atLeastOne.has(name) ? ' from 1' : ''}${rule?.atMost === undefined ? '' : ` to ${rule.atMost}`}`;
}

/** What it is now; undefined for one that does not exist. */
export function settingNow(
  configured: Configured & { readonly station: Station },
  { name, default: known, rule }: NamedSetting,
): SettingValue | undefined {
  const { station, overrides } = configured;
  return rule?.built?.(station) ?? overrides[name] ?? rule?.usual?.(station) ?? known ?? undefined;
}
