// A command and what became of it, as clients see it.

import type { QueuedCommand } from '../ports/queue.ts';
import type { CommandRecord } from '../ports/store.ts';
import type { CommandFailure, CommandResource, CommandResponse } from './command-schema.ts';
import { instant, instantOrNull } from './schema.ts';

export function commandResponseView(
  queued: readonly QueuedCommand[],
  failed: readonly CommandFailure[],
): CommandResponse {
  return {
    targeted_count: queued.length + failed.length,
    queued_count: queued.length,
    failed_count: failed.length,
    results: queued.map(({ id, chargerId, identity, eventType, ocppVersion, payload }) => ({
      charger_id: chargerId,
      identity,
      command: { id, event_type: eventType, ocpp_version: ocppVersion, payload },
    })),
    failed: [...failed],
  };
}

export function commandView(record: CommandRecord): CommandResource {
  return {
    id: record.id,
    event_type: record.eventType,
    charger_id: record.chargerId,
    identity: record.identity,
    ocpp_version: record.ocppVersion,
    payload: record.payload,
    status: record.status,
    error_code: record.errorCode,
    error: record.error,
    result: record.result ?? null,
    accepted_at: instant(record.acceptedAtMs),
    started_at: instantOrNull(record.startedAtMs),
    finished_at: instantOrNull(record.finishedAtMs),
    exchanges: record.exchanges.map(({ atMs, action, messageId, request, response, error }) => ({
      at: instant(atMs),
      action,
      message_id: messageId,
      request: request ?? null,
      response: response ?? null,
      error,
    })),
  };
}
