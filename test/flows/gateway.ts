// A gateway for tests, in this process or as a real one of its own, and a small client for its HTTP interface.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import { everyScope, makeToken } from '../../src/cli/token.ts';
import { type Gateway, startGateway } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import { Csms } from '../../src/csms/csms.ts';
import { Recorder } from '../../src/csms/recorder.ts';
import { wireBreaches } from '../wire-rules.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into by tests
export type Json = any;

export const secret = 'a secret of at least thirty-two bytes';
export const root = fileURLToPath(new URL('../..', import.meta.url));

export function temporaryFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'gateway-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) };
}

export const token = (org = 'demo', scope = everyScope): Promise<string> =>
  makeToken(secret, { org, subject: 'test', scope, ttlS: 3_600, issuer: null, audience: null }, Date.now());

/** Speaks to a gateway as a user would. */
export class Client {
  readonly url: string;
  readonly #token: string;

  constructor(url: string, bearer: string) {
    this.url = url;
    this.#token = bearer;
  }

  async fetch(method: string, path: string, body?: unknown): Promise<{ status: number; body: Json; headers: Headers }> {
    const answer = await fetch(this.url + path, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? null : JSON.parse(text), headers: answer.headers };
  }

  async get(path: string): Promise<Json> {
    return (await this.#expect(200, 'GET', path)).body;
  }

  async create(body: Record<string, unknown>): Promise<Json> {
    return (await this.#expect(202, 'POST', '/ocpp/chargers', body)).body;
  }

  live(identity: string): Promise<Json> {
    return this.get(`/ocpp/simulators/${encodeURIComponent(identity)}`);
  }

  /** Sends a command to one charger and waits for what becomes of it. */
  async command(chargerId: string, name: string, event: Record<string, unknown> = {}): Promise<Json> {
    const { body } = await this.#expect(202, 'POST', `/ocpp/commands/${name}`, {
      target: { charger_id: chargerId },
      event,
    });
    const id = body.results[0]?.command.id;
    if (id === undefined) throw new Error(`not queued: ${JSON.stringify(body)}`);
    return this.get(`/ocpp/commands/${id}?wait_s=10`);
  }

  async until(what: string, holds: () => Promise<boolean>, timeoutMs = 15_000): Promise<void> {
    const endMs = Date.now() + timeoutMs;
    while (!(await holds().catch(() => false))) {
      if (Date.now() > endMs) throw new Error(`waited in vain until ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  untilConnected(identity: string): Promise<void> {
    return this.until(`${identity} is connected`, async () => {
      const live = await this.live(identity);
      return live.connection.state === 'connected' && live.boot.status === 'Accepted';
    });
  }

  async #expect(status: number, method: string, path: string, body?: unknown) {
    const answer = await this.fetch(method, path, body);
    if (answer.status !== status) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer;
  }
}

/** A CSMS of our own that writes everything down. */
export async function startCsms(options: Partial<ConstructorParameters<typeof Csms>[0]> = {}) {
  const recorder = new Recorder({ further: wireBreaches });
  let transactionId = 0;
  const csms = new Csms({
    now: () => Date.now(),
    newMessageId: randomUUID,
    reserveTransactionIds: async (count) => {
      const first = transactionId + 1;
      transactionId += count;
      return first;
    },
    onFrame: recorder.onFrame,
    ...options,
  });
  const url = await csms.listen(0);
  /** Whoever was made to break rules is named; nobody else has. */
  const close = async (unchecked: ReadonlySet<string> = new Set()): Promise<void> => {
    await csms.close();
    const broken = recorder
      .violations()
      .filter(({ identity, direction }) => direction === 'in' && !unchecked.has(identity));
    if (broken.length > 0) throw new Error(`chargers have broken rules: ${JSON.stringify(broken)}`);
  };
  return { csms, recorder, url: `${url}/test`, close };
}

/** With FLOWS=shared every gateway has a database and a corner of the message server instead of its own store and queue. */
const sharedSettings = new Map<string, Promise<Record<string, string>>>();

/** The same for the same data folder, so that a gateway that is started again finds what was. */
function settingsFor(dataDir: string): Promise<Record<string, string>> {
  const known = sharedSettings.get(dataDir) ?? (process.env.FLOWS === 'shared' ? ownCorner() : Promise.resolve({}));
  sharedSettings.set(dataDir, known);
  return known;
}

async function ownCorner(): Promise<Record<string, string>> {
  const { sharedCorner } = await import('./scale-out.ts');
  return { ...(await sharedCorner()), JWT_SECRET: secret };
}

/** The gateway inside this process, its chargers too unless `workers` says otherwise. */
export async function gatewayHere(env: Record<string, string> = {}) {
  const folder = temporaryFolder();
  const shared = await settingsFor(env.DATA_DIR ?? folder.path);
  const config = readConfig({ PORT: '0', DATA_DIR: folder.path, WORKERS: '0', ...shared, ...env }, {});
  const gateway: Gateway = await startGateway(config, secret, pino({ level: 'silent' }));
  const client = new Client(gateway.url, await token());
  // Nobody's share of the fleet comes with the first moment.
  if (config.databaseUrl !== null) await client.until('it is ready', () => client.get('/readyz').then(() => true));
  return {
    gateway,
    client,
    close: async () => {
      await gateway.close();
      folder.remove();
    },
  };
}

/** The processes that a process has started. */
export const childrenOf = (pid: number): number[] => {
  // ps answers with 1 when there are none.
  const found = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
  return found.stdout.trim().split(/\s+/).filter(Boolean).map(Number);
};

/** The gateway as a real process, as `chargesim serve` starts it. */
export class GatewayProcess {
  readonly dataDir: string;
  readonly env: Record<string, string>;
  url = '';
  stderr = '';
  /** What it has written down, line by line. */
  log = '';
  #child: ChildProcess | null = null;

  constructor(dataDir: string, env: Record<string, string> = {}) {
    this.dataDir = dataDir;
    this.env = env;
  }

  async start(): Promise<this> {
    const shared = this.env['DATABASE_URL'] === undefined ? await settingsFor(this.dataDir) : {};
    const own = { PORT: '0', DATA_DIR: this.dataDir, JWT_SECRET: secret, WORKERS: '1' };
    const env = { ...process.env, ...own, ...shared, ...this.env };
    const child = spawn(process.execPath, [join(root, 'bin/chargesim.mjs'), 'serve'], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    child.stderr.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString();
    });
    this.url = await new Promise<string>((resolve, reject) => {
      createInterface(child.stdout).on('line', (line) => {
        this.log += `${line}\n`;
        const entry = JSON.parse(line) as { msg: string; url?: string };
        if (entry.msg === 'listening' && entry.url !== undefined) resolve(entry.url);
      });
      child.once('exit', (code) => reject(new Error(`the gateway ended with ${code}: ${this.stderr}`)));
    });
    return this;
  }

  async client(): Promise<Client> {
    return new Client(this.url, await token());
  }

  get pid(): number {
    const pid = this.#child?.pid;
    if (pid === undefined) throw new Error('not started');
    return pid;
  }

  /** Sends a signal and waits for the end; gives the exit code. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
    child.kill(signal);
    return ended;
  }
}
