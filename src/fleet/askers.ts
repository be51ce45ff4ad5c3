// Who waits for the answer of a command that was put to one charger, and until when it may begin.

import { Failure } from '../errors.ts';
import type { AnswerTo } from '../ports/ask.ts';

type Answered = AnswerTo<'run'>;

interface Asker {
  readonly untilMs: number;
  readonly resolve: (answer: Answered) => void;
  readonly reject: (error: Failure) => void;
}

const prefix = 'asked-';

/** Commands that somebody waits for are not on record: their answer is all that becomes of them. */
export const isAsked = (commandId: string): boolean => commandId.startsWith(prefix);

export class Askers {
  readonly #byCommand = new Map<string, Asker>();

  /** `put` brings the command, under the id it is given, to its charger. */
  ask(number: number, untilMs: number, put: (id: string) => void): Promise<Answered> {
    const id = `${prefix}${number}`;
    return new Promise((resolve, reject) => {
      this.#byCommand.set(id, { untilMs, resolve, reject });
      put(id);
    });
  }

  /** Whether it is too late to begin this command; then whoever waited has been told, and it must not be begun. */
  isTooLate(commandId: string, nowMs: number): boolean {
    const asker = this.#byCommand.get(commandId);
    if (asker === undefined || nowMs <= asker.untilMs) return false;
    this.#byCommand.delete(commandId);
    asker.reject(new Failure('no_answer'));
    return true;
  }

  tell(commandId: string, answer: Answered): void {
    this.#byCommand.get(commandId)?.resolve(answer);
    this.#byCommand.delete(commandId);
  }

  /** The charger will not answer any more. */
  dismiss(): void {
    for (const { reject } of this.#byCommand.values()) reject(new Failure('not_running'));
    this.#byCommand.clear();
  }
}
