// The line to the CSMS as the charger knows it, and how long it waits before it dials again.

import type { Charger } from '../charger/charger.ts';
import { draw } from '../charger/random.ts';
import type { BootReason } from '../charger/report.ts';
import { setting } from '../charger/settings.ts';

export interface Line {
  readonly state: 'connecting' | 'connected' | 'offline' | 'closed';
  readonly sinceMs: number;
  /** Failed attempts since the last success. */
  readonly attempts: number;
  readonly backOffMs: number;
  readonly retryAtMs: number | null;
  /** Somebody has cut it on purpose: it is not dialled until they let it be. */
  readonly held: boolean;
  /** Somebody wants it back while it is still going down: then it is dialled at once. */
  readonly redial: boolean;
  readonly restart: Restart | null;
  readonly lastError: string | null;
  /** When it was last known to stand: pings are counted from there. */
  readonly pingedAtMs: number;
}

/** The charger is about to go down and come up again. */
export interface Restart {
  /** How long it is off once the line is gone. */
  readonly offMs: number;
  readonly reason: BootReason;
  /** It waits until then for the CSMS to hear what is to be said; null: the line is going down already. */
  readonly byMs: number | null;
  /** How often it may fail to go down, and when it is tried again. */
  readonly triesLeft: number;
  readonly notBeforeMs: number;
}

export const closedLine = (atMs: number): Line => ({
  state: 'closed',
  sinceMs: atMs,
  attempts: 0,
  backOffMs: 0,
  retryAtMs: null,
  held: false,
  redial: false,
  restart: null,
  lastError: null,
  pingedAtMs: atMs,
});

/** Doubles with each failure up to a cap, with chance added so that a fleet does not return in step. */
export function backedOff(line: Line, charger: Charger, atMs: number, error: string): [line: Line, charger: Charger] {
  const [chance, rest] = draw(charger.chance);
  const randomMs = chance * setting(charger, 'OCPPCommCtrlr.RetryBackOffRandomRange') * 1000;
  const attempts = line.attempts + 1;
  const repeats = setting(charger, 'OCPPCommCtrlr.RetryBackOffRepeatTimes');
  const baseMs =
    attempts === 1
      ? setting(charger, 'OCPPCommCtrlr.RetryBackOffWaitMinimum') * 1000
      : line.backOffMs * (attempts <= repeats + 1 ? 2 : 1);
  const backOffMs = Math.round(attempts <= repeats + 1 ? baseMs + randomMs : baseMs);
  const offline: Line = {
    state: 'offline',
    sinceMs: line.state === 'offline' ? line.sinceMs : atMs,
    attempts,
    backOffMs,
    retryAtMs: line.held ? null : atMs + backOffMs,
    held: line.held,
    redial: false,
    restart: null,
    lastError: error,
    pingedAtMs: atMs,
  };
  return [offline, { ...charger, chance: rest }];
}

/** It is being closed from this side: nothing more is said on it. */
export const isGoingDown = ({ redial, restart }: Line): boolean => redial || restart?.byMs === null;

/** When to ping next; Infinity when pings are off. */
export function pingDueMs(line: Line, charger: Charger): number {
  const intervalS = setting(charger, 'OCPPCommCtrlr.WebSocketPingInterval');
  return intervalS > 0 && line.state === 'connected' ? line.pingedAtMs + intervalS * 1000 : Number.POSITIVE_INFINITY;
}
