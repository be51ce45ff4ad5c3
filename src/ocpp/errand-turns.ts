// An errand has been done: a request that waited for it is answered, or the charger takes what came of it.

import type { Errand, ErrandResult } from '../charger/errand.ts';
import { errandReturned } from '../charger/service.ts';
import { type Act, follow, type Turn } from './conversation.ts';
import { answerAfterErrand } from './incoming.ts';
import { goOnRestarting } from './line-turns.ts';

export type ErrandAct = Extract<Act, { kind: 'errand' }>;

export function errandDone(
  turn: Turn,
  { errand, reply }: { errand: Errand; reply: ErrandAct['reply'] },
  result: ErrandResult,
): void {
  const { charger } = turn.conversation;
  if (reply !== null) answerAfterErrand(turn, reply, result);
  else follow(turn, errandReturned(charger, errand, result, turn.atMs), null);
  // A key must not be lost whose certificate has been asked for.
  if (turn.conversation.charger !== charger) turn.keep = 'now';
  goOnRestarting(turn);
}
