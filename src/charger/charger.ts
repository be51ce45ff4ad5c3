// A charger as a value, and how pure functions move it: a step gives the next charger and what it wants done, a refusal says why not.

import { type Connector, newConnector, type Waiting } from './connector.ts';
import type { Errand } from './errand.ts';
import type { Fault } from './faults.ts';
import type { FirmwareFailure, FirmwareUpdate } from './firmware-update.ts';
import type { Aligned } from './metering.ts';
import { type Chance, chanceFrom } from './random.ts';
import type { BootReason, Report } from './report.ts';
import type { Reservation } from './reservations.ts';
import type { ChargingProfile } from './schedule.ts';
import { noSecurity, profileSetting, type Security } from './security.ts';
import { noOverrides, type SettingDefaults, type SettingOverrides } from './settings.ts';
import type { Settling } from './settling.ts';
import type { Station } from './station.ts';
import { emptyCache, emptyList, type LocalList, type TokenCache } from './tokens.ts';
import type { Upload } from './uploads.ts';

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
  /** What will go wrong with the next update of the firmware. */
  readonly firmwareFailure?: FirmwareFailure | null;
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
  readonly profiles: readonly ChargingProfile[];
  /** Until when the offers hold that the charging profiles allow; null: no profile has a say. */
  readonly offersUntilMs: number | null;
  /** The meters are read on the clock; null: they are not. */
  readonly aligned: Aligned | null;
  /** A token that was presented without saying where, until a car comes. */
  readonly waiting: Waiting | null;
  /** Whether the CSMS lets the station as a whole be used. */
  readonly operative: boolean;
  /** Of any outlet of the station. */
  readonly reservation: Reservation | null;
  /** By how much its clock is ahead of its host's. */
  readonly clockOffsetMs: number;
  readonly settling: readonly Settling[];
  readonly uploads: readonly Upload[];
  readonly firmware: FirmwareUpdate | null;
  readonly security: Security;
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
  /** `triggered`: the CSMS wants to hear it, even before it has accepted the charger. */
  | { readonly kind: 'report'; readonly report: Report; readonly triggered?: true }
  | { readonly kind: 'event'; readonly type: ChargerEvent; readonly data: Readonly<Record<string, unknown>> }
  /** Somebody at the charger cuts its line to the CSMS, or lets it be; `drop` is without a word of farewell. */
  | { readonly kind: 'line'; readonly wanted: boolean; readonly drop: boolean }
  /** The power goes, and comes back after a while. */
  | { readonly kind: 'power_cut'; readonly offMs: number }
  /** It restarts as soon as the CSMS has heard what is to be said, and is off for a while. */
  | { readonly kind: 'restart'; readonly reason: BootReason; readonly offMs: number }
  /** It hangs up and dials anew, with whatever it dials with now. */
  | { readonly kind: 'redial' }
  /** Something to be done elsewhere; what comes of it is brought back. */
  | { readonly kind: 'errand'; readonly errand: Errand }
  /** Nobody waits for that errand any more. */
  | { readonly kind: 'call_off'; readonly errandId: string }
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
export const nothingSettling: readonly Settling[] = Object.freeze([]);
/** Nearly every charger has none and shares this. */
export const noProfiles: readonly ChargingProfile[] = Object.freeze([]);
export const noUploads: readonly Upload[] = Object.freeze([]);

export function newCharger(station: Station, defaults: SettingDefaults, atMs: number): Charger {
  return {
    station,
    defaults,
    overrides: firstOverrides(station),
    chance: chanceFrom(station.seed, station.identity, 1),
    lives: 1,
    online: false,
    boot: { status: 'none', reason: 'PowerUp', atMs, retryAtMs: null },
    connectors: station.connectors.map((spec) => newConnector(spec, atMs)),
    faults: noFaults,
    faultCount: 0,
    localList: emptyList,
    tokenCache: emptyCache,
    profiles: noProfiles,
    offersUntilMs: null,
    aligned: null,
    waiting: null,
    operative: true,
    reservation: null,
    clockOffsetMs: 0,
    settling: nothingSettling,
    uploads: noUploads,
    firmware: null,
    security: noSecurity,
  };
}

/** A charger that was set up for security says so when it is asked for its settings. */
const firstOverrides = ({ credentials }: Station): SettingOverrides =>
  credentials === undefined ? noOverrides : { [profileSetting]: credentials.profile };

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
