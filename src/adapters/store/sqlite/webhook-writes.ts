// What the calls about webhooks write.

import type { SQLInputValue } from 'node:sqlite';
import type { Receipt, WebhookProgress, WebhookRecord } from '../../../ports/store.ts';
import { receiptStatements, workOfReceipt } from './receipt-writes.ts';
import type { Write } from './write.ts';

export function webhookCreation(record: WebhookRecord, receipt?: Receipt): Write {
  const { id, org, url, types, chargerId, locationId, secret, createdAtMs, progress } = record;
  const fixed = [id, org, url, JSON.stringify(types), chargerId, locationId, secret, createdAtMs];
  return {
    size: workOfReceipt(receipt) + 1,
    refusable: receipt !== undefined,
    statements: () => [...receiptStatements(receipt), ['insertWebhook', [...fixed, ...progressValues(progress)]]],
  };
}

/** Refused when there is none. */
export function webhookDeletion(org: string, id: string): Write {
  return { size: 1, refusable: true, statements: () => [['deleteWebhook', [org, id]]] };
}

export function progressKeeping(id: string, progress: WebhookProgress): Write {
  return { size: 1, refusable: false, statements: () => [['keepProgress', [id, ...progressValues(progress)]]] };
}

/** In the order of its columns. */
function progressValues(progress: WebhookProgress): readonly SQLInputValue[] {
  const { state, after, failures, failingSinceMs, lastError, deliveredAtMs } = progress;
  return [state, after, failures, failingSinceMs, lastError, deliveredAtMs];
}
