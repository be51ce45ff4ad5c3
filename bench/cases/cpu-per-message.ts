// The CPU time of one heartbeat or one set of meter values with its answer, in a fleet that does nothing else.

import type { Bench, CpuUse, Measured } from '../bench.ts';
import type { BenchCase, Version } from '../bench-case.ts';
import { type Floor, startFloor } from '../floor.ts';
import { type Gateway, Installation } from '../gateway.ts';
import type { ScriptName } from '../script.ts';
import { locationId } from '../stock.ts';
import { Stub } from '../stub.ts';

/** Longer than any benchmark lasts. */
const neverS = 86_400;

export const heartbeats = (version: Version): MessageCase => ({
  name: `cpu-per-heartbeat-${version}`,
  version,
  max: 1.5,
  action: 'Heartbeat',
  script: 'heartbeat',
  // The CSMS names the interval when they boot: they boot again.
  async begin({ bench, stub, installation, gateway }) {
    await installation.kill(gateway);
    stub.setHeartbeat(bench.sizes.heartbeatS);
    return installation.start();
  },
});

const sampleInterval: Readonly<Record<Version, object>> = {
  '1.6': { key: 'MeterValueSampleInterval' },
  '2.0.1': { component: 'SampledDataCtrlr', variable: 'TxUpdatedInterval' },
  '2.1': { component: 'SampledDataCtrlr', variable: 'TxUpdatedInterval' },
};

export const meterValues = (version: Version): MessageCase => ({
  name: `cpu-per-meter-values-${version}`,
  version,
  max: 1.65,
  action: version === '1.6' ? 'MeterValues' : 'TransactionEvent',
  script: 'meterValues',
  beforeFloor: 'startSession',
  async begin({ bench, stub, gateway }) {
    const { chargers, heartbeatS } = bench.sizes;
    bench.stage(`starting ${chargers} sessions`);
    const target = { location_id: locationId };
    await gateway.command('set-configuration', target, { ...sampleInterval[version], value: String(heartbeatS) });
    const since = await stub.counts();
    await gateway.command('start-session', target, { id_tag: 'DEADBEEF' });
    // The start and, in 2.x, that energy flows.
    if (version === '1.6') await stub.untilHeard(since, chargers, 'StartTransaction');
    else await stub.untilHeard(since, 2 * chargers, 'TransactionEvent');
    return gateway;
  },
});

export const cpuPerHeartbeat = (version: Version): BenchCase => messageCase(heartbeats(version));
export const cpuPerMeterValues = (version: Version): BenchCase => messageCase(meterValues(version));

interface Product {
  readonly bench: Bench;
  readonly stub: Stub;
  readonly installation: Installation;
  readonly gateway: Gateway;
}

export interface MessageCase {
  readonly name: string;
  readonly version: Version;
  readonly max: number;
  readonly action: string;
  readonly script: ScriptName;
  /** What the floor says first. */
  readonly beforeFloor?: ScriptName;
  /** Makes an idle fleet send them. */
  begin(product: Product): Promise<Gateway>;
}

function messageCase(messages: MessageCase): BenchCase {
  const { name, version, max, action, script, beforeFloor } = messages;
  return {
    name,
    unit: 'µs',
    limit: { of: 'ratio', max },
    deadlineMs: 600_000,

    async floor(bench) {
      const { chargers, heartbeatS } = bench.sizes;
      const stub = await Stub.start(bench);
      const floor: Floor = await startFloor(bench, stub, version, chargers);
      const idle = await watch(bench, stub, floor.child, action, 'idle');
      if (beforeFloor !== undefined) floor.tell({ kind: 'say', script: beforeFloor });
      await bench.sleep(bench.sizes.quietMs);
      floor.tell({ kind: 'repeat', script, everyS: heartbeatS });
      return perMessageUs(bench, await watch(bench, stub, floor.child, action), idle);
    },

    measure: (bench) => messageUs(bench, messages, new Installation(bench, 'fleet')),
  };
}

export async function messageUs(
  bench: Bench,
  { version, action, begin }: MessageCase,
  installation: Installation,
): Promise<number> {
  const stub = await Stub.start(bench);
  stub.setHeartbeat(neverS);
  await installation.stock(stub, version, bench.sizes.chargers);
  const gateway = await installation.start();
  const idle = await watch(bench, stub, gateway.children, action, 'idle');
  const speaking = await begin({ bench, stub, installation, gateway });
  return perMessageUs(bench, await watch(bench, stub, speaking.children, action), idle);
}

interface Window extends CpuUse {
  readonly messages: number;
  readonly bytes: number;
}

async function watch(bench: Bench, stub: Stub, measured: Measured, action: string, idle?: 'idle'): Promise<Window> {
  bench.stage('waiting for the steady state');
  await bench.sleep(idle === undefined ? bench.sizes.warmUpMs : bench.sizes.stillMs);
  bench.stage('watching the steady state');
  const since = await stub.counts();
  const use = await bench.cpuDuring(measured, () => bench.sleep(bench.sizes.windowMs));
  const { calls, bytes } = await stub.heardSince(since, action);
  return { ...use, messages: calls, bytes };
}

/** The wheel turns and pings go out without these messages too: that is not their cost. */
function perMessageUs(bench: Bench, { cpuMs, besideMs, messages, bytes }: Window, idle: Window): number {
  const { chargers, windowMs, heartbeatS } = bench.sizes;
  const expected = (chargers * windowMs) / (heartbeatS * 1_000);
  // A fleet that does not keep the pace does other work than its floor. At the edges each charger may be one ahead or behind.
  if (Math.abs(messages - expected) > expected * 0.1 + chargers) {
    throw new Error(`${messages} messages were heard where about ${Math.round(expected)} were due`);
  }
  bench.bytesPerCall = bytes / messages;
  const more = Object.entries(besideMs).map(([name, ms]) => [name, ms - (idle.besideMs[name] ?? 0)]);
  bench.tellBeside(Object.fromEntries(more), messages);
  return ((cpuMs - idle.cpuMs) * 1_000) / messages;
}
