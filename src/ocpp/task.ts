// A command under way: it ends when every call that it caused is answered, has failed, or waits on the offline queue.

import type { Payload } from './frame.ts';

export interface TaskExchange {
  readonly atMs: number;
  readonly action: string;
  readonly messageId: string;
  readonly request: Payload;
  readonly response: unknown;
  readonly error: string | null;
}

export interface Task {
  readonly commandId: string;
  readonly eventType: string;
  readonly startedAtMs: number;
  /** Calls that are not answered yet. */
  readonly open: number;
  readonly exchanges: readonly TaskExchange[];
  readonly failure: { readonly refused: string; readonly sentence: string } | null;
  readonly result: unknown;
}

export const newTask = (command: { readonly id: string; readonly eventType: string }, startedAtMs: number): Task => ({
  commandId: command.id,
  eventType: command.eventType,
  startedAtMs,
  open: 0,
  exchanges: [],
  failure: null,
  result: null,
});

export type Tasks = readonly Task[];

export function changeTask(tasks: Tasks, commandId: string | null, change: (task: Task) => Task): Tasks {
  if (commandId === null || tasks.length === 0) return tasks;
  return tasks.map((task) => (task.commandId === commandId ? change(task) : task));
}
