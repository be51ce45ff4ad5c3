// The product under test, run as its users run it: a gateway with one fleet process, driven over HTTP.

import { type ChildProcess, execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { type Bench, pathOf } from './bench.ts';
import type { Version } from './bench-case.ts';
import type { Stub } from './stub.ts';

const entry = pathOf('../bin/chargesim.mjs');
/** So many requests are under way at a time. */
const requestsAtOnce = 32;

const errorLevels = /"level":[56]0/;

export interface Gateway {
  readonly child: ChildProcess;
  readonly url: string;
}

/** One installation: its data and its secret last from one start to the next. */
export class Installation {
  readonly #bench: Bench;
  readonly #stub: Stub;
  readonly #version: Version;
  readonly #environment: NodeJS.ProcessEnv;
  #token: string | null = null;
  #chargers = 0;

  constructor(bench: Bench, stub: Stub, version: Version, name: string) {
    this.#bench = bench;
    this.#stub = stub;
    this.#version = version;
    this.#environment = {
      // Nothing else of the environment: it may hold settings of the product.
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      DATA_DIR: join(bench.folder, name),
      JWT_SECRET: randomBytes(32).toString('hex'),
      HOST: '127.0.0.1',
      PORT: '0',
      WORKERS: '1',
    };
  }

  get databasePath(): string {
    return join(this.#environment['DATA_DIR'] ?? '', 'gateway.sqlite');
  }

  /** Reads the first page of the list so many times. */
  async list({ url }: Gateway, requests: number, atOnce: number): Promise<void> {
    const headers = { authorization: `Bearer ${await this.#authorized()}` };
    let left = requests;
    const work = Array.from({ length: atOnce }, async () => {
      while (left-- > 0) {
        const response = await fetch(`${url}/ocpp/chargers?limit=20`, { headers, signal: this.#bench.signal });
        const answer = await response.text();
        if (response.status !== 200) throw new Error(`the list was not read: HTTP ${response.status} ${answer}`);
      }
    });
    await Promise.all(work);
  }

  /** Starts it and waits until all its chargers are up. */
  async start(): Promise<Gateway> {
    this.#bench.stage(`starting the gateway with ${this.#chargers} chargers`);
    const since = await this.#stub.counts();
    const child = this.#bench.spawn('the gateway', [entry, 'serve'], {
      env: this.#environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const url = await this.#bench.orEnd(this.#listening(child));
    await this.#stub.allBooted(this.#version, this.#chargers, since);
    return { child, url };
  }

  /** Ends it as a power cut does, so that its chargers boot when it is started again. */
  async kill({ child }: Gateway): Promise<void> {
    await this.#bench.kill(child);
    await this.#stub.allGone();
  }

  /** Adds chargers over HTTP until there are so many, and waits until they are up. */
  async createUpTo(count: number, { url }: Gateway): Promise<void> {
    this.#bench.stage(`creating ${count - this.#chargers} chargers`);
    const since = await this.#stub.counts();
    const before = this.#chargers;
    const token = await this.#authorized();
    const work = Array.from({ length: requestsAtOnce }, async () => {
      while (this.#chargers < count) await this.#create(url, token, this.#chargers++);
    });
    await Promise.all(work);
    await this.#stub.allBooted(this.#version, count - before, since);
  }

  /** Chargers stored, gateway stopped: what is measured after this is a start with so many. */
  async stock(count: number): Promise<void> {
    const gateway = await this.start();
    await this.createUpTo(count, gateway);
    await this.kill(gateway);
  }

  /** The address that the gateway logs once it listens. Its log is read to the end, as by any collector. */
  #listening({ stdout }: ChildProcess): Promise<string> {
    if (stdout === null) throw new Error('the gateway’s log cannot be read');
    return new Promise((resolve) => {
      createInterface({ input: stdout }).on('line', (line) => {
        if (line.includes('"msg":"listening"')) resolve((JSON.parse(line) as { readonly url: string }).url);
        else if (errorLevels.test(line)) this.#bench.complain(line);
      });
    });
  }

  async #create(url: string, token: string, number: number): Promise<void> {
    const { urls } = this.#stub;
    const response = await fetch(`${url}/ocpp/chargers`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        identity: `BENCH-${number}`,
        ocpp_version: this.#version,
        number_of_connectors: 1,
        ws_url: urls[number % urls.length],
      }),
      signal: this.#bench.signal,
    });
    const answer = await response.text();
    if (response.status !== 202) throw new Error(`a charger was not created: HTTP ${response.status} ${answer}`);
    this.#bench.detail(`${number}`);
  }

  async #authorized(): Promise<string> {
    this.#token ??= await this.#bench.orEnd(tokenOf(this.#environment));
    return this.#token;
  }
}

async function tokenOf(env: NodeJS.ProcessEnv): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [entry, 'token'], { env });
  return stdout.trim();
}
