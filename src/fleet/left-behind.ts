// What a turn of a charger leaves behind: its memory, the commands that it has begun and those that have ended.

import type { Act, Conversation, Turn } from '../ocpp/conversation.ts';
import type { NewFleetEvent } from '../ports/feed.ts';
import type { ChargerRecord, Commit } from '../ports/store.ts';
import { isAsked } from './askers.ts';
import type { Kept } from './kept.ts';
import { endingsOf, outcomeOf } from './outcome.ts';

/** Added to the commit that has what is to be kept of the memory; null for nothing. */
export function keptOf(record: ChargerRecord, turn: Turn, before: Conversation, commit: () => Commit): Kept | null {
  if (before.tasks.length === 0 && turn.conversation.tasks.length === 0 && !turn.acts.some(isOutcome)) {
    return turn.keep === 'now' ? { commit: commit(), events: nothing } : null;
  }
  const ended = turn.acts.flatMap((act) => (act.kind === 'outcome' && !isAsked(act.task.commandId) ? [act.task] : []));
  if (turn.keep !== 'now' && ended.length === 0) return null;
  const outcomes = ended.map((task) => outcomeOf(task, turn.atMs));
  const isKnown = (commandId: string): boolean => before.tasks.some((known) => known.commandId === commandId);
  const begun = turn.keep === 'now' ? turn.conversation.tasks.filter(({ commandId }) => !isKnown(commandId)) : [];
  const applied = begun.map(({ commandId, startedAtMs }) => ({ commandId, startedAtMs }));
  return {
    commit: {
      ...commit(),
      ...(applied.length === 0 ? {} : { applied }),
      ...(outcomes.length === 0 ? {} : { outcomes }),
    },
    events: endingsOf(record, ended, turn.atMs),
  };
}

const isOutcome = ({ kind }: Act): boolean => kind === 'outcome';
const nothing: readonly NewFleetEvent[] = Object.freeze([]);
