// How long commands and reads take while a fleet is being held: one of each now and then, as an operator would.

import type { Bench } from '../bench.ts';
import type { Gateway } from '../gateway.ts';

export interface Latencies {
  readonly count: number;
  readonly failures: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

/** A charger that has a session. */
export interface Commanded {
  readonly id: string;
  readonly identity: string;
}

const everyMs = 100;

export class Probe {
  readonly #gateway: Gateway;
  readonly #commanded: readonly Commanded[];
  readonly #commandsMs: number[] = [];
  readonly #readsMs: number[] = [];
  readonly #failures = { commands: 0, reads: 0 };
  #turn = 0;

  constructor(gateway: Gateway, commanded: readonly Commanded[]) {
    this.#gateway = gateway;
    this.#commanded = commanded;
  }

  get commands(): Latencies {
    return latenciesOf(this.#commandsMs, this.#failures.commands);
  }

  get reads(): Latencies {
    return latenciesOf(this.#readsMs, this.#failures.reads);
  }

  /** Until the time is up. Requests do not wait for each other: a slow one must not hide others. */
  async run(bench: Bench, untilMs: number): Promise<void> {
    const underWay = new Set<Promise<void>>();
    while (performance.now() < untilMs) {
      const request = this.#request();
      underWay.add(request);
      void request.finally(() => underWay.delete(request));
      await bench.sleep(everyMs);
    }
    await Promise.all(underWay);
  }

  #request(): Promise<void> {
    const turn = this.#turn++;
    const { id, identity } = this.#commanded[turn % this.#commanded.length] ?? { id: '', identity: '' };
    if (turn % 2 === 0) {
      const event = { power_w: 5_000 + (turn % 1_000) };
      return this.#timed('commands', () => this.#gateway.command('power-update', { charger_id: id }, event));
    }
    const path = turn % 4 === 1 ? '/ocpp/chargers?limit=20' : `/ocpp/simulators/${encodeURIComponent(identity)}`;
    return this.#timed('reads', () => this.#gateway.get(path));
  }

  async #timed(kind: 'commands' | 'reads', request: () => Promise<unknown>): Promise<void> {
    const startedMs = performance.now();
    try {
      await request();
    } catch {
      this.#failures[kind]++;
      return;
    }
    (kind === 'commands' ? this.#commandsMs : this.#readsMs).push(performance.now() - startedMs);
  }
}

function latenciesOf(tookMs: readonly number[], failures: number): Latencies {
  const sorted = tookMs.toSorted((one, other) => one - other);
  const percentile = (share: number): number => sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
  return {
    count: sorted.length,
    failures,
    p50Ms: percentile(0.5),
    p95Ms: percentile(0.95),
    p99Ms: percentile(0.99),
  };
}
