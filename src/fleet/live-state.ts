// How a running charger is, put together for whoever asks.

import { liveCharger } from '../charger/live.ts';
import type { Conversation } from '../ocpp/conversation.ts';
import type { LiveState, Runtime } from '../ports/ask.ts';

export function liveState(conversation: Conversation, runtime: Runtime, url: string, nowMs: number): LiveState {
  const { line, outbox, slice, dialect } = conversation;
  const charger = liveCharger(conversation.charger, nowMs);
  const sessions = charger.connectors.flatMap(({ transaction }) =>
    transaction === null ? [] : [transaction.sessionId],
  );
  const { state, sinceMs, attempts, lastError } = line;
  return {
    runtime,
    connection: { state, url, sinceMs, attempts, lastError },
    charger,
    transactionIds: Object.fromEntries(sessions.map((id) => [id, dialect.transactionId(slice, id)])),
    queuedMessages: outbox.queue.length + (outbox.inFlight === null ? 0 : 1),
  };
}
