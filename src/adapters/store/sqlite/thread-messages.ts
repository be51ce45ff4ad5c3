// What the gateway's thread and the writing thread say to each other.

import type { Answer, Fragment } from './transaction.ts';

/** Every request is answered once, in order, save the pieces of a batch before its last. */
export type ThreadRequest =
  | { readonly kind: 'batch'; readonly first: boolean; readonly last: boolean; readonly fragments: readonly Fragment[] }
  /** The batch begun will not be ended. */
  | { readonly kind: 'abandon' }
  | { readonly kind: 'checkpoint'; readonly mode: 'passive' | 'restart' }
  | { readonly kind: 'close' };

export type ThreadReply =
  | { readonly kind: 'answers'; readonly answers: readonly Answer[] }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly message: string };
