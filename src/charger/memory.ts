// What a charger keeps when it is switched off, and how it wakes up with it.

import { andThen, type Charger, newCharger, noProfiles, type StationConditions, type Step, step } from './charger.ts';
import { endSession } from './charging.ts';
import { type Connector, sameShown, show } from './connector.ts';
import { registerWh } from './meter.ts';
import { nextAligned } from './metering.ts';
import { chanceFrom } from './random.ts';
import type { Reservation } from './reservations.ts';
import type { ChargingProfile } from './schedule.ts';
import { rememberService, type ServiceMemory, updatedStation, wakeService } from './service.ts';
import { checkpointMs, nextCollectMs, nextSampleMs, noSamples } from './session.ts';
import type { SettingDefaults, SettingOverrides } from './settings.ts';
import type { Station } from './station.ts';
import { emptyCache, emptyList, type LocalList, type TokenCache } from './tokens.ts';

/** Plain data; a new field must be optional here, because memories of older versions are read too. */
export interface ChargerMemory {
  readonly overrides: SettingOverrides;
  readonly lives: number;
  readonly faultCount: number;
  readonly connectors: readonly Connector[];
  readonly localList?: LocalList;
  readonly tokenCache?: TokenCache;
  readonly conditions?: StationConditions;
  readonly profiles?: readonly ChargingProfile[];
  readonly inoperative?: true;
  readonly reservation?: Reservation;
  readonly clockOffsetMs?: number;
  readonly service?: ServiceMemory;
  /** Present when it was put to sleep in good order and shall go on as it was. */
  readonly asleep?: Pick<Charger, 'chance' | 'boot' | 'faults' | 'waiting'>;
}

export function remember(charger: Charger, options?: { asleep: boolean }): ChargerMemory {
  const { overrides, lives, faultCount, connectors, localList, tokenCache, chance, boot, faults, waiting } = charger;
  const kept = {
    overrides,
    lives,
    faultCount,
    connectors,
    // Nearly every charger has none.
    ...(localList === emptyList ? {} : { localList }),
    ...(tokenCache.length === 0 ? {} : { tokenCache }),
    ...(charger.conditions === undefined ? {} : { conditions: charger.conditions }),
    ...(charger.profiles.length === 0 ? {} : { profiles: charger.profiles }),
    ...(charger.operative ? {} : { inoperative: true as const }),
    ...(charger.reservation === null ? {} : { reservation: charger.reservation }),
    ...(charger.clockOffsetMs === 0 ? {} : { clockOffsetMs: charger.clockOffsetMs }),
    ...rememberService(charger),
  };
  return options?.asleep ? { ...kept, asleep: { chance, boot, faults, waiting } } : kept;
}

/**
 * Wakes a charger. Put to sleep in good order it goes on as it was. Otherwise the power was cut: what is volatile is gone, cables
 * are still in, and a running transaction ends at its last stored reading.
 */
export function wakeUp(station: Station, defaults: SettingDefaults, memory: ChargerMemory, atMs: number): Step {
  const fresh = newCharger(updatedStation(station, memory.service), defaults, atMs);
  const { overrides, faultCount, asleep, localList = emptyList, tokenCache = emptyCache } = memory;
  const kept = {
    overrides,
    faultCount,
    localList,
    tokenCache,
    ...(memory.conditions === undefined ? {} : { conditions: memory.conditions }),
    profiles: memory.profiles ?? noProfiles,
    // What they allow now is worked out at the first moment.
    offersUntilMs: memory.profiles === undefined ? null : atMs,
    operative: memory.inoperative !== true,
    reservation: memory.reservation ?? null,
    clockOffsetMs: memory.clockOffsetMs ?? 0,
    ...wakeService(memory.service),
  };
  const connectors = fresh.connectors.map((connector, outlet) => rewired(connector, memory.connectors[outlet], atMs));
  if (asleep !== undefined) {
    const awake = { ...fresh, ...asleep, ...kept, lives: memory.lives, connectors };
    const aligned = awake.boot.status === 'Accepted' ? nextAligned(awake, atMs) : null;
    return step({ ...awake, aligned, connectors: connectors.map((connector) => resampled(awake, connector, atMs)) });
  }
  const lives = memory.lives + 1;
  const chance = chanceFrom(station.seed, station.identity, lives);
  const dark = connectors.map((connector) => {
    const cold = { ...connector, waiting: null, faults: [] };
    const shown = show(cold, { faults: [], operative: kept.operative, firmware: kept.firmware });
    return { ...cold, shown, shownAtMs: sameShown(shown, cold.shown) ? cold.shownAtMs : atMs };
  });
  return endLostSessions({ ...fresh, ...kept, lives, chance, connectors: dark }, memory.connectors);
}

/** Outlets that were added since are new; time spent switched off is not metered. */
function rewired(fresh: Connector, kept: Connector | undefined, atMs: number): Connector {
  if (kept === undefined) return fresh;
  const { session } = kept;
  const counted = { sampledWh: registerWh(kept), collected: noSamples, collectAtMs: null };
  return { ...fresh, ...kept, meteredAtMs: atMs, session: session === null ? null : { ...counted, ...session } };
}

/** Samples missed while asleep are not made up for. */
function resampled(charger: Charger, connector: Connector, atMs: number): Connector {
  const { session } = connector;
  return session === null
    ? connector
    : {
        ...connector,
        session: {
          ...session,
          sampleAtMs: nextSampleMs(charger, atMs),
          collectAtMs: nextCollectMs(charger, atMs),
          checkpointAtMs: atMs + checkpointMs,
        },
      };
}

function endLostSessions(charger: Charger, kept: readonly Connector[]): Step {
  return kept.reduce((told, connector, outlet) => {
    if (connector.session === null || charger.connectors[outlet] === undefined) return told;
    const end = { trigger: 'AbnormalCondition', reason: 'PowerLoss', token: null } as const;
    // The last stored reading is all that is known: the end bears its time, not the time of the return.
    return andThen(told, (next) => endSession(next, outlet, end, connector.meteredAtMs));
  }, step(charger));
}
