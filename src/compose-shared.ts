// Builds one of many processes that share a fleet over PostgreSQL and NATS: one that answers, one that runs chargers, or both.

import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { NatsAsk } from './adapters/ask/nats.ts';
import { NatsAnswers } from './adapters/ask/nats-answers.ts';
import { SystemClock } from './adapters/clock/system.ts';
import { openNatsFeed } from './adapters/feed/nats.ts';
import { PostgresLog } from './adapters/journal/postgres-log.ts';
import { natsLease } from './adapters/lease/nats.ts';
import { connectNats, type Nats } from './adapters/nats/connection.ts';
import { type NatsQueue, openNatsQueue } from './adapters/queue/nats.ts';
import { openPostgresStore, type PostgresStore } from './adapters/store/postgres.ts';
import { NatsDesk } from './adapters/webhooks/nats-desk.ts';
import type { Gateway } from './compose.ts';
import { startFleet } from './compose-fleet.ts';
import { Addresses, deliveryParts, readiness, startFront, storeReadiness, verifier } from './compose-front.ts';
import type { Config } from './config.ts';
import { Dispatcher } from './fleet/dispatcher.ts';
import type { FleetHost } from './fleet/host.ts';
import { logsOfAll } from './fleet/logs.ts';
import { Owner } from './fleet/owner.ts';
import { startUpkeep } from './fleet/upkeep.ts';
import type { Ask } from './ports/ask.ts';
import type { Feed } from './ports/feed.ts';
import type { Lease, Membership, Share } from './ports/lease.ts';
import { Deliveries, type DeliveriesParts } from './webhooks/deliveries.ts';

/** What both halves stand on. */
interface Ground {
  readonly config: Config;
  readonly logger: Logger;
  readonly clock: SystemClock;
  readonly store: PostgresStore;
  readonly nats: Nats;
  readonly queue: NatsQueue;
  readonly feed: Feed;
  readonly lease: Lease;
  readonly addresses: Addresses;
  /** What this process is called among the others. */
  readonly name: string;
}

interface Worker {
  readonly ask: Ask;
  readonly pids: () => readonly number[];
  readonly share: () => Share;
  /** From here on it has a share of the fleet. */
  join(): void;
  /** Hands everything on and ends. */
  leave(): Promise<void>;
}

/** For reading the logs of chargers. */
const logConnections = 2;

export async function startSharedGateway(config: Config, secret: string | null, logger: Logger): Promise<Gateway> {
  const opened: (() => unknown)[] = [];
  try {
    return await openSharedGateway(config, secret, logger, (close) => opened.push(close));
  } catch (error) {
    // What is still open would keep a process alive that has failed.
    for (const close of opened.toReversed()) await close();
    throw error;
  }
}

async function openSharedGateway(
  config: Config,
  secret: string | null,
  logger: Logger,
  onFailure: (close: () => unknown) => void,
): Promise<Gateway> {
  const clock = new SystemClock();
  const name = `${hostname()}-${process.pid}`;
  const trouble = (what: string) => (error: unknown) => logger.error(error, what);
  const isApi = config.role !== 'worker';
  const verifyToken = isApi ? await verifier(config, secret, { clock, logger }) : async () => null as never;
  const store = await openPostgresStore({ url: config.databaseUrl ?? '' });
  onFailure(() => store.close());
  const nats = await connectNats({
    url: config.natsUrl ?? '',
    name,
    prefix: config.natsPrefix,
    replicas: config.natsReplicas,
  });
  onFailure(() => nats.close());
  const queue = await openNatsQueue({ nats, table: store, clock, onTrouble: trouble('commands cannot be looked for') });
  onFailure(() => queue.stop());
  const feed = await openNatsFeed({
    nats,
    clock,
    keep: config.eventHistory,
    onTrouble: trouble('events cannot be published'),
  });
  const lease = natsLease({
    nats,
    partitions: store,
    clock,
    onTrouble: trouble('the share of the fleet is in danger'),
  });
  const addresses = new Addresses(config);
  const ground: Ground = { config, logger, clock, store, nats, queue, feed, lease, addresses, name };

  const worker = config.role === 'api' ? null : await buildWorker(ground);
  onFailure(() => worker?.leave());
  const everywhere = isApi ? new NatsAsk({ nats, clock }) : null;
  const ask = everywhere ?? worker?.ask;
  if (ask === undefined) throw new Error('bug: a process that neither answers nor runs chargers');
  const log = new PostgresLog({
    url: config.databaseUrl ?? '',
    clock,
    maxEntries: config.logMaxEntries,
    maxAgeMs: config.logMaxAgeMs,
    connections: logConnections,
  });
  const delivering = deliveryParts(config, ground);
  const desk = new NatsDesk({ nats, store, courier: delivering.courier });
  const front = await startFront({
    config,
    verifyToken,
    logger,
    addresses,
    store,
    queue,
    feed,
    webhooks: desk,
    ask,
    logs: logsOfAll(ask, log),
    clock,
    routes: isApi ? 'all' : 'probes',
    ready: () => sharedReadiness(ground, ask, worker),
    ...(worker === null ? {} : { share: worker.share }),
  });
  const task = isApi ? standForWebhooks(ground, desk) : null;
  const endUpkeep = startUpkeep({
    store,
    feed,
    clock,
    commandExpiryMs: config.commandExpiryMs,
    commandMaxAgeMs: config.commandMaxAgeMs,
    onFailure: (error) => logger.error(error, 'old commands could not be looked after'),
  });
  worker?.join();

  return {
    url: addresses.url,
    store,
    feed,
    ask,
    pids: worker?.pids ?? (() => []),
    async close() {
      const closed = front.close();
      await Promise.all([endUpkeep(), worker?.leave(), task?.leave()]);
      await front.closeCsms();
      await closed;
      everywhere?.stop();
      queue.stop();
      delivering.courier.close();
      await feed.close();
      await nats.close();
      await log.close();
      await store.close();
    },
  };
}

async function buildWorker(ground: Ground): Promise<Worker> {
  const { config, logger, clock, store, nats, queue, feed, lease, addresses, name } = ground;
  const publish: Feed['publish'] = (events) => feed.publish(events);
  const owner = new Owner({ clock, partitions: store, queue, publish });
  const host: FleetHost = {
    commit: (commits, events) => owner.commit(commits, events),
    publish: (events) => owner.publish(events),
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
    publish,
    partitions: store,
    onTrouble: (error) => logger.error(error, 'the database cannot be asked for chargers'),
  });
  const answers = new NatsAnswers({ nats, fleet: dispatcher });
  return {
    ask: dispatcher,
    pids,
    share: () => owner.share,
    join: () => owner.begin({ fleet, dispatcher, answers }, (holder) => lease.join(name, holder)),
    async leave() {
      await owner.leave();
      answers.stop();
      await dispatcher.stop();
    },
  };
}

/**
 * One that runs chargers is ready when it does; one that only answers is as long as somebody does, or all of them would be taken out
 * of service by the death of one other.
 */
async function sharedReadiness({ nats, store }: Ground, ask: Ask, worker: Worker | null): Promise<string | null> {
  if (!nats.isConnected) return 'the message server cannot be reached';
  if (worker === null) {
    const { alive } = (await ask.census()).processes;
    return alive === 0 ? 'no process that runs chargers answers' : storeReadiness(store);
  }
  if (worker.share().partitions === 0) return 'this process has no part of the fleet yet';
  return readiness(store, worker.ask);
}

/** How often whoever delivers looks for webhooks that no word came of. */
const followEveryMs = 5_000;

/** One of the processes that answer delivers to webhooks. */
function standForWebhooks(ground: Ground, desk: NatsDesk): Membership {
  const { config, clock, lease, name } = ground;
  let end: (() => Promise<void>) | null = null;
  const stop = async (): Promise<void> => {
    const ending = end;
    end = null;
    await ending?.();
  };
  return lease.stand('webhooks', name, {
    acquired() {
      void stop();
      end = deliver(deliveryParts(config, ground), desk, clock);
    },
    release: stop,
    lost: () => void stop(),
  });
}

function deliver(parts: DeliveriesParts, desk: NatsDesk, clock: SystemClock): () => Promise<void> {
  const deliveries = new Deliveries(parts);
  const hush = desk.serve(deliveries);
  let cancel = (): void => {};
  const follow = (): void => {
    // What cannot be read now is read the next time.
    void deliveries.follow().catch(() => {});
    cancel = clock.at(clock.nowMs() + followEveryMs, follow);
  };
  follow();
  return async () => {
    cancel();
    hush();
    await deliveries.stop();
  };
}
