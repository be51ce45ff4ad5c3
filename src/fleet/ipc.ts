// What the gateway and its fleet processes say to each other, as JSON: that costs half of what the richer encoding does.

import type { Question } from '../ports/ask.ts';
import type { NewFleetEvent } from '../ports/feed.ts';
import type { Commit } from '../ports/store.ts';
import type { FleetProblem } from './host.ts';
import type { Delivery } from './member.ts';

export type ToShard =
  | { readonly kind: 'deliver'; readonly deliveries: readonly Delivery[] }
  | { readonly kind: 'ask'; readonly id: number; readonly chargerId: string; readonly question: Question }
  | { readonly kind: 'statuses'; readonly id: number; readonly chargerIds: readonly string[] }
  | { readonly kind: 'census'; readonly id: number }
  | {
      readonly kind: 'committed';
      readonly id: number;
      readonly error: string | null;
      readonly fenced: readonly string[];
    }
  | { readonly kind: 'unkept'; readonly chargerIds: readonly string[]; readonly error: string }
  /** Nobody waited for these commits, and they were left out. */
  | { readonly kind: 'fenced'; readonly commits: readonly Pick<Commit, 'chargerId' | 'epoch'>[] }
  | { readonly kind: 'hold'; readonly untilSteadyMs: number }
  | { readonly kind: 'release'; readonly id: number; readonly partitions: readonly number[] }
  | { readonly kind: 'abandon'; readonly partitions: readonly number[] }
  | { readonly kind: 'sleep' };

/** A fleet process sends several at a time, in order: a message is costly, whatever is in it. */
export type FromShard =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'commit';
      /** Null: nobody waits for it. */
      readonly id: number | null;
      readonly commits: readonly Commit[];
      /** To be published when they are durable. */
      readonly events: readonly NewFleetEvent[];
    }
  | { readonly kind: 'publish'; readonly events: readonly NewFleetEvent[] }
  | { readonly kind: 'lost'; readonly chargerIds: readonly string[] }
  | { readonly kind: 'complain'; readonly problem: FleetProblem }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly kind: 'noAnswer'; readonly id: number; readonly code: string; readonly sentence: string }
  | { readonly kind: 'asleep' };
