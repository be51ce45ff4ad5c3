// The stub CSMS as a case sees it: several destinations, one sum of what they heard.

import type { ChildProcess } from 'node:child_process';
import { type Bench, pathOf } from './bench.ts';
import type { Version } from './bench-case.ts';
import { statusesPerBoot } from './boot-script.ts';
import type { FromStub, StubCounts, ToStub } from './stub-csms.ts';

/** A process each: one could neither answer a large fleet in time nor hold all its sockets. */
const addresses = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];

/** A charger that failed to connect tries again after some tens of seconds. */
const longestStandstillMs = 90_000;

export class Stub {
  readonly urls: readonly string[];
  readonly #bench: Bench;
  readonly #children: readonly ChildProcess[];

  static async start(bench: Bench): Promise<Stub> {
    const children = addresses.map((address) =>
      bench.spawn('the stub CSMS', [pathOf('./stub-csms.ts'), address], {
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      }),
    );
    const listening = await bench.orEnd(Promise.all(children.map((child) => heard(child, 'listening'))));
    const urls = listening.map(({ url }) => url);
    return new Stub(bench, children, urls);
  }

  private constructor(bench: Bench, children: readonly ChildProcess[], urls: readonly string[]) {
    this.#bench = bench;
    this.#children = children;
    this.urls = urls;
  }

  /** What the next chargers to boot are told. */
  setHeartbeat(intervalS: number): void {
    this.#send({ kind: 'heartbeat', intervalS });
  }

  async counts(): Promise<StubCounts> {
    const answers = Promise.all(this.#children.map((child) => heard(child, 'counts')));
    this.#send({ kind: 'count' });
    const counts = await this.#bench.orEnd(answers);
    const actions = new Set(counts.flatMap(({ calls }) => Object.keys(calls)));
    return {
      opened: counts.reduce((sum, { opened }) => sum + opened, 0),
      open: counts.reduce((sum, { open }) => sum + open, 0),
      calls: Object.fromEntries(
        [...actions].map((action) => [action, counts.reduce((sum, { calls }) => sum + (calls[action] ?? 0), 0)]),
      ),
    };
  }

  async heartbeats(): Promise<number> {
    return (await this.counts()).calls['Heartbeat'] ?? 0;
  }

  /** Until so many chargers have come up since then and all is quiet. Each once, or it was not the work to be measured. */
  async allBooted(version: Version, chargers: number, since: StubCounts): Promise<void> {
    const wanted = chargers * (1 + statusesPerBoot(version));
    let moved = { calls: -1, atMs: 0 };
    await this.#bench.until(async () => {
      const { boots, statuses } = bootsSince(since, await this.counts());
      const calls = boots + statuses;
      this.#bench.detail(`${boots} of ${chargers} booted`);
      if (calls !== moved.calls) moved = { calls, atMs: performance.now() };
      else if (performance.now() - moved.atMs > longestStandstillMs) {
        throw new Error(
          `${boots} of ${chargers} boots and ${statuses} of ${wanted - chargers} statuses came, and no more do`,
        );
      }
      return boots >= chargers && calls >= wanted;
    }, 100);
    await this.#bench.sleep(this.#bench.sizes.quietMs);
    const now = await this.counts();
    const { boots, statuses } = bootsSince(since, now);
    if (boots !== chargers || boots + statuses !== wanted || now.opened - since.opened !== chargers) {
      throw new Error(
        `${chargers} chargers made ${now.opened - since.opened} connections, ${boots} boots and ${statuses} statuses ` +
          `where the floor makes ${chargers}, ${chargers} and ${wanted - chargers}`,
      );
    }
  }

  async allGone(): Promise<void> {
    await this.#bench.until(async () => (await this.counts()).open === 0);
  }

  #send(message: ToStub): void {
    for (const child of this.#children) child.send(message);
  }
}

function bootsSince(since: StubCounts, now: StubCounts): { readonly boots: number; readonly statuses: number } {
  const more = (action: string): number => (now.calls[action] ?? 0) - (since.calls[action] ?? 0);
  return { boots: more('BootNotification'), statuses: more('StatusNotification') };
}

function heard<Kind extends FromStub['kind']>(
  child: ChildProcess,
  kind: Kind,
): Promise<Extract<FromStub, { kind: Kind }>> {
  return new Promise((resolve) => {
    const hear = (message: FromStub): void => {
      if (message.kind !== kind) return;
      child.off('message', hear);
      resolve(message as Extract<FromStub, { kind: Kind }>);
    };
    child.on('message', hear);
  });
}
