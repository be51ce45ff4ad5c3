// The CPU time of one heartbeat and its answer, in a fleet that does nothing else.

import type { ChildProcess } from 'node:child_process';
import type { Bench } from '../bench.ts';
import type { BenchCase, Version } from '../bench-case.ts';
import { startFloor } from '../floor.ts';
import { Installation } from '../gateway.ts';
import { Stub } from '../stub.ts';

const version: Version = '1.6';
/** Longer than any benchmark lasts. */
const neverS = 86_400;

export const cpuPerHeartbeat: BenchCase = {
  name: 'cpu-per-heartbeat',
  unit: 'µs',
  limit: { of: 'ratio', max: 1.5 },
  deadlineMs: 600_000,

  async floor(bench) {
    const { chargers, heartbeatS } = bench.sizes;
    const stub = await Stub.start(bench);
    const idle = await startFloor(bench, stub, { version, chargers });
    const idleCpuMs = (await watch(bench, stub, idle.child)).cpuMs;
    await idle.stop();
    const beating = await startFloor(bench, stub, { version, chargers, heartbeatS });
    const window = await watch(bench, stub, beating.child);
    await beating.stop();
    return perHeartbeatUs(bench, window, idleCpuMs);
  },

  async measure(bench) {
    const { chargers, heartbeatS } = bench.sizes;
    const stub = await Stub.start(bench);
    stub.setHeartbeat(neverS);
    const installation = new Installation(bench, stub, version, 'heartbeat');
    await installation.stock(chargers);
    const idle = await installation.start();
    const idleCpuMs = (await watch(bench, stub, idle.child)).cpuMs;
    await installation.kill(idle);
    stub.setHeartbeat(heartbeatS);
    const beating = await installation.start();
    const window = await watch(bench, stub, beating.child);
    await installation.kill(beating);
    return perHeartbeatUs(bench, window, idleCpuMs);
  },
};

interface Window {
  readonly cpuMs: number;
  readonly heartbeats: number;
}

async function watch(bench: Bench, stub: Stub, child: ChildProcess): Promise<Window> {
  bench.stage('waiting for the steady state');
  await bench.sleep(bench.sizes.warmUpMs);
  bench.stage('watching the steady state');
  const heartbeatsBefore = await stub.heartbeats();
  const cpuBeforeMs = bench.cpuMs(child);
  await bench.sleep(bench.sizes.windowMs);
  const cpuMs = bench.cpuMs(child) - cpuBeforeMs;
  return { cpuMs, heartbeats: (await stub.heartbeats()) - heartbeatsBefore };
}

/** The wheel turns and pings go out without heartbeats too: that is not their cost. */
function perHeartbeatUs({ sizes }: Bench, { cpuMs, heartbeats }: Window, idleCpuMs: number): number {
  const expected = (sizes.chargers * sizes.windowMs) / (sizes.heartbeatS * 1_000);
  // A fleet that does not keep the pace does other work than its floor. At the edges each charger may be one ahead or behind.
  if (Math.abs(heartbeats - expected) > expected * 0.1 + sizes.chargers) {
    throw new Error(`${heartbeats} heartbeats were heard where about ${Math.round(expected)} were due`);
  }
  return ((cpuMs - idleCpuMs) * 1_000) / heartbeats;
}
