// A question to one running charger, answered by whoever runs it.

import type { LiveCharger } from '../charger/live.ts';
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

export interface Questions {
  live: { question: { readonly kind: 'live' }; answer: LiveState };
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
}
