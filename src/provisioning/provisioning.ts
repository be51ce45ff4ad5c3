// How far a charger has come from its creation to being of use, as a state machine.

export type ProvisioningStatus = 'pending' | 'provisioning' | 'ready' | 'failed';

/** `register`: stored, nobody runs it yet; `start`: its runtime comes up; `connect`: it dials its CSMS; `boot`: the CSMS must accept it. */
export type ProvisioningStep = 'register' | 'start' | 'connect' | 'boot' | 'done';

export interface Provisioning {
  readonly status: ProvisioningStatus;
  readonly step: ProvisioningStep;
  /** How often the present step has failed. */
  readonly attempts: number;
  /** Why it last failed; null when it has not, or is done. */
  readonly error: string | null;
  readonly startedAtMs: number;
  readonly finishedAtMs: number | null;
}

/** After this long a charger counts as failed; it goes on trying all the same. */
export const provisioningLimitMs = 10 * 60_000;

export const newProvisioning = (atMs: number): Provisioning => ({
  status: 'pending',
  step: 'register',
  attempts: 0,
  error: null,
  startedAtMs: atMs,
  finishedAtMs: null,
});

/** Of a charger that shall not run: there is nothing more to be done. */
export const provisionedStopped = (atMs: number): Provisioning => ({
  ...newProvisioning(atMs),
  status: 'ready',
  step: 'done',
  finishedAtMs: atMs,
});

export type ProvisioningNews =
  | { readonly kind: 'started' }
  | { readonly kind: 'not_started'; readonly error: string }
  | { readonly kind: 'not_connected'; readonly error: string }
  | { readonly kind: 'connected' }
  | { readonly kind: 'not_accepted'; readonly error: string }
  | { readonly kind: 'accepted' }
  /** Time has passed. */
  | { readonly kind: 'time' };

/** What the news makes of it; the same value when nothing has changed. Once ready it stays so. */
export function provisioned(before: Provisioning, news: ProvisioningNews, atMs: number): Provisioning {
  if (before.status === 'ready') return before;
  const after = step(before, news, atMs);
  if (after.status === 'failed' || after.status === 'ready' || atMs - after.startedAtMs < provisioningLimitMs)
    return after;
  return {
    ...after,
    status: 'failed',
    finishedAtMs: atMs,
    error: after.error ?? 'not accepted by its CSMS within 10 minutes',
  };
}

function step(before: Provisioning, news: ProvisioningNews, atMs: number): Provisioning {
  switch (news.kind) {
    case 'started':
      return before.step === 'register' || before.step === 'start' ? moved(before, 'connect') : before;
    case 'not_started':
      return stuck(before, 'start', news.error);
    case 'not_connected':
      return stuck(before, 'connect', news.error);
    case 'connected':
      return before.step === 'boot' ? before : moved(before, 'boot');
    case 'not_accepted':
      return stuck(before, 'boot', news.error);
    case 'accepted':
      return { ...before, status: 'ready', step: 'done', attempts: 0, error: null, finishedAtMs: atMs };
    case 'time':
      return before;
  }
}

const moved = (before: Provisioning, to: ProvisioningStep): Provisioning => ({
  ...before,
  status: before.status === 'failed' ? 'failed' : 'provisioning',
  step: to,
  attempts: 0,
});

const stuck = (before: Provisioning, at: ProvisioningStep, error: string): Provisioning => ({
  ...moved(before, at),
  attempts: before.step === at ? before.attempts + 1 : 1,
  error,
});
