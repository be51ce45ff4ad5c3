// Starts the fleet of a process: inside it, or in processes of its own.

import * as nodeModule from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebSocketLink } from './adapters/link/websocket.ts';
import type { Config } from './config.ts';
import { errandPorts } from './errand-ports.ts';
import { Fleet } from './fleet/fleet.ts';
import type { FleetHandle, FleetHost } from './fleet/host.ts';
import { Shards } from './fleet/shards.ts';
import { loadDialect } from './ocpp/dialects.ts';
import { type LogSettings, openJournal } from './open-journal.ts';
import type { Clock } from './ports/clock.ts';
import type { ShardSecrets, ShardSettings } from './shard.ts';

export interface StartedFleet {
  readonly fleet: FleetHandle;
  /** The fleet processes. */
  readonly pids: () => readonly number[];
}

export async function startFleet(config: Config, clock: Clock, host: FleetHost): Promise<StartedFleet> {
  const { databaseUrl, sourceAddresses, connectRate } = config;
  const logs: LogSettings = {
    // In a database that many share everybody can read them, whoever runs the charger next.
    folder: databaseUrl === null ? join(config.dataDir, 'logs') : null,
    maxEntries: config.logMaxEntries,
    maxAgeMs: config.logMaxAgeMs,
  };
  if (config.workers === 0) {
    const complain = (sentence: string, detail: string): void => host.complain({ chargerId: null, sentence, detail });
    const journal = await openJournal(logs, { writer: 'shard-0', databaseUrl, clock, complain });
    const link = new WebSocketLink({ clock, sourceAddresses, dialsPerSecond: connectRate });
    return { fleet: new Fleet({ clock, link, journal, host, loadDialect, errands: errandPorts }), pids: () => [] };
  }
  // A fleet process starts on what this one has compiled already.
  nodeModule.flushCompileCache();
  const settings: ShardSettings = { logs, sourceAddresses, connectRate };
  const secrets: ShardSecrets | null = databaseUrl === null ? null : { SHARD_DATABASE_URL: databaseUrl };
  const shards = new Shards({
    entry: fileURLToPath(new URL('./shard.ts', import.meta.url)),
    args: [JSON.stringify(settings)],
    ...(secrets === null ? {} : { secrets: { ...secrets } }),
    count: config.workers === 'auto' ? null : config.workers,
    host,
  });
  return { fleet: shards, pids: () => shards.pids };
}
