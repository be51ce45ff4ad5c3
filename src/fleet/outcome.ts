// What became of a command, for the record.

import type { Task } from '../ocpp/task.ts';
import type { CommandOutcome } from '../ports/store.ts';

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
