// Starts what answers over HTTP: the interface and the built-in CSMS, or the probes of a process that only runs chargers.

import { randomInt, randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import packageFile from '../package.json' with { type: 'json' };
import { HttpCourier } from './adapters/webhooks/http.ts';
import type { Config } from './config.ts';
import { Csms } from './csms/csms.ts';
import { csmsUrl } from './fleet/member.ts';
import type { HttpDependencies } from './http/dependencies.ts';
import { idSource } from './http/ids.ts';
import { buildServer, type Routes } from './http/server.ts';
import { tokenKey } from './http/token-key.ts';
import { type TokenVerifier, tokenVerifier } from './http/token-verifier.ts';
import type { Ask } from './ports/ask.ts';
import type { Clock } from './ports/clock.ts';
import type { Feed } from './ports/feed.ts';
import type { ChargerRecord, Store } from './ports/store.ts';
import type { DeliveriesParts } from './webhooks/deliveries.ts';

/** Where this gateway is, and where chargers go that name no CSMS. */
export class Addresses {
  readonly #config: Config;
  /** Known once it listens: the port may have been left to the system. */
  url = '';

  constructor(config: Config) {
    this.#config = config;
  }

  get publicUrl(): string {
    return this.#config.publicUrl ?? this.url;
  }

  csmsBase(org: string): string {
    const { defaultCsmsUrl, databaseUrl } = this.#config;
    // Chargers that run elsewhere cannot use what only this machine can.
    const own = databaseUrl === null ? this.url : this.publicUrl;
    return defaultCsmsUrl ?? `${own.replace(/^http/, 'ws')}/csms/${encodeURIComponent(org)}`;
  }

  urlOf(record: ChargerRecord): string {
    return csmsUrl(record.wsUrl ?? this.csmsBase(record.org), record.identity);
  }
}

export interface FrontParts
  extends Pick<HttpDependencies, 'store' | 'queue' | 'feed' | 'webhooks' | 'ask' | 'logs' | 'clock' | 'ready'> {
  readonly config: Config;
  readonly verifyToken: TokenVerifier;
  readonly logger: Logger;
  readonly addresses: Addresses;
  readonly routes: Routes;
}

export interface Front {
  /** Takes no more requests; resolves when those under way are answered. */
  close(): Promise<void>;
  /** Closes the lines of the built-in CSMS. */
  closeCsms(): Promise<void>;
}

/** Listens when it resolves. */
export async function startFront(parts: FrontParts): Promise<Front> {
  const { config, store, clock, addresses, routes, ...given } = parts;
  const server = await buildServer(
    {
      ...given,
      store,
      clock,
      version: packageFile.version,
      settings: config,
      defaults: { csmsUrl: (org) => addresses.csmsBase(org), publicUrl: () => addresses.publicUrl },
      urlOf: (record) => addresses.urlOf(record),
      newId: idSource(() => clock.nowMs()),
      // Every charger mixes its identity in, so one seed for all still gives each its own story.
      newSeed: () => config.seed ?? randomInt(2 ** 31),
    },
    routes,
  );
  const csms =
    routes === 'all'
      ? new Csms({
          now: () => clock.nowMs(),
          newMessageId: randomUUID,
          reserveTransactionIds: (count) => store.reserveNumbers('csms-transaction', count),
        })
      : null;
  server.server.on('upgrade', (request, socket, head) => {
    if (!csms?.handleUpgrade(request, socket, head)) socket.destroy();
  });
  await server.listen({ host: config.host, port: config.port });
  addresses.url = `http://${reachable(config.host)}:${(server.server.address() as AddressInfo).port}`;
  return { close: async () => void (await server.close()), closeCsms: async () => csms?.close() };
}

/** `secret` signs and checks tokens; null where there are public keys to check them with. */
export async function verifier(
  config: Config,
  secret: string | null,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): Promise<TokenVerifier> {
  const key = await tokenKey(config, secret, { clock, log: logger });
  return tokenVerifier({ key, issuer: config.jwtIssuer, audience: config.jwtAudience, clock });
}

export function deliveryParts(
  config: Config,
  parts: { readonly store: Store; readonly feed: Feed; readonly clock: Clock; readonly logger: Logger },
): DeliveriesParts {
  const { store, feed, clock, logger } = parts;
  return {
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
  };
}

/** Null when work can be done; otherwise a sentence that says why not. */
export async function readiness(store: Store, ask: Ask): Promise<string | null> {
  const { alive, expected } = (await ask.census()).processes;
  if (alive !== expected) return `${expected - alive} of ${expected} fleet processes do not answer`;
  return storeReadiness(store);
}

export async function storeReadiness(store: Store): Promise<string | null> {
  try {
    await store.ping();
    return null;
  } catch {
    return 'the store cannot be reached';
  }
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
