// A question to one running charger, answered by whoever runs it.

import type { LiveCharger } from '../charger/live.ts';
import type { ConnectorStatus } from '../charger/report.ts';
import type { LogPage, LogQuery } from './journal.ts';

export interface Runtime {
  readonly desired: 'running' | 'stopped';
  readonly actual: 'starting' | 'running' | 'stopping' | 'stopped' | 'crashed';
  readonly sinceMs: number;
  readonly lastError: string | null;
}

export interface Connection {
  readonly state: 'connecting' | 'connected' | 'offline' | 'closed';
  readonly url: string;
  readonly sinceMs: number;
  readonly attempts: number;
  readonly lastError: string | null;
}

export interface LiveState {
  readonly runtime: Runtime;
  readonly connection: Connection;
  readonly charger: LiveCharger;
  /** What the CSMS calls each running session; null while it has no name. */
  readonly transactionIds: Readonly<Record<string, string | null>>;
  readonly queuedMessages: number;
}

/** The status of each outlet, in order. */
export type Statuses = readonly ConnectorStatus[];

export interface Questions {
  live: { question: { readonly kind: 'live' }; answer: LiveState };
  /** Answered when nothing runs of this charger any more; the time-out is the asker's. */
  stopped: { question: { readonly kind: 'stopped' }; answer: true };
  /**
   * Runs a command in its turn, behind those that were accepted before, and answers when what it did is durable. Withdrawn when it
   * has not begun within `withinMs`: then it is never run.
   */
  run: {
    question: {
      readonly kind: 'run';
      readonly eventType: string;
      readonly payload: Readonly<Record<string, unknown>>;
      readonly withinMs: number;
    };
    answer: { readonly result: unknown } | { readonly refused: string; readonly sentence: string };
  };
  /** Answered when everything in the charger's log so far can be read by others. */
  logged: { question: { readonly kind: 'logged' }; answer: true };
  logs: { question: { readonly kind: 'logs'; readonly query: LogQuery }; answer: LogPage };
}

export type Question = Questions[keyof Questions]['question'];
export type AnswerTo<Kind extends keyof Questions> = Questions[Kind]['answer'];

export interface Ask {
  /**
   * Puts the question to the process that runs this charger. A charger whose process is just being restarted is waited for.
   * Fails with `no_answer` after `timeoutMs`, and with `not_running` when nobody knows the charger.
   */
  ask<Kind extends keyof Questions>(
    chargerId: string,
    question: Extract<Question, { kind: Kind }>,
    timeoutMs?: number,
  ): Promise<AnswerTo<Kind>>;

  /** How the outlets of many chargers are; a charger that does not run, or whose process does not answer in time, is left out. */
  statuses(chargerIds: readonly string[]): Promise<ReadonlyMap<string, Statuses>>;

  /** How the fleet is doing as a whole. */
  census(): Promise<FleetCensus>;
}

export interface FleetCensus {
  /** Fleet processes that answered, and that should have. */
  readonly processes: { readonly alive: number; readonly expected: number };
  readonly running: number;
  readonly connected: number;
  /** OCPP frames since their processes started. */
  readonly framesIn: number;
  readonly framesOut: number;
  /** Of a fleet that many processes share: how many of its parts somebody answers for. */
  readonly partitions?: number;
}
