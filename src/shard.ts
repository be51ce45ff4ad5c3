// The entry of a fleet process: builds what its chargers need here, and waits for the gateway to send them.

import { flushCompileCache } from 'node:module';
import { SystemClock } from './adapters/clock/system.ts';
import { WebSocketLink } from './adapters/link/websocket.ts';
import { errandPorts } from './errand-ports.ts';
import { complainToGateway, runShard } from './fleet/shard.ts';
import { loadDialect } from './ocpp/dialects.ts';
import { type LogSettings, openJournal } from './open-journal.ts';

/** What the gateway gives each of its fleet processes on the command line. */
export interface ShardSettings {
  readonly logs: LogSettings;
  readonly sourceAddresses: readonly string[];
  readonly connectRate: number | null;
}

/** What it gives them in the environment: a command line is for everybody to see. */
export interface ShardSecrets {
  readonly SHARD_DATABASE_URL: string;
}

// The gateway decides when to stop: a signal for the whole group must not take the chargers away from under it.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});

const [settingsText = '', number = '0'] = process.argv.slice(2);
const { logs, sourceAddresses, connectRate } = JSON.parse(settingsText) as ShardSettings;
const clock = new SystemClock();
const journal = await openJournal(logs, {
  writer: `shard-${number}`,
  databaseUrl: process.env['SHARD_DATABASE_URL'] ?? null,
  clock,
  complain: (sentence, detail) => complainToGateway({ chargerId: null, sentence, detail }),
});
runShard({
  clock,
  journal,
  link: new WebSocketLink({ clock, sourceAddresses, dialsPerSecond: connectRate }),
  loadDialect,
  errands: errandPorts,
});
// It is written at the end, too: but a process that is killed has no end, and the next one would read all its TypeScript anew.
setTimeout(flushCompileCache, 5_000).unref();
