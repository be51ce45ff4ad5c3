// A charger as a value, and how pure functions move it: a step gives the next charger and what it wants done, a refusal says why not.

import { type Connector, newConnector, type Waiting } from './connector.ts';
import type { Fault } from './faults.ts';
import { type Chance, chanceFrom } from './random.ts';
import type { BootReason, Report } from './report.ts';
import { noOverrides, type SettingDefaults, type SettingOverrides } from './settings.ts';
import type { Station } from './station.ts';
import { emptyCache, emptyList, type LocalList, type TokenCache } from './tokens.ts';

export interface Boot {
  readonly status: 'none' | 'Accepted' | 'Pending' | 'Rejected';
  readonly reason: BootReason;
  readonly atMs: number;
  /** When to ask again, while not accepted. */
  readonly retryAtMs: number | null;
}

/** What the world has done to the charger as a whole; it outlasts a power cut. */
export interface StationConditions {
  readonly tampered?: boolean;
  readonly firmwareFails?: boolean;
}

export interface Charger {
  readonly station: Station;
  readonly defaults: SettingDefaults;
  readonly overrides: SettingOverrides;
  readonly chance: Chance;
  /** How often it has been switched on; part of every id it makes, so that no life repeats another's. */
  readonly lives: number;
  readonly online: boolean;
  readonly boot: Boot;
  readonly connectors: readonly Connector[];
  /** Faults of the station as a whole. */
  readonly faults: readonly Fault[];
  /** Numbers the fault reports. */
  readonly faultCount: number;
  readonly localList: LocalList;
  readonly tokenCache: TokenCache;
  /** Absent where the world is as it should be. */
  readonly conditions?: StationConditions;
  /** A token that was presented without saying where, until a car comes. */
  readonly waiting: Waiting | null;
}

export type ChargerEvent =
  | 'charger.boot_accepted'
  | 'connector.status_changed'
  | 'transaction.started'
  | 'transaction.updated'
  | 'transaction.ended'
  | 'fault.injected'
  | 'fault.cleared';

export type Effect =
  | { readonly kind: 'report'; readonly report: Report }
  | { readonly kind: 'event'; readonly type: ChargerEvent; readonly data: Readonly<Record<string, unknown>> }
  /** Somebody at the charger cuts its line to the CSMS, or lets it be; `drop` is without a word of farewell. */
  | { readonly kind: 'line'; readonly wanted: boolean; readonly drop: boolean }
  /** The power goes, and comes back after a while. */
  | { readonly kind: 'power_cut'; readonly offMs: number }
  /** What has become of it should be on record before long. */
  | { readonly kind: 'keep' }
  /** What the command that led here has to show for itself. */
  | { readonly kind: 'result'; readonly value: unknown }
  /** The command that led here did not get what it wanted after all. */
  | { readonly kind: 'fail'; readonly refused: string; readonly sentence: string };

export interface Step {
  readonly charger: Charger;
  readonly effects: readonly Effect[];
}

export interface Refusal {
  /** Stable, for programs. */
  readonly refused: string;
  /** For people. */
  readonly sentence: string;
}

const noEffects: readonly Effect[] = Object.freeze([]);
const noFaults: readonly Fault[] = Object.freeze([]);

export function newCharger(station: Station, defaults: SettingDefaults, atMs: number): Charger {
  return {
    station,
    defaults,
    overrides: noOverrides,
    chance: chanceFrom(station.seed, station.identity, 1),
    lives: 1,
    online: false,
    boot: { status: 'none', reason: 'PowerUp', atMs, retryAtMs: null },
    connectors: station.connectors.map((spec) => newConnector(spec, atMs)),
    faults: noFaults,
    faultCount: 0,
    localList: emptyList,
    tokenCache: emptyCache,
    waiting: null,
  };
}

export const step = (charger: Charger, effects: readonly Effect[] = noEffects): Step => ({ charger, effects });
export const refuse = (refused: string, sentence: string): Refusal => ({ refused, sentence });
export const isRefusal = (outcome: Step | Refusal): outcome is Refusal => 'refused' in outcome;

/** Goes on from a step with the next one; the effects follow each other. */
export function andThen(first: Step, next: (charger: Charger) => Step): Step {
  const second = next(first.charger);
  if (first.effects.length === 0) return second;
  if (second.effects.length === 0) return { charger: second.charger, effects: first.effects };
  return { charger: second.charger, effects: [...first.effects, ...second.effects] };
}

/** As `andThen`, where the next step may be refused: then nothing of the first has happened either. */
export function andTry(first: Step | Refusal, next: (charger: Charger) => Step | Refusal): Step | Refusal {
  if (isRefusal(first)) return first;
  const second = next(first.charger);
  return isRefusal(second) ? second : andThen(first, () => second);
}

export function connectorAt(charger: Charger, outlet: number): Connector {
  const connector = charger.connectors[outlet];
  if (connector === undefined) throw new Error(`outlet ${outlet} does not exist on ${charger.station.identity}`);
  return connector;
}

export function withConnector(charger: Charger, outlet: number, change: Partial<Connector>): Charger {
  const connectors = charger.connectors.with(outlet, { ...connectorAt(charger, outlet), ...change });
  return { ...charger, connectors };
}

/** How sentences name an outlet. */
export const named = (charger: Charger, outlet: number): string => {
  const spec = charger.station.connectors[outlet];
  return `connector ${spec?.connectorId} of EVSE ${spec?.evseId}`;
};
