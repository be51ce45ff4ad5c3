// Where the logs of chargers are read, by whoever runs them or by anybody where all write to one place; and how one is handed on.

import { isFailure } from '../errors.ts';
import type { Ask } from '../ports/ask.ts';
import type { Clock } from '../ports/clock.ts';
import type { JournalWriter, LogPage, LogReader } from '../ports/journal.ts';

const askTimeoutMs = 5_000;
/** A log is read without its last moments rather than late. */
const loggedTimeoutMs = 500;
/** A log holds up no charger that is handed on for longer. */
const handOnMs = 1_000;

/** On one machine: the process that runs a charger has its log. */
export function logsOfFleet(ask: Ask): LogReader {
  return {
    read: (chargerId, query) => ask.ask(chargerId, { kind: 'logs', query }, askTimeoutMs).catch(nothingLogged),
  };
}

/** On many: whoever runs the charger only writes down what it still holds. */
export function logsOfAll(ask: Ask, log: LogReader): LogReader {
  return {
    async read(chargerId, query) {
      if (query.before === undefined) await ask.ask(chargerId, { kind: 'logged' }, loggedTimeoutMs).catch(() => {});
      return log.read(chargerId, query);
    },
  };
}

/** Whoever runs these chargers next goes on with a log that is whole. */
export async function handOnLog(journal: JournalWriter, clock: Clock): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const cancel = clock.at(clock.nowMs() + handOnMs, resolve);
  await Promise.race([journal.flush(), late]);
  cancel();
}

/** Nobody knows a charger that has never run. */
function nothingLogged(error: unknown): LogPage {
  if (isFailure(error, 'not_running')) return { entries: [], next: null };
  throw error;
}
