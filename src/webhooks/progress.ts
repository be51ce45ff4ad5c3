// How deliveries go on: what a success and a failure make of a webhook, and when to try again.

import type { WebhookProgress } from '../ports/store.ts';
import type { Delivered } from '../ports/webhooks.ts';

/** The wait after the first failure doubles with each that follows. */
const firstRetryMs = 1_000;
const longestRetryMs = 5 * 60_000;

export function newProgress(after: string): WebhookProgress {
  return { state: 'active', after, failures: 0, failingSinceMs: null, lastError: null, deliveredAtMs: null };
}

/** Null when the receiver has taken the message; otherwise what is wrong, and whether it never wants to hear anything again. */
export function complaintOf(delivered: Delivered): { readonly error: string; readonly isFinal: boolean } | null {
  if (delivered.kind === 'failed') return { error: delivered.error, isFinal: false };
  const { status } = delivered;
  if (status >= 200 && status < 300) return null;
  return { error: `the receiver answered ${status}`, isFinal: status === 410 };
}

export function afterSuccess(progress: WebhookProgress, atMs: number): WebhookProgress {
  return { ...progress, failures: 0, failingSinceMs: null, deliveredAtMs: atMs };
}

export function afterFailure(
  progress: WebhookProgress,
  { error, isFinal }: { readonly error: string; readonly isFinal: boolean },
  atMs: number,
  disableAfterMs: number,
): WebhookProgress {
  const failingSinceMs = progress.failingSinceMs ?? atMs;
  const isLost = isFinal || atMs - failingSinceMs >= disableAfterMs;
  return {
    ...progress,
    state: isLost ? 'disabled' : 'active',
    failures: progress.failures + 1,
    failingSinceMs,
    lastError: error,
  };
}

/** Between half and all of the doubled wait, as `chance` (0 to 1) has it: those who fail together shall not come back together. */
export function retryDelayMs(failures: number, chance: number): number {
  const wholeMs = Math.min(firstRetryMs * 2 ** Math.max(0, failures - 1), longestRetryMs);
  return Math.round(wholeMs * (0.5 + chance / 2));
}
