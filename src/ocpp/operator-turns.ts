// What an operator does to a charger: a command is a task until every call that it caused has ended.

import { type Charger, isRefusal, type Refusal, type Step } from '../charger/charger.ts';
import { change, changeTaskOf, follow, log, type Turn } from './conversation.ts';
import { cutPower, holdLine } from './line-turns.ts';
import { masked } from './masking.ts';
import { newTask } from './task.ts';

/** Runs an operator's command on the charger. */
export function runCommand(
  turn: Turn,
  command: { readonly id: string; readonly eventType: string; readonly payload: unknown },
  apply: (charger: Charger) => Step | Refusal,
): void {
  const raw = masked(JSON.stringify(command.payload));
  log(turn, { direction: 'internal', kind: 'command', action: command.eventType, raw, commandId: command.id });
  turn.keep = 'now';
  const task = newTask(command, turn.atMs);
  change(turn, { tasks: [...turn.conversation.tasks, task] });
  const outcome = apply(turn.conversation.charger);
  if (isRefusal(outcome)) changeTaskOf(turn, command.id, () => ({ ...task, failure: outcome }));
  else follow(turn, outcome, command.id);
  for (const hand of turn.hands.splice(0)) {
    if (hand.kind === 'line') holdLine(turn, hand.wanted, hand.drop);
    else cutPower(turn, hand.offMs);
  }
}
