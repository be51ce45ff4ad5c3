// One case from beginning to end: the floor, the product, the floor again, each in clean surroundings.

import { Bench, type BenchOptions } from './bench.ts';
import type { BenchCase, CaseResult } from './bench-case.ts';

export interface RunOptions extends Omit<BenchOptions, 'deadlineMs' | 'tell'> {
  readonly enforced: boolean;
  readonly tell: (part: string, stage: string, detail: string) => void;
}

export async function runCase(benchCase: BenchCase, options: RunOptions): Promise<CaseResult> {
  const { name, unit, limit } = benchCase;
  const endsAtMs = performance.now() + benchCase.deadlineMs;
  const part = async (title: string, measure: (bench: Bench) => Promise<number>): Promise<number> => {
    const bench = new Bench({
      sizes: options.sizes,
      interrupted: options.interrupted,
      deadlineMs: Math.max(endsAtMs - performance.now(), 0),
      tell: (stage, detail) => options.tell(title, stage, detail),
    });
    try {
      return await measure(bench);
    } catch (error) {
      throw new Error([`${title}: ${messageOf(bench.signal.reason ?? error)}`, ...bench.complaints].join('\n'));
    } finally {
      await bench.close();
    }
  };
  const before = await part('floor before', (bench) => benchCase.floor(bench));
  const value = await part('product', (bench) => benchCase.measure(bench));
  const after = await part('floor after', (bench) => benchCase.floor(bench));
  // What disturbs a machine for a while shows in both.
  const floor = (before + after) / 2;
  if (!(value > 0 && floor > 0)) {
    throw new Error(`nothing can be said: value ${value} ${unit}, floor ${floor} ${unit}; take more chargers`);
  }
  const ratio = value / floor;
  const ok = (limit.of === 'value' ? value : ratio) <= limit.max;
  return { name, value, unit, floor, ratio, limit: limit.max, limitOf: limit.of, ok: options.enforced ? ok : null };
}

function messageOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
