// What askers and owners of chargers say to each other over NATS.

import type { FailureCode } from '../../errors.ts';
import type { FleetCensus, Question, Statuses } from '../../ports/ask.ts';

export interface Asking {
  readonly chargerId: string;
  readonly question: Question;
  readonly timeoutMs: number;
}

export type Answering = { readonly answer: unknown } | { readonly failed: FailureCode; readonly sentence: string };

/** Put to all at once: each answers for what it owns. */
export interface StatusesAsking {
  readonly chargerIds: readonly string[];
}

export interface StatusesAnswering {
  /** Those of the chargers' partitions that this one owns. */
  readonly partitions: readonly number[];
  readonly statuses: readonly (readonly [chargerId: string, statuses: Statuses])[];
}

export interface CensusAnswering {
  /** How many this one owns. */
  readonly partitions: number;
  readonly census: FleetCensus;
}

export const askSubject = (prefix: string, partition: number): string => `${prefix}.ask.${partition}`;
export const statusesSubject = (prefix: string): string => `${prefix}.statuses`;
export const censusSubject = (prefix: string): string => `${prefix}.census`;
