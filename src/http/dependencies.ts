// What the front needs of the rest of the product.

import type { FastifyBaseLogger } from 'fastify';
import type { Ask } from '../ports/ask.ts';
import type { Clock } from '../ports/clock.ts';
import type { Feed } from '../ports/feed.ts';
import type { LogReader } from '../ports/journal.ts';
import type { Share } from '../ports/lease.ts';
import type { Queue } from '../ports/queue.ts';
import type { ChargerRecord, Store } from '../ports/store.ts';
import type { WebhookDesk } from '../ports/webhooks.ts';
import type { TokenVerifier } from './token-verifier.ts';

/** How the front treats its callers. The configuration has it all. */
export interface FrontSettings {
  /** Commands that may wait for one charger. */
  readonly queueLimit: number;
  /** Requests per second of one tenant; null: as many as there are. */
  readonly rateLimit: number | null;
  /** Web pages of these origins may call; `*`: of all. */
  readonly corsOrigins: readonly string[];
  /** Who may read the metrics. */
  readonly metrics: 'open' | 'loopback' | 'off';
}

export interface HttpDependencies {
  readonly store: Store;
  readonly queue: Queue;
  readonly feed: Feed;
  readonly webhooks: WebhookDesk;
  readonly ask: Ask;
  /** The logs of chargers, whether they run or not. */
  readonly logs: LogReader;
  readonly clock: Clock;
  readonly verifyToken: TokenVerifier;
  readonly settings: FrontSettings;
  readonly defaults: {
    /** The base address of the CSMS for chargers of this tenant that name none. */
    csmsUrl(org: string): string;
    /** Where clients reach this gateway; asked for when it is needed, because the port may be known only then. */
    publicUrl(): string;
  };
  /** The whole address that a charger dials. */
  urlOf(record: ChargerRecord): string;
  /** Sortable by creation. */
  newId(): string;
  newSeed(): number;
  /** Null when the gateway can do its work; otherwise a sentence that says why not. */
  ready(): Promise<string | null>;
  /** What this process has of a fleet that many share, if it is one of those. */
  share?(): Share;
  readonly logger: FastifyBaseLogger;
  /** Of the program. */
  readonly version: string;
}
