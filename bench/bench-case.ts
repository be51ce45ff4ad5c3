// What a benchmark case is: a way to measure the product, the same for its floor, and how far apart they may be.

import type { Bench } from './bench.ts';

export const versions = ['1.6', '2.0.1', '2.1'] as const;
export type Version = (typeof versions)[number];

export interface Limit {
  readonly of: 'value' | 'ratio';
  readonly max: number;
}

export interface BenchCase {
  readonly name: string;
  readonly unit: string;
  /** How much the value itself, or its ratio to the floor, may be at most; null where that is only told. */
  readonly limit: Limit | null;
  /** All of it, both floors included, takes no longer than this, or it has failed. */
  readonly deadlineMs: number;
  /** In the same unit, with the product out of the way. Called before and after `measure`. */
  floor(bench: Bench): Promise<number>;
  measure(bench: Bench): Promise<number>;
}

/** What is told beside the value of a case. */
export interface Beside {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

/** How large everything is in this run. */
export interface Sizes {
  readonly chargers: number;
  /** The smaller of two fleets, where a slope is measured. */
  readonly fewerChargers: number;
  readonly heartbeatS: number;
  /** From the first messages to the measured ones, until what every message passes has been compiled. */
  readonly warmUpMs: number;
  /** How long a steady state is watched. */
  readonly windowMs: number;
  /** After the last message, until what follows it (flushes, commits) has been done too. */
  readonly quietMs: number;
  /** Memory counts once it has not moved for this long. */
  readonly stillMs: number;
  /** Of single commands, one after the other. */
  readonly commands: number;
  /** Of reads. */
  readonly requests: number;
  readonly logEntries: number;
}

export function sizesOf(chargers: number | null, quick: boolean): Sizes {
  const many = chargers ?? (quick ? 200 : 10_000);
  return {
    chargers: many,
    fewerChargers: Math.ceil(many / 5),
    heartbeatS: quick ? 1 : 4,
    warmUpMs: quick ? 500 : 30_000,
    windowMs: quick ? 2_000 : 20_000,
    quietMs: quick ? 500 : 3_000,
    stillMs: quick ? 500 : 5_000,
    commands: quick ? 50 : 2_000,
    requests: quick ? 200 : 4_000,
    logEntries: quick ? 20_000 : 1_000_000,
  };
}

export interface CaseResult {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly floor: number;
  /** Not a finite number when the floor was lost in noise. */
  readonly ratio: number;
  readonly limit: Limit | null;
  readonly beside: readonly Beside[];
  /** Null where limits are not enforced. */
  readonly ok: boolean | null;
}

export interface CaseFailure {
  readonly name: string;
  readonly failure: string;
}
