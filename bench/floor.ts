// The floor as a case sees it: so many plain clients, started and up, ready to be measured.

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type Bench, pathOf } from './bench.ts';
import type { Version } from './bench-case.ts';
import type { FloorSettings } from './floor-chargers.ts';
import type { Stub } from './stub.ts';

export interface FloorOptions {
  readonly version: Version;
  readonly chargers: number;
  readonly heartbeatS?: number;
}

export interface Floor {
  readonly child: ChildProcess;
  /** From the first dialling until all were up. */
  readonly bootCpuMs: number;
  stop(): Promise<void>;
}

export async function startFloor(bench: Bench, stub: Stub, options: FloorOptions): Promise<Floor> {
  const { version, chargers, heartbeatS = null } = options;
  bench.stage(`bringing ${chargers} plain clients up`);
  const since = await stub.counts();
  const settings: FloorSettings = { version, urls: stub.urls, chargers, heartbeatS };
  const child = bench.spawn('the floor', [pathOf('./floor-chargers.ts'), JSON.stringify(settings)], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  await bench.orEnd(once(child, 'message'));
  const beforeMs = bench.cpuMs(child);
  child.send('go');
  await stub.allBooted(version, chargers, since);
  return {
    child,
    bootCpuMs: bench.cpuMs(child) - beforeMs,
    async stop() {
      await bench.kill(child);
      await stub.allGone();
    },
  };
}
