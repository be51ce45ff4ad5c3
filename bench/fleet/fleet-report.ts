// What a held fleet is judged by, and how that is told.

import type { Latencies } from './probe.ts';

export interface ProcessUse {
  readonly name: string;
  readonly cpuCores: number;
  readonly memoryMb: number;
}

export interface FleetResult {
  readonly chargers: number;
  readonly charging: number;
  readonly minutes: number;
  /** By its CSMS, before the fleet was watched. */
  readonly accepted: number;
  /** From the first request to create them until all were accepted. */
  readonly bootS: number;
  /** Not connected at the end, and connections made anew meanwhile. */
  readonly dropped: number;
  readonly reconnected: number;
  readonly missedHeartbeats: number;
  readonly processes: readonly ProcessUse[];
  readonly commands: Latencies;
  readonly reads: Latencies;
}

const longestP99Ms = 250;

/** What is wrong with it, a sentence each; nothing when the fleet was held. */
export function faults(result: FleetResult): readonly string[] {
  const { chargers, accepted, dropped, reconnected, missedHeartbeats, commands, reads } = result;
  const found: string[] = [];
  if (accepted < chargers) found.push(`${chargers - accepted} chargers were not accepted`);
  if (dropped > 0) found.push(`${dropped} chargers are not connected`);
  if (reconnected > 0) found.push(`${reconnected} connections had to be made anew`);
  if (missedHeartbeats > 0) found.push(`${missedHeartbeats} times a charger was silent for too long`);
  for (const [what, { count, failures, p99Ms }] of [['commands', commands] as const, ['reads', reads] as const]) {
    if (count === 0) found.push(`no ${what} were answered`);
    if (failures > 0) found.push(`${failures} ${what} failed`);
    if (p99Ms > longestP99Ms) found.push(`one of a hundred ${what} took longer than ${longestP99Ms} ms`);
  }
  return found;
}

const rounded = (number: number): number => Number(number.toFixed(2));

export function fleetJson(result: FleetResult): string {
  const { processes, commands, reads } = result;
  const latencies = ({ count, failures, p50Ms, p95Ms, p99Ms }: Latencies) => ({
    count,
    failures,
    p50_ms: rounded(p50Ms),
    p95_ms: rounded(p95Ms),
    p99_ms: rounded(p99Ms),
  });
  return JSON.stringify({
    name: 'fleet',
    chargers: result.chargers,
    charging: result.charging,
    minutes: result.minutes,
    accepted: result.accepted,
    boot_s: rounded(result.bootS),
    dropped: result.dropped,
    reconnected: result.reconnected,
    missed_heartbeats: result.missedHeartbeats,
    cpu_cores: rounded(total(processes, 'cpuCores')),
    memory_mb: rounded(total(processes, 'memoryMb')),
    processes: processes.map(({ name, cpuCores, memoryMb }) => ({
      name,
      cpu_cores: rounded(cpuCores),
      memory_mb: rounded(memoryMb),
    })),
    commands: latencies(commands),
    reads: latencies(reads),
    ok: faults(result).length === 0,
  });
}

export function fleetText(result: FleetResult): string {
  const { processes, commands, reads } = result;
  const latencies = (what: string, { count, p50Ms, p95Ms, p99Ms }: Latencies): string =>
    `${what}: ${count}, p50 ${p50Ms.toFixed(1)} ms, p95 ${p95Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`;
  const use = ({ name, cpuCores, memoryMb }: ProcessUse): string =>
    `${name}: ${cpuCores.toFixed(2)} cores, ${memoryMb.toFixed(0)} MB`;
  const sum = { name: 'together', cpuCores: total(processes, 'cpuCores'), memoryMb: total(processes, 'memoryMb') };
  return [
    `${result.chargers} chargers, ${result.charging} of them charging, watched for ${result.minutes} min`,
    `accepted ${result.accepted} in ${result.bootS.toFixed(0)} s, dropped ${result.dropped}, reconnected ${result.reconnected}, missed heartbeats ${result.missedHeartbeats}`,
    ...[...processes, sum].map(use),
    latencies('commands', commands),
    latencies('reads', reads),
    ...faults(result).map((fault) => `NOT HELD: ${fault}`),
  ].join('\n');
}

const total = (processes: readonly ProcessUse[], of: 'cpuCores' | 'memoryMb'): number =>
  processes.reduce((sum, each) => sum + each[of], 0);
