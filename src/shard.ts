// The entry of a fleet process: builds what its chargers need here, and waits for the gateway to send them.

import { SystemClock } from './adapters/clock/system.ts';
import { openSegmentJournal } from './adapters/journal/segments.ts';
import { WebSocketLink } from './adapters/link/websocket.ts';
import { errandPorts } from './errand-ports.ts';
import { runShard } from './fleet/shard.ts';
import { loadDialect } from './ocpp/dialects.ts';

/** What the gateway gives each of its fleet processes on the command line. */
export interface ShardSettings {
  readonly logs: { readonly folder: string; readonly maxEntries: number; readonly maxAgeMs: number };
  readonly sourceAddresses: readonly string[];
  readonly connectRate: number | null;
}

// The gateway decides when to stop: a signal for the whole group must not take the chargers away from under it.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});

const [settingsText = '', number = '0'] = process.argv.slice(2);
const { logs, sourceAddresses, connectRate } = JSON.parse(settingsText) as ShardSettings;
const clock = new SystemClock();
const journal = await openSegmentJournal({ ...logs, writer: `shard-${number}`, clock });
runShard({
  clock,
  journal,
  link: new WebSocketLink({ clock, sourceAddresses, dialsPerSecond: connectRate }),
  loadDialect,
  errands: errandPorts,
});
