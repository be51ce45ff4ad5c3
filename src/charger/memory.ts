// What a charger keeps when it is switched off, and how it wakes up with it.

import { andThen, type Charger, newCharger, type StationConditions, type Step, step } from './charger.ts';
import { endSession } from './charging.ts';
import { type Connector, show } from './connector.ts';
import { chanceFrom } from './random.ts';
import { checkpointMs, nextSampleMs } from './session.ts';
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
  };
  return options?.asleep ? { ...kept, asleep: { chance, boot, faults, waiting } } : kept;
}

/**
 * Wakes a charger. Put to sleep in good order it goes on as it was. Otherwise the power was cut: what is volatile is gone, cables
 * are still in, and a running transaction ends at its last stored reading.
 */
export function wakeUp(station: Station, defaults: SettingDefaults, memory: ChargerMemory, atMs: number): Step {
  const fresh = newCharger(station, defaults, atMs);
  const { overrides, faultCount, asleep, localList = emptyList, tokenCache = emptyCache } = memory;
  const conditions = memory.conditions === undefined ? {} : { conditions: memory.conditions };
  const kept = { overrides, faultCount, localList, tokenCache, ...conditions };
  const connectors = fresh.connectors.map((connector, outlet) => rewired(connector, memory.connectors[outlet], atMs));
  if (asleep !== undefined) {
    const awake = { ...fresh, ...asleep, ...kept, lives: memory.lives, connectors };
    return step({ ...awake, connectors: connectors.map((connector) => resampled(awake, connector, atMs)) });
  }
  const lives = memory.lives + 1;
  const chance = chanceFrom(station.seed, station.identity, lives);
  const dark = connectors.map((connector) => {
    const { waiting: _, faults: __, ...kept } = connector;
    const cold = { ...kept, waiting: null, faults: [], locked: kept.ev !== null && kept.locked };
    return { ...cold, shown: show(cold, []) };
  });
  return endLostSessions({ ...fresh, ...kept, lives, chance, connectors: dark }, memory.connectors);
}

/** Outlets that were added since are new; time spent switched off is not metered. */
function rewired(fresh: Connector, kept: Connector | undefined, atMs: number): Connector {
  return kept === undefined ? fresh : { ...kept, meteredAtMs: atMs };
}

/** Samples missed while asleep are not made up for. */
function resampled(charger: Charger, connector: Connector, atMs: number): Connector {
  const { session } = connector;
  return session === null
    ? connector
    : {
        ...connector,
        session: { ...session, sampleAtMs: nextSampleMs(charger, atMs), checkpointAtMs: atMs + checkpointMs },
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
