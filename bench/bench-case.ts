// What a benchmark case is: a way to measure the product, the same for its floor, and how far apart they may be.

import type { Bench } from './bench.ts';

export const versions = ['1.6', '2.0.1', '2.1'] as const;
export type Version = (typeof versions)[number];

export interface BenchCase {
  readonly name: string;
  readonly unit: string;
  /** How much the value itself, or its ratio to the floor, may be at most. Never a time: machines differ. */
  readonly limit: { readonly of: 'value' | 'ratio'; readonly max: number };
  /** All of it, both floors included, takes no longer than this, or it has failed. */
  readonly deadlineMs: number;
  /** In the same unit, with the product out of the way. Called before and after `measure`. */
  floor(bench: Bench): Promise<number>;
  measure(bench: Bench): Promise<number>;
}

/** How large everything is in this run. */
export interface Sizes {
  readonly chargers: number;
  /** The smaller of two fleets, where a slope is measured. */
  readonly fewerChargers: number;
  readonly heartbeatS: number;
  /** From the first heartbeats to the measured ones. */
  readonly warmUpMs: number;
  /** How long a steady state is watched. */
  readonly windowMs: number;
  /** After the last message, until what follows it (flushes, commits) has been done too. */
  readonly quietMs: number;
  /** Memory counts once it has not moved for this long. */
  readonly stillMs: number;
}

export function sizesOf(chargers: number | null, quick: boolean): Sizes {
  const many = chargers ?? (quick ? 200 : 10_000);
  return {
    chargers: many,
    fewerChargers: Math.ceil(many / 5),
    heartbeatS: quick ? 1 : 4,
    warmUpMs: quick ? 1_000 : 10_000,
    windowMs: quick ? 3_000 : 30_000,
    quietMs: quick ? 1_000 : 3_000,
    stillMs: quick ? 1_000 : 5_000,
  };
}

export interface CaseResult {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly floor: number;
  readonly ratio: number;
  readonly limit: number;
  readonly limitOf: 'value' | 'ratio';
  /** Null where limits are not enforced. */
  readonly ok: boolean | null;
}

export interface CaseFailure {
  readonly name: string;
  readonly failure: string;
}
