// The stub CSMS as a case sees it: several destinations, one sum of what they heard.

import type { ChildProcess } from 'node:child_process';
import { type Bench, pathOf } from './bench.ts';
import type { Version } from './bench-case.ts';
import { statusesPerBoot } from './script.ts';
import type { FromStub, StubCounts, ToStub } from './stub-csms.ts';

/** A process each: one could neither answer a large fleet in time nor hold all its sockets. */
const fewestDestinations = 3;

/** A charger that failed to connect tries again after some tens of seconds. */
const longestStandstillMs = 90_000;

/** How many calls, and how long they were. */
export interface Heard {
  readonly calls: number;
  readonly bytes: number;
}

export class Stub {
  readonly urls: readonly string[];
  readonly #bench: Bench;
  readonly #children: readonly ChildProcess[];
  #onHeard: (() => void) | null = null;

  static async start(bench: Bench, destinations = fewestDestinations): Promise<Stub> {
    const children = Array.from({ length: destinations }, (_, index) =>
      bench.spawn('the stub CSMS', [pathOf('./stub-csms.ts'), `127.0.0.${index + 1}`], {
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      }),
    );
    const listening = await bench.orEnd(Promise.all(children.map((child) => heard(child, 'listening'))));
    return new Stub(
      bench,
      children,
      listening.map(({ url }) => url),
    );
  }

  private constructor(bench: Bench, children: readonly ChildProcess[], urls: readonly string[]) {
    this.#bench = bench;
    this.#children = children;
    this.urls = urls;
    for (const child of children) {
      child.on('message', ({ kind }: FromStub) => {
        if (kind === 'heard') this.#onHeard?.();
      });
    }
  }

  /** What the next chargers to boot are told. */
  setHeartbeat(intervalS: number): void {
    this.#send({ kind: 'heartbeat', intervalS });
  }

  /** From now on `next` waits for calls of this action. */
  listenFor(action: string): void {
    this.#send({ kind: 'tell', action });
  }

  /** Resolves with the next call of the action that is listened for. */
  next(): Promise<void> {
    return this.#bench.orEnd(new Promise((resolve) => (this.#onHeard = resolve)));
  }

  /** Cuts every connection. */
  drop(): void {
    this.#send({ kind: 'drop' });
  }

  async counts(): Promise<StubCounts> {
    const answers = Promise.all(this.#children.map((child) => heard(child, 'counts')));
    this.#send({ kind: 'count' });
    const counts = await this.#bench.orEnd(answers);
    const sum = (of: (each: StubCounts) => number): number => counts.reduce((total, each) => total + of(each), 0);
    const actions = [...new Set(counts.flatMap(({ calls }) => Object.keys(calls)))];
    const perAction = (of: 'calls' | 'bytes'): Record<string, number> =>
      Object.fromEntries(actions.map((action) => [action, sum((each) => each[of][action] ?? 0)]));
    return {
      opened: sum(({ opened }) => opened),
      open: sum(({ open }) => open),
      silences: sum(({ silences }) => silences),
      calls: perAction('calls'),
      bytes: perAction('bytes'),
    };
  }

  /** What was heard since then: of these actions, or of all. */
  async heardSince(since: StubCounts, ...actions: readonly string[]): Promise<Heard> {
    const now = await this.counts();
    const counted = actions.length === 0 ? Object.keys(now.calls) : actions;
    const more = (of: 'calls' | 'bytes'): number =>
      counted.reduce((sum, action) => sum + (now[of][action] ?? 0) - (since[of][action] ?? 0), 0);
    return { calls: more('calls'), bytes: more('bytes') };
  }

  async bytesPerCall(since: StubCounts): Promise<number> {
    const { calls, bytes } = await this.heardSince(since);
    return bytes / calls;
  }

  /** Until so many calls have been heard since then. Calls beyond them are not awaited, but seen by who looks again. */
  async untilHeard(since: StubCounts, wanted: number, ...actions: readonly string[]): Promise<void> {
    let moved = { calls: -1, atMs: 0 };
    await this.#bench.until(async () => {
      const { calls } = await this.heardSince(since, ...actions);
      this.#bench.detail(`${calls} of ${wanted} calls`, calls / wanted);
      if (calls !== moved.calls) moved = { calls, atMs: performance.now() };
      else if (performance.now() - moved.atMs > longestStandstillMs) {
        throw new Error(`a standstill: ${wanted} calls were due, and ${await this.#account(since)} came`);
      }
      return calls >= wanted;
    }, 100);
  }

  /** Until so many chargers have come up since then and all is quiet. Each once, or it was not the work to be measured. */
  async allBooted(version: Version, chargers: number, since: StubCounts): Promise<void> {
    const statuses = chargers * statusesPerBoot(version);
    await this.untilHeard(since, chargers + statuses, 'BootNotification', 'StatusNotification');
    await this.#bench.sleep(this.#bench.sizes.quietMs);
    const boots = (await this.heardSince(since, 'BootNotification')).calls;
    const all = (await this.heardSince(since, 'BootNotification', 'StatusNotification')).calls;
    const { opened } = await this.counts();
    if (boots !== chargers || all !== chargers + statuses || opened - since.opened !== chargers) {
      throw new Error(
        `${chargers} chargers should make as many connections and boots and ${statuses} statuses, ` +
          `and made ${opened - since.opened} connections, ${await this.#account(since)}`,
      );
    }
  }

  /** Until so many are connected. */
  async untilOpen(wanted: number): Promise<void> {
    await this.#bench.until(async () => (await this.counts()).open === wanted);
  }

  async allGone(): Promise<void> {
    await this.untilOpen(0);
  }

  /** What came, in words. */
  async #account(since: StubCounts): Promise<string> {
    const { calls } = await this.counts();
    const more = Object.entries(calls).map(([action, count]) => [action, count - (since.calls[action] ?? 0)] as const);
    const said = more.filter(([, count]) => count > 0).map(([action, count]) => `${count} ${action}`);
    return said.length === 0 ? 'nothing' : said.join(', ');
  }

  #send(message: ToStub): void {
    for (const child of this.#children) child.send(message);
  }
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
