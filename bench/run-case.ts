// One case from beginning to end: the floor, the product, the floor again, each in clean surroundings.

import { join } from 'node:path';
import { Bench, type BenchOptions } from './bench.ts';
import type { BenchCase, Beside, CaseResult } from './bench-case.ts';

export interface RunOptions extends Omit<BenchOptions, 'deadlineMs' | 'profilePath' | 'tell'> {
  /** The folder for profiles of the product. */
  readonly profiles: string | null;
  readonly enforced: boolean;
  /** `share`: how much of the case is done, of 1. */
  readonly tell: (stage: string, detail: string, share: number) => void;
}

/** So far apart may the lengths of messages be. */
const sameBytes = 0.1;

const parts = ['floor before', 'product', 'floor after'] as const;

export async function runCase(benchCase: BenchCase, options: RunOptions): Promise<CaseResult> {
  const { name, unit, limit } = benchCase;
  const endsAtMs = performance.now() + benchCase.deadlineMs;
  const bytes: (number | null)[] = [];
  let beside: readonly Beside[] = [];
  const part = async (number: 0 | 1 | 2, measure: (bench: Bench) => Promise<number>): Promise<number> => {
    const title = parts[number];
    const bench = new Bench({
      sizes: options.sizes,
      interrupted: options.interrupted,
      profilePath: options.profiles !== null && title === 'product' ? join(options.profiles, name) : null,
      deadlineMs: Math.max(endsAtMs - performance.now(), 0),
      tell: (stage, detail, share) => options.tell(`${title}: ${stage}`, detail, (number + share) / parts.length),
    });
    try {
      const value = await measure(bench);
      bytes.push(bench.bytesPerCall);
      if (title === 'product') beside = bench.beside;
      return value;
    } catch (error) {
      throw new Error([`${title}: ${messageOf(bench.signal.reason ?? error)}`, ...bench.complaints].join('\n'));
    } finally {
      await bench.close();
    }
  };
  const before = await part(0, (bench) => benchCase.floor(bench));
  const value = await part(1, (bench) => benchCase.measure(bench));
  // Where nothing is judged, once is enough.
  const after = options.enforced ? await part(2, (bench) => benchCase.floor(bench)) : before;
  refuseOtherWork(bytes);
  // What disturbs a machine for a while shows in both.
  const floor = (before + after) / 2;
  // Where nothing is judged, tiny sizes may drown in noise: then the ratio means nothing, and says so by being odd.
  if (options.enforced && !(value > 0 && floor > 0)) {
    throw new Error(`nothing can be said: value ${value} ${unit}, floor ${floor} ${unit}; take more chargers`);
  }
  const ratio = value / floor;
  const ok = limit === null || (limit.of === 'value' ? value : ratio) <= limit.max;
  return { name, value, unit, floor, ratio, limit, beside, ok: options.enforced ? ok : null };
}

function refuseOtherWork([floor, product]: readonly (number | null)[]): void {
  if (floor == null || product == null || Math.abs(product / floor - 1) <= sameBytes) return;
  throw new Error(
    `not the same work: a message of the product has ${Math.round(product)} bytes, one of the floor ${Math.round(floor)}`,
  );
}

function messageOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
