// Coming up: a charger announces itself after power-up, and again until the CSMS accepts it.

import { reportAllStatuses } from './changes.ts';
import { type Charger, type Step, step } from './charger.ts';
import type { Answer } from './report.ts';

/** Waited when the CSMS names no interval or does not answer at all. */
export const ownBootRetryS = 60;

/** The line to the CSMS stands. A charger that is accepted already only says how it is; any other boots first. */
export function connected(charger: Charger, atMs: number): Step {
  const online = { ...charger, online: true };
  if (charger.boot.status === 'Accepted') return reportAllStatuses(online, atMs);
  // The CSMS has told it when to ask again: a new line is no reason to ask sooner.
  return (charger.boot.retryAtMs ?? atMs) > atMs ? step(online) : announce(online);
}

export const disconnected = (charger: Charger): Step => step({ ...charger, online: false });

export function announce(charger: Charger): Step {
  const boot = { ...charger.boot, retryAtMs: null };
  return step({ ...charger, boot }, [{ kind: 'report', report: { kind: 'boot', reason: charger.boot.reason } }]);
}

export function bootAnswered(charger: Charger, answer: Extract<Answer, { kind: 'boot' }>, atMs: number): Step {
  const { status, intervalS } = answer;
  if (status !== 'Accepted') {
    const retryAtMs = atMs + (intervalS > 0 ? intervalS : ownBootRetryS) * 1000;
    return step({ ...charger, boot: { ...charger.boot, status, atMs, retryAtMs } });
  }
  const overrides =
    intervalS > 0 ? { ...charger.overrides, 'OCPPCommCtrlr.HeartbeatInterval': intervalS } : charger.overrides;
  const boot = { ...charger.boot, status, atMs, retryAtMs: null };
  const statuses = reportAllStatuses({ ...charger, overrides, boot }, atMs);
  return step(statuses.charger, [
    { kind: 'event', type: 'charger.boot_accepted', data: { interval_s: intervalS } },
    ...statuses.effects,
  ]);
}

export function bootUnanswered(charger: Charger, atMs: number): Step {
  return step({ ...charger, boot: { ...charger.boot, retryAtMs: atMs + ownBootRetryS * 1000 } });
}
