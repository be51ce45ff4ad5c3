// A charger has crashed: its log is told, and whoever watches over this machine.

import type { ChargerRecord } from '../ports/store.ts';
import type { Fleet } from './fleet.ts';

/** Answers with what happened, in a sentence. */
export function tellCrash(fleet: Fleet, { id, identity }: ChargerRecord, error: unknown, atMs: number): string {
  const sentence = error instanceof Error ? error.message : String(error);
  const detail = error instanceof Error ? (error.stack ?? '') : '';
  const raw = JSON.stringify({ error: sentence });
  const entry = { direction: 'internal', kind: 'lifecycle', action: 'crashed', raw } as const;
  fleet.journal.append(id, { atMs, messageId: null, latencyMs: null, commandId: null, ...entry });
  fleet.complain({ chargerId: id, sentence: `charger ${identity} has crashed: ${sentence}`, detail });
  return sentence;
}
