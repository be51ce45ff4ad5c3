// The product under test, run as its users run it: a gateway with its fleet processes, driven over HTTP.

import { type ChildProcess, execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { openSqliteStore } from '../src/adapters/store/sqlite.ts';
import type { Store } from '../src/ports/store.ts';
import { type Bench, pathOf } from './bench.ts';
import type { Version } from './bench-case.ts';
import { stockStore } from './stock.ts';
import type { Stub } from './stub.ts';
import type { StubCounts } from './stub-csms.ts';

const entry = pathOf('../bin/chargesim.mjs');
const errorLevels = /"level":[56]0/;

/** One that runs and listens. */
export class Gateway {
  /** All that it consists of, the one that answers first. */
  readonly children: readonly [ChildProcess, ...ChildProcess[]];
  readonly url: string;
  readonly #token: string;
  readonly #bench: Bench;

  constructor(bench: Bench, children: Gateway['children'], url: string, token: string) {
    this.#bench = bench;
    this.children = children;
    this.url = url;
    this.#token = token;
  }

  get child(): ChildProcess {
    return this.children[0];
  }

  get authorization(): { readonly authorization: string } {
    return { authorization: `Bearer ${this.#token}` };
  }

  async get(path: string): Promise<unknown> {
    return this.#answer(path, {});
  }

  async post(path: string, body: unknown): Promise<unknown> {
    const headers = { 'content-type': 'application/json' };
    return this.#answer(path, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  async command(name: string, target: Readonly<Record<string, string>>, event: unknown): Promise<Queued> {
    const queued = (await this.post(`/ocpp/commands/${name}`, { target, event })) as Queued;
    if (queued.failed_count > 0) throw new Error(`${name} was not queued for ${queued.failed_count} chargers`);
    return queued;
  }

  async #answer(path: string, init: RequestInit): Promise<unknown> {
    const headers = { ...this.authorization, ...(init.headers as Record<string, string> | undefined) };
    const response = await fetch(`${this.url}${path}`, { ...init, headers, signal: this.#bench.signal });
    const text = await response.text();
    if (!response.ok) throw new Error(`${init.method ?? 'GET'} ${path}: HTTP ${response.status} ${text}`);
    return JSON.parse(text);
  }
}

/** What a command is answered. */
export interface Queued {
  readonly failed_count: number;
  readonly results: readonly { readonly command: { readonly id: string } }[];
}

/** The chargers of an installation, and whom they talk to. */
export interface Stock {
  readonly stub: Stub;
  readonly version: Version;
  readonly chargers: number;
}

export interface Launched {
  readonly child: ChildProcess;
  readonly url: string;
}

/** One installation: its data and its secret last from one start to the next. */
export class Installation {
  protected readonly bench: Bench;
  readonly #environment: NodeJS.ProcessEnv;
  #token: string | null = null;
  #stock: Stock | null = null;

  constructor(bench: Bench, name: string, settings: NodeJS.ProcessEnv = {}) {
    this.bench = bench;
    this.#environment = {
      // Nothing else of the environment: it may hold settings of the product.
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      DATA_DIR: join(bench.folder, name),
      JWT_SECRET: randomBytes(32).toString('hex'),
      HOST: '127.0.0.1',
      PORT: '0',
      WORKERS: '1',
      ...settings,
    };
  }

  /** Stores so many chargers that do not run. */
  async store(chargers: number): Promise<void> {
    this.bench.stage(`storing ${chargers} chargers`);
    await stockStore(await this.openStore(), { version: '1.6', count: chargers, urls: [], running: false });
  }

  /** Stores so many chargers that have run once: what follows is a start with them. */
  async stock(stub: Stub, version: Version, chargers: number): Promise<void> {
    this.bench.stage(`storing ${chargers} chargers`);
    await stockStore(await this.openStore(), { version, count: chargers, urls: stub.urls, running: true });
    this.#stock = { stub, version, chargers };
    await this.kill(await this.start());
  }

  /** Starts it and waits until all its chargers are up. */
  async start(): Promise<Gateway> {
    this.bench.stage(`starting the gateway with ${this.#stock?.chargers ?? 0} chargers`);
    const since = await this.#stock?.stub.counts();
    const gateway = await this.listening();
    if (this.#stock === null || since === undefined) await this.bench.sleep(this.bench.sizes.quietMs);
    else await this.allUp(this.#stock, since);
    return gateway;
  }

  /** Starts it and waits until it listens. */
  async listening(): Promise<Gateway> {
    const { child, url } = await this.launch('the gateway');
    return new Gateway(this.bench, [child], url, await this.token());
  }

  /** Ends it as a power cut does, so that its chargers boot when it is started again. */
  async kill({ children }: Gateway): Promise<void> {
    await Promise.all(children.map((child) => this.bench.kill(child)));
    await this.#stock?.stub.allGone();
  }

  protected allUp({ stub, version, chargers }: Stock, since: StubCounts): Promise<void> {
    return stub.allBooted(version, chargers, since);
  }

  protected async token(): Promise<string> {
    this.#token ??= await this.bench.orEnd(tokenOf(this.#environment));
    return this.#token;
  }

  protected async launch(what: string, settings: NodeJS.ProcessEnv = {}): Promise<Launched> {
    const child = this.bench.spawn(what, [entry, 'serve'], {
      env: { ...this.#environment, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return { child, url: await this.bench.orEnd(this.#addressOf(child)) };
  }

  protected openStore(): Promise<Store> {
    const folder = this.#environment['DATA_DIR'] ?? '';
    mkdirSync(folder, { recursive: true });
    return openSqliteStore({ path: join(folder, 'gateway.sqlite') });
  }

  /** The address that the gateway logs once it listens. Its log is read to the end, as by any collector. */
  #addressOf({ stdout }: ChildProcess): Promise<string> {
    if (stdout === null) throw new Error('the gateway’s log cannot be read');
    return new Promise((resolve) => {
      createInterface({ input: stdout }).on('line', (line) => {
        if (line.includes('"msg":"listening"')) resolve((JSON.parse(line) as { readonly url: string }).url);
        else if (errorLevels.test(line)) this.bench.complain(line);
      });
    });
  }
}

async function tokenOf(env: NodeJS.ProcessEnv): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [entry, 'token'], { env });
  return stdout.trim();
}
