// Three processes that run chargers and two that answer, over servers of their own that a test can take away.

import { type Chance, chanceFrom, draw } from '../../src/charger/random.ts';
import { Recorder } from '../../src/csms/recorder.ts';
import { openServices, type Server } from '../../tools/services.mjs';
import {
  Client,
  childrenOf,
  GatewayProcess,
  type Json,
  secret,
  startCsms,
  temporaryFolder,
  token,
} from '../flows/gateway.ts';
import type { StreamCharger } from './command-stream.ts';
import { openWire, type Wire } from './cut.ts';
import { LineWatch } from './line-watch.ts';

export interface StageOptions {
  readonly seed: number;
  readonly chargers: number;
  readonly workers?: number;
  readonly apis?: number;
  readonly maxFileBytes?: number;
  readonly csms?: Parameters<typeof startCsms>[0];
  readonly env?: Record<string, string>;
}

export interface Stage {
  /** Drawn from the seed. */
  readonly next: () => number;
  readonly postgres: Server;
  readonly nats: Server;
  readonly workers: readonly GatewayProcess[];
  /** Between each worker and NATS. */
  readonly wires: readonly Wire[];
  readonly apis: readonly GatewayProcess[];
  readonly recorder: Recorder;
  readonly watch: LineWatch;
  readonly csmsUrl: string;
  readonly chargers: readonly StreamCharger[];
  client(): Promise<Client>;
  close(): Promise<void>;
}

export const pick = <Item>(items: readonly Item[], value: number): Item =>
  items[Math.floor(value * items.length)] as Item;

export function numbersFrom(...words: readonly (string | number)[]): () => number {
  let chance: Chance = chanceFrom(...words);
  return () => {
    const [value, rest] = draw(chance);
    chance = rest;
    return value;
  };
}

const versions = ['1.6', '2.0.1', '2.1'];
const createAtOnce = 100;

export async function openStage(options: StageOptions): Promise<Stage> {
  const undo: (() => unknown)[] = [];
  const close = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) await step();
  };
  try {
    return await build(options, undo, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function build(options: StageOptions, undo: (() => unknown)[], close: () => Promise<void>): Promise<Stage> {
  const next = numbersFrom(options.seed, 'bad day');
  const services = openServices();
  undo.push(() => services.close());
  const { maxFileBytes } = options;
  const [postgres, nats] = await Promise.all([
    services.startPostgres(),
    services.startNats(maxFileBytes === undefined ? {} : { maxFileBytes }),
  ]);
  const watch = new LineWatch();
  const recorder = new Recorder();
  const csms = await startCsms({
    heartbeatIntervalS: 1,
    keepsFormerLines: true,
    onFrame: (frame) => {
      watch.onFrame(frame);
      recorder.onFrame(frame);
    },
    ...options.csms,
  });
  undo.push(() => csms.close());
  const start = (env: Record<string, string>): Promise<GatewayProcess> => {
    const folder = temporaryFolder();
    undo.push(() => folder.remove());
    const shared = { DATABASE_URL: postgres.url, PUBLIC_URL: 'http://127.0.0.1:9', JWT_SECRET: secret };
    const started = new GatewayProcess(folder.path, { ...shared, ...options.env, ...env });
    undo.push(() => endAll(started));
    return started.start();
  };
  const wires = await Promise.all(Array.from({ length: options.workers ?? 3 }, () => openWire(nats.url)));
  for (const wire of wires) undo.push(() => wire.close());
  // Some run their chargers in themselves, some in a process of their own.
  const kinds = wires.map(() => (next() < 0.5 ? '0' : '1'));
  const [workers, apis] = await Promise.all([
    Promise.all(wires.map(({ url }, index) => start({ ROLE: 'worker', NATS_URL: url, WORKERS: kinds[index] ?? '1' }))),
    Promise.all(Array.from({ length: options.apis ?? 2 }, () => start({ ROLE: 'api', NATS_URL: nats.url }))),
  ]);
  const bearer = await token();
  const client = async (): Promise<Client> => new Client((apis.at(-1) as GatewayProcess).url, bearer);
  const stage = { next, postgres, nats, workers, wires, apis, recorder, watch, csmsUrl: csms.url, client, close };
  return { ...stage, chargers: await createChargers(await client(), csms.url, options.chargers) };
}

async function createChargers(client: Client, ws_url: string, count: number): Promise<StreamCharger[]> {
  const chargers: StreamCharger[] = [];
  for (let at = 0; at < count; at += createAtOnce) {
    const numbers = Array.from({ length: Math.min(createAtOnce, count - at) }, (_, index) => at + index);
    const created = await Promise.all(
      numbers.map((number) =>
        client.create({
          identity: `CP-${String(number).padStart(4, '0')}`,
          ws_url,
          ocpp_version: versions[number % versions.length],
        }),
      ),
    );
    chargers.push(...created.map(({ id, identity }: Json) => ({ id, identity })));
  }
  return chargers;
}

/** What a process tells of itself, by name; labels are part of the name. */
export async function metricsOf({ url }: GatewayProcess): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return new Map([...text.matchAll(/^(chargesim_\S+) (\S+)$/gm)].map(([, name, value]) => [name ?? '', Number(value)]));
}

export async function sumOf(processes: readonly GatewayProcess[], name: string): Promise<number> {
  const all = await Promise.all(processes.map((each) => metricsOf(each).catch(() => new Map<string, number>())));
  return all.reduce((sum, each) => sum + (each.get(name) ?? 0), 0);
}

export const untilConnected = (client: Client, { workers, chargers }: Stage, patienceMs = 120_000): Promise<void> =>
  client.until(
    'all chargers are connected',
    async () => (await sumOf(workers, 'chargesim_chargers_connected')) === chargers.length,
    patienceMs,
  );

/** A process and everything that it has started. */
export const treeOf = ({ pid }: GatewayProcess): readonly number[] => [pid, ...childrenOf(pid)];

export function signalAll(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It has ended by itself.
    }
  }
}

/** Also one that stands still. */
async function endAll(gateway: GatewayProcess): Promise<void> {
  try {
    signalAll(treeOf(gateway), 'SIGKILL');
  } catch {
    // It was never started.
  }
  await gateway.end('SIGKILL');
}
