// What became of a command, for the record.

import { commandEnded } from '../commands/command-ended.ts';
import type { Task } from '../ocpp/task.ts';
import type { NewFleetEvent } from '../ports/feed.ts';
import type { ChargerRecord, CommandOutcome } from '../ports/store.ts';
import { eventOf } from './kept.ts';

export function outcomeOf(task: Task, finishedAtMs: number): CommandOutcome {
  const { commandId, startedAtMs, exchanges, failure, result } = task;
  return {
    commandId,
    status: failure === null ? 'succeeded' : 'failed',
    errorCode: failure?.refused ?? null,
    error: failure?.sentence ?? null,
    result,
    startedAtMs,
    finishedAtMs,
    exchanges,
  };
}

/** What is told of commands that have ended. */
export function endingsOf(record: ChargerRecord, ended: readonly Task[], atMs: number): readonly NewFleetEvent[] {
  return ended.map(({ commandId, eventType, failure }) => {
    const [errorCode, error] = [failure?.refused ?? null, failure?.sentence ?? null];
    const { type, data } = commandEnded({ commandId, eventType, errorCode, error });
    return eventOf(record, type, data, atMs);
  });
}
