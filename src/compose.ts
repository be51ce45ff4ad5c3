// Builds the product out of its parts: one gateway on one machine.

import { randomInt, randomUUID } from 'node:crypto';
import * as nodeModule from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import packageFile from '../package.json' with { type: 'json' };
import { SystemClock } from './adapters/clock/system.ts';
import { openSegmentFeed } from './adapters/feed/segments.ts';
import { openSegmentJournal } from './adapters/journal/segments.ts';
import { WebSocketLink } from './adapters/link/websocket.ts';
import { SqliteQueue } from './adapters/queue/sqlite.ts';
import { openSqliteStore } from './adapters/store/sqlite.ts';
import { HttpCourier } from './adapters/webhooks/http.ts';
import type { Config } from './config.ts';
import { Csms } from './csms/csms.ts';
import { errandPorts } from './errand-ports.ts';
import { Dispatcher } from './fleet/dispatcher.ts';
import { Fleet } from './fleet/fleet.ts';
import type { FleetHandle, FleetHost } from './fleet/host.ts';
import { csmsUrl } from './fleet/member.ts';
import { Shards } from './fleet/shards.ts';
import { startUpkeep } from './fleet/upkeep.ts';
import { idSource } from './http/ids.ts';
import { buildServer } from './http/server.ts';
import { tokenKey } from './http/token-key.ts';
import { tokenVerifier } from './http/token-verifier.ts';
import { loadDialect } from './ocpp/dialects.ts';
import type { Ask } from './ports/ask.ts';
import type { Feed } from './ports/feed.ts';
import type { ChargerRecord, Store } from './ports/store.ts';
import type { ShardSettings } from './shard.ts';
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
  const clock = new SystemClock();
  const key = await tokenKey(config, secret, { clock, log: logger });
  const store = await openSqliteStore({ path: join(config.dataDir, 'gateway.sqlite'), synchronous: config.storeSync });
  const queue = new SqliteQueue(store);
  const feed = await openSegmentFeed({
    folder: join(config.dataDir, 'events'),
    clock,
    epoch: await store.reserveNumbers('feed-epoch', 1),
    keep: config.eventHistory,
    onError: (error) => logger.error(error, 'events could not be written down'),
  });
  const deliveries = new Deliveries({
    store,
    feed,
    clock,
    courier: new HttpCourier({
      clock,
      allowPrivate: config.webhookAllowPrivate || isLoopback(config.host),
      userAgent: `chargesim/${packageFile.version}`,
    }),
    chance: Math.random,
    disableAfterMs: config.webhookDisableAfterS * 1000,
    complain: (webhookId, sentence) => logger.warn({ webhookId }, sentence),
  });
  const csms = new Csms({
    now: () => clock.nowMs(),
    newMessageId: randomUUID,
    reserveTransactionIds: (count) => store.reserveNumbers('csms-transaction', count),
  });

  // Known once it listens: the port may have been left to the system.
  let url = '';
  const csmsBase = (org: string): string =>
    config.defaultCsmsUrl ?? `${url.replace(/^http/, 'ws')}/csms/${encodeURIComponent(org)}`;

  const urlOf = (record: ChargerRecord): string => csmsUrl(record.wsUrl ?? csmsBase(record.org), record.identity);

  const host: FleetHost = {
    commit: async (commits, events = []) => {
      await store.commit(commits);
      if (events.length > 0) feed.publish(events);
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
    urlOf,
    publish: (events) => feed.publish(events),
  });

  const server = await buildServer({
    store,
    queue,
    feed,
    webhooks: deliveries,
    clock,
    ask: dispatcher,
    logger,
    version: packageFile.version,
    verifyToken: tokenVerifier({
      key,
      issuer: config.jwtIssuer,
      audience: config.jwtAudience,
      clock,
    }),
    settings: config,
    defaults: { csmsUrl: csmsBase, publicUrl: () => config.publicUrl ?? url },
    urlOf,
    newId: idSource(() => clock.nowMs()),
    // Every charger mixes its identity in, so one seed for all still gives each its own story.
    newSeed: () => config.seed ?? randomInt(2 ** 31),
    ready: () => readiness(store, dispatcher),
  });
  server.server.on('upgrade', (request, socket, head) => {
    if (!csms.handleUpgrade(request, socket, head)) socket.destroy();
  });
  await deliveries.start();
  await server.listen({ host: config.host, port: config.port });
  url = `http://${reachable(config.host)}:${(server.server.address() as AddressInfo).port}`;
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
    url,
    store,
    feed,
    ask: dispatcher,
    pids,
    async close() {
      const closed = server.close();
      await endUpkeep();
      await dispatcher.stop();
      await csms.close();
      await closed;
      await deliveries.stop();
      await feed.close();
      await store.close();
    },
  };
}

async function readiness(store: Store, ask: Ask): Promise<string | null> {
  try {
    await store.ping();
  } catch {
    return 'the store cannot be reached';
  }
  const { alive, expected } = (await ask.census()).processes;
  return alive === expected ? null : `${expected - alive} of ${expected} fleet processes do not answer`;
}

/** In this process, or in processes of its own. */
async function startFleet(
  config: Config,
  clock: SystemClock,
  host: FleetHost,
): Promise<{ fleet: FleetHandle; pids: () => readonly number[] }> {
  const logs = { folder: join(config.dataDir, 'logs'), maxEntries: config.logMaxEntries, maxAgeMs: config.logMaxAgeMs };
  const { sourceAddresses, connectRate } = config;
  if (config.workers === 0) {
    const journal = await openSegmentJournal({ ...logs, writer: 'shard-0', clock });
    const link = new WebSocketLink({ clock, sourceAddresses, dialsPerSecond: connectRate });
    return { fleet: new Fleet({ clock, link, journal, host, loadDialect, errands: errandPorts }), pids: () => [] };
  }
  // A fleet process starts on what this one has compiled already.
  nodeModule.flushCompileCache();
  const settings: ShardSettings = { logs, sourceAddresses, connectRate };
  const shards = new Shards({
    entry: fileURLToPath(new URL('./shard.ts', import.meta.url)),
    args: [JSON.stringify(settings)],
    count: config.workers === 'auto' ? null : config.workers,
    host,
  });
  return { fleet: shards, pids: () => shards.pids };
}

/** Whether only this machine can call. */
function isLoopback(host: string): boolean {
  return /^(?:127\.\d+\.\d+\.\d+|::1|localhost)$/i.test(host);
}

/** A wildcard address is listened on; loopback is where it can be reached from here. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
