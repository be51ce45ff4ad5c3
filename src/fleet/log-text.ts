// The files that a charger sends when it is asked for its logs: its own log as diagnostics, or its security events.

import type { ErrandOf } from '../charger/errand.ts';
import type { JournalWriter } from '../ports/journal.ts';

/** The latest, where there are more. */
const maxEntries = 1_000;
const pageSize = 200;

type Wanted = Pick<ErrandOf<'send-log'>, 'log' | 'events' | 'sinceMs' | 'untilMs'>;

export async function logText(journal: JournalWriter, chargerId: string, wanted: Wanted): Promise<Uint8Array> {
  const lines = wanted.log === 'security' ? securityLines(wanted) : await diagnosticLines(journal, chargerId, wanted);
  return Buffer.from(lines.map((line) => `${line}\n`).join(''));
}

function securityLines({ events, sinceMs, untilMs }: Wanted): readonly string[] {
  return events
    .filter(({ atMs }) => atMs >= (sinceMs ?? atMs) && atMs <= (untilMs ?? atMs))
    .map(({ atMs, type, info }) => `${moment(atMs)} ${type}${info === null ? '' : ` ${info}`}`);
}

/** Oldest first; secrets were masked when it was written. */
async function diagnosticLines(journal: JournalWriter, chargerId: string, { sinceMs, untilMs }: Wanted) {
  const lines: string[] = [];
  let before: string | null = null;
  do {
    const page = await journal.read(chargerId, {
      limit: pageSize,
      ...(before === null ? {} : { before }),
      ...(sinceMs === null ? {} : { sinceMs }),
      ...(untilMs === null ? {} : { untilMs }),
    });
    for (const { atMs, direction, kind, action, raw } of page.entries) {
      lines.push(`${moment(atMs)} ${direction} ${kind} ${action ?? '-'} ${raw}`);
    }
    before = page.next;
  } while (before !== null && lines.length < maxEntries);
  return lines.reverse();
}

const moment = (atMs: number): string => new Date(atMs).toISOString();
