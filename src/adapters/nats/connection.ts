// The connection of a process to NATS: comes back by itself, for ever, and says whether it is there.

import { setTimeout as delay } from 'node:timers/promises';
import {
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamInfo,
} from '@nats-io/jetstream';
import { AuthorizationError, connect, type NatsConnection } from '@nats-io/transport-node';
import { Failure } from '../../errors.ts';

export interface NatsOptions {
  /** `nats://user:password@host:port`, several of one cluster with commas between; `tls://` for an encrypted connection. */
  readonly url: string;
  /** What this process is called among the server's connections. */
  readonly name: string;
  /** The first word of all subjects and streams: fleets that share a server differ in it. */
  readonly prefix?: string;
  /** On how many servers of a cluster what lasts is kept. */
  readonly replicas?: number;
  /** How long a server that is started together with this process may take to be there. */
  readonly patienceMs?: number;
  readonly limits?: Partial<NatsLimits>;
}

export interface NatsLimits {
  /** For a connection to come about. */
  readonly connectMs: number;
  readonly reconnectEveryMs: number;
  /** A connection on which two of these were not answered is taken for lost. */
  readonly pingEveryMs: number;
  /** For the server's answer to a request for what it keeps. */
  readonly answerMs: number;
}

export const natsLimits: NatsLimits = { connectMs: 2_000, reconnectEveryMs: 250, pingEveryMs: 2_000, answerMs: 2_000 };

const retryMs = 200;
/** The server's codes for a stream that is not there, and for one that is there and differs. */
const missing = 10_059;
const differs = 10_058;
/** And for too little room, which it also says to the second of two that make the same stream at once. */
const tooLittleRoom = [10_023, 10_047];
const attempts = 5;

/** What a stream holds, and how much. */
export interface StreamPlan {
  readonly name: string;
  readonly subjects: readonly string[];
  /** A message is gone when it was taken (and a full stream takes no more), or when it is among the oldest of too many. */
  readonly keeps: 'until_taken' | 'the_newest';
  readonly mostMessages: number;
  readonly mostBytes: number;
}

export async function connectNats(options: NatsOptions): Promise<Nats> {
  const limits = { ...natsLimits, ...options.limits };
  const untilMs = performance.now() + (options.patienceMs ?? 15_000);
  for (;;) {
    try {
      const connection = await connect({
        ...addresses(options.url),
        name: options.name,
        timeout: limits.connectMs,
        maxReconnectAttempts: -1,
        reconnectTimeWait: limits.reconnectEveryMs,
        pingInterval: limits.pingEveryMs,
        // A server that is being set up anew may know nobody for a while.
        ignoreAuthErrorAbort: true,
        noAsyncTraces: true,
      });
      return new Nats(connection, options, limits);
    } catch (error) {
      if (error instanceof AuthorizationError) {
        throw new Failure('broker_failed', 'the message server refuses the user or the password', { cause: error });
      }
      if (performance.now() > untilMs) throw new Failure('broker_unreachable', undefined, { cause: error });
      await delay(retryMs);
    }
  }
}

export class Nats {
  readonly connection: NatsConnection;
  readonly prefix: string;
  readonly replicas: number;
  readonly limits: NatsLimits;
  readonly stream: JetStreamClient;
  readonly #connected = new Set<() => void>();
  #isConnected = true;

  constructor(connection: NatsConnection, { prefix = 'chargesim', replicas = 1 }: NatsOptions, limits: NatsLimits) {
    this.connection = connection;
    this.prefix = prefix;
    this.replicas = replicas;
    this.limits = limits;
    this.stream = jetstream(connection, { timeout: limits.answerMs });
    void this.#watch();
  }

  /** While it is not, what is published waits in memory: whoever publishes much should rather not. */
  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** Calls when the connection has come back; what it returns ends that. */
  onConnected(run: () => void): () => void {
    this.#connected.add(run);
    return () => void this.#connected.delete(run);
  }

  /** Resolves when the server has everything that was published and subscribed before, or cannot be asked. */
  async flush(): Promise<void> {
    if (!this.#isConnected) return;
    const late = delay(this.limits.answerMs, undefined, { ref: false });
    await Promise.race([this.connection.flush().catch(() => {}), late]);
  }

  manager(): Promise<JetStreamManager> {
    return jetstreamManager(this.connection, { checkAPI: false, timeout: this.limits.answerMs });
  }

  /** Makes the stream, or makes one that is there agree. */
  async ensureStream({ name, subjects, keeps, mostMessages, mostBytes }: StreamPlan): Promise<StreamInfo> {
    const { streams } = await this.manager();
    const config = {
      name,
      subjects: [...subjects],
      retention: keeps === 'until_taken' ? RetentionPolicy.Workqueue : RetentionPolicy.Limits,
      discard: keeps === 'until_taken' ? DiscardPolicy.New : DiscardPolicy.Old,
      max_msgs: mostMessages,
      max_bytes: mostBytes,
      storage: StorageType.File,
      num_replicas: this.replicas,
      allow_direct: true,
    };
    for (let attempt = 1; ; attempt += 1) {
      const found = await streams.info(name).catch((error: unknown) => {
        if (codeOf(error) === missing) return null;
        throw error;
      });
      if (found !== null) return agrees(found, config) ? found : await streams.update(name, config);
      try {
        return await streams.add(config);
      } catch (error) {
        // Somebody else may just have made it.
        if (![differs, ...tooLittleRoom].includes(codeOf(error) ?? 0) || attempt === attempts) throw error;
        await delay(retryMs);
      }
    }
  }

  async close(): Promise<void> {
    await this.connection.close();
  }

  async #watch(): Promise<void> {
    for await (const { type } of this.connection.status()) {
      if (type === 'disconnect') this.#isConnected = false;
      if (type !== 'reconnect') continue;
      this.#isConnected = true;
      for (const run of [...this.#connected]) run();
    }
    this.#isConnected = false;
  }
}

/** In the server's words. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const codeOf = (error: unknown): number | null => (error instanceof JetStreamApiError ? error.code : null);

function agrees({ config }: StreamInfo, wanted: Partial<StreamInfo['config']>): boolean {
  return Object.entries(wanted).every(
    ([name, value]) => JSON.stringify(config[name as keyof typeof config]) === JSON.stringify(value),
  );
}

/** Credentials are no part of an address for the driver. */
function addresses(text: string): {
  readonly servers: string[];
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
  readonly tls?: object;
} {
  const urls = text.split(',').map((one) => new URL(one.includes('://') ? one.trim() : `nats://${one.trim()}`));
  const { username = '', password = '', protocol = '' } = urls[0] ?? {};
  const name = decodeURIComponent(username);
  const isToken = name !== '' && password === '';
  return {
    servers: urls.map(({ host }) => host),
    ...(isToken ? { token: name } : name === '' ? {} : { user: name, pass: decodeURIComponent(password) }),
    ...(protocol === 'tls:' ? { tls: {} } : {}),
  };
}
