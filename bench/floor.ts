// The floor as a case sees it: so many plain clients, started and up, ready to be measured.

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type Bench, pathOf } from './bench.ts';
import type { Version } from './bench-case.ts';
import type { FloorSettings, ToFloor } from './floor-chargers.ts';
import type { Stub } from './stub.ts';

export interface Floor {
  readonly child: ChildProcess;
  /** From the first dialling until all were up. */
  readonly bootCpuMs: number;
  tell(message: ToFloor): void;
  stop(): Promise<void>;
}

export async function startFloor(bench: Bench, stub: Stub, version: Version, chargers: number): Promise<Floor> {
  bench.stage(`bringing ${chargers} plain clients up`);
  const since = await stub.counts();
  const settings: FloorSettings = { version, urls: stub.urls, chargers };
  const child = bench.spawn('the floor', [pathOf('./floor-chargers.ts'), JSON.stringify(settings)], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const tell = (message: ToFloor): void => void child.send(message);
  await bench.orEnd(once(child, 'message'));
  const beforeMs = bench.cpuMs(child);
  tell({ kind: 'dial' });
  await stub.allBooted(version, chargers, since);
  return {
    child,
    bootCpuMs: bench.cpuMs(child) - beforeMs,
    tell,
    async stop() {
      await bench.kill(child);
      await stub.allGone();
    },
  };
}
