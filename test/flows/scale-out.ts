// Processes that share a fleet, as `chargesim serve` starts them, over a real PostgreSQL and a real NATS.

import { natsUrl, newPrefix } from '../contracts/nats-connection.ts';
import { freshDatabase } from '../contracts/store-postgres.ts';
import { GatewayProcess, temporaryFolder } from './gateway.ts';

export type Role = 'all' | 'api' | 'worker';

export interface SharedFleet {
  /** Starts another process; it listens when this resolves. */
  start(role: Role, env?: Record<string, string>): Promise<GatewayProcess>;
  close(): Promise<void>;
}

/** An empty database and a corner of the message server. */
export async function sharedCorner(): Promise<Record<string, string>> {
  return { DATABASE_URL: await freshDatabase(), NATS_URL: natsUrl ?? '', NATS_PREFIX: newPrefix() };
}

export async function openSharedFleet(): Promise<SharedFleet> {
  const shared = { ...(await sharedCorner()), PUBLIC_URL: 'http://127.0.0.1:9' };
  const undo: (() => unknown)[] = [];
  return {
    async start(role, env = {}) {
      const folder = temporaryFolder();
      undo.push(() => folder.remove());
      const started = new GatewayProcess(folder.path, { ...shared, ROLE: role, ...env });
      undo.push(() => started.end('SIGKILL'));
      return started.start();
    },
    async close() {
      for (const step of undo.splice(0).toReversed()) await step();
    },
  };
}
