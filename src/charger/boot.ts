// Coming up: a charger announces itself after power-up, and again until the CSMS accepts it.

import { reportAllStatuses } from './changes.ts';
import { andThen, type Charger, type Step, step } from './charger.ts';
import { withClockSet } from './clock.ts';
import { nextAligned } from './metering.ts';
import type { Answer } from './report.ts';
import { everydayEvent } from './security-events.ts';
import { goOnWithService } from './service.ts';
import { setting } from './settings.ts';

/** Waited when the CSMS names no interval or does not answer at all. */
export const ownBootRetryS = 60;

/** The line to the CSMS stands. A charger that is accepted already only says how it is; any other boots first. */
export function connected(charger: Charger, atMs: number): Step {
  const online = { ...charger, online: true };
  if (charger.boot.status === 'Accepted') {
    return andThen(reportAllStatuses(online, atMs), (next) => goOnWithService(next, atMs));
  }
  // The CSMS has told it when to ask again: a new line is no reason to ask sooner.
  return (charger.boot.retryAtMs ?? atMs) > atMs ? step(online) : announce(online);
}

export const disconnected = (charger: Charger): Step => step({ ...charger, online: false });

export function announce(charger: Charger): Step {
  const boot = { ...charger.boot, retryAtMs: null };
  return step({ ...charger, boot }, [{ kind: 'report', report: { kind: 'boot', reason: charger.boot.reason } }]);
}

/** The CSMS wants to be told again who is there. */
export function announceAgain(charger: Charger): Step {
  const boot = { ...charger.boot, retryAtMs: null };
  return step({ ...charger, boot }, [{ kind: 'report', report: { kind: 'boot', reason: 'Triggered' } }]);
}

export function bootAnswered(known: Charger, answer: Extract<Answer, { kind: 'boot' }>, atMs: number): Step {
  const { status, intervalS, currentTimeMs } = answer;
  const charger = withClockSet(known, currentTimeMs, atMs);
  if (status !== 'Accepted') {
    const retryAtMs = atMs + (intervalS > 0 ? intervalS : ownBootRetryS) * 1000;
    return step({ ...charger, boot: { ...charger.boot, status, atMs, retryAtMs } });
  }
  const isOther = intervalS > 0 && intervalS !== setting(charger, 'OCPPCommCtrlr.HeartbeatInterval');
  const overrides = isOther
    ? { ...charger.overrides, 'OCPPCommCtrlr.HeartbeatInterval': intervalS }
    : charger.overrides;
  const boot = { ...charger.boot, status, atMs, retryAtMs: null };
  const accepted = { ...charger, overrides, boot, aligned: charger.aligned ?? nextAligned(charger, atMs) };
  // Asked to announce itself once more, it has told its statuses before.
  if (charger.boot.status === 'Accepted') return step(accepted);
  const told: Step = step(accepted, [
    { kind: 'event', type: 'charger.boot_accepted', data: { interval_s: intervalS } },
  ]);
  const statuses = andThen(told, (next) => reportAllStatuses(next, atMs));
  const started = boot.reason === 'PowerUp' ? 'StartupOfTheDevice' : 'ResetOrReboot';
  const noted = andThen(statuses, (next) => everydayEvent(next, started, boot.atMs));
  const isClockSet = charger !== known;
  const set = isClockSet ? andThen(noted, (next) => everydayEvent(next, 'SettingSystemTime', boot.atMs)) : noted;
  return andThen(set, (next) => goOnWithService(next, atMs));
}

export function bootUnanswered(charger: Charger, atMs: number): Step {
  if (charger.boot.status === 'Accepted') return step(charger);
  return step({ ...charger, boot: { ...charger.boot, retryAtMs: atMs + ownBootRetryS * 1000 } });
}
