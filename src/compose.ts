// Builds the product out of its parts: one gateway on one machine, or a process of many that share a fleet.

import { join } from 'node:path';
import type { Logger } from 'pino';
import { SystemClock } from './adapters/clock/system.ts';
import { openSegmentFeed } from './adapters/feed/segments.ts';
import { SqliteQueue } from './adapters/queue/sqlite.ts';
import { openSqliteStore } from './adapters/store/sqlite.ts';
import { startFleet } from './compose-fleet.ts';
import { Addresses, deliveryParts, readiness, startFront, verifier } from './compose-front.ts';
import type { Config } from './config.ts';
import { Dispatcher } from './fleet/dispatcher.ts';
import type { FleetHost } from './fleet/host.ts';
import { logsOfFleet } from './fleet/logs.ts';
import { startUpkeep } from './fleet/upkeep.ts';
import type { Ask } from './ports/ask.ts';
import type { Feed } from './ports/feed.ts';
import type { Store } from './ports/store.ts';
import { Deliveries } from './webhooks/deliveries.ts';

export interface Gateway {
  /** Where it listens, as a person would type it. */
  readonly url: string;
  readonly store: Store;
  readonly feed: Feed;
  readonly ask: Ask;
  /** The fleet processes. */
  readonly pids: () => readonly number[];
  close(): Promise<void>;
}

/** `secret` signs and checks tokens; null where there are public keys to check them with. */
export async function startGateway(config: Config, secret: string | null, logger: Logger): Promise<Gateway> {
  // Loaded when it is asked for: a gateway on one machine needs nothing of it.
  if (config.databaseUrl !== null) {
    return (await import('./compose-shared.ts')).startSharedGateway(config, secret, logger);
  }
  const clock = new SystemClock();
  const verifyToken = await verifier(config, secret, { clock, logger });
  const store = await openSqliteStore({ path: join(config.dataDir, 'gateway.sqlite'), synchronous: config.storeSync });
  const queue = new SqliteQueue(store);
  const feed = await openSegmentFeed({
    folder: join(config.dataDir, 'events'),
    clock,
    epoch: await store.reserveNumbers('feed-epoch', 1),
    keep: config.eventHistory,
    onError: (error) => logger.error(error, 'events could not be written down'),
  });
  const deliveries = new Deliveries(deliveryParts(config, { store, feed, clock, logger }));
  const addresses = new Addresses(config);

  const host: FleetHost = {
    commit: async (commits, events = []) => {
      await store.commit(commits);
      if (events.length > 0) feed.publish(events);
      return [];
    },
    publish: (events) => feed.publish(events),
    lost: (chargerIds) => dispatcher.takeOver(chargerIds),
    complain: ({ chargerId, sentence, detail }) => logger.error({ chargerId, detail }, sentence),
  };
  const { fleet, pids } = await startFleet(config, clock, host);
  const dispatcher = new Dispatcher({
    store,
    queue,
    clock,
    fleet,
    urlOf: (record) => addresses.urlOf(record),
    publish: (events) => feed.publish(events),
  });

  await deliveries.start();
  const front = await startFront({
    config,
    verifyToken,
    logger,
    addresses,
    store,
    queue,
    feed,
    webhooks: deliveries,
    ask: dispatcher,
    logs: logsOfFleet(dispatcher),
    clock,
    routes: 'all',
    ready: () => readiness(store, dispatcher),
  });
  const endUpkeep = startUpkeep({
    store,
    feed,
    clock,
    commandExpiryMs: config.commandExpiryMs,
    commandMaxAgeMs: config.commandMaxAgeMs,
    onFailure: (error) => logger.error(error, 'old commands could not be looked after'),
  });
  dispatcher.start().catch((error: unknown) => logger.error(error, 'the stored chargers could not all be started'));

  return {
    url: addresses.url,
    store,
    feed,
    ask: dispatcher,
    pids,
    async close() {
      const closed = front.close();
      await endUpkeep();
      await dispatcher.stop();
      await front.closeCsms();
      await closed;
      await deliveries.stop();
      await feed.close();
      await store.close();
    },
  };
}
