// What a turn of a charger's conversation means for its provisioning.

import type { Conversation } from '../ocpp/conversation.ts';
import type { ProvisioningNews } from '../provisioning/provisioning.ts';

const time: ProvisioningNews = { kind: 'time' };

/** The latest news between two moments; that time has passed, when nothing else has happened. */
export function provisioningNews(before: Conversation, after: Conversation): ProvisioningNews {
  if (after.charger.boot !== before.charger.boot) {
    const { status, retryAtMs } = after.charger.boot;
    if (status === 'Accepted') return { kind: 'accepted' };
    if (retryAtMs !== null) {
      const error =
        status === 'none' ? 'the CSMS did not answer the boot' : `the CSMS answered the boot with ${status}`;
      return { kind: 'not_accepted', error };
    }
  }
  if (after.line.attempts > before.line.attempts) {
    return { kind: 'not_connected', error: after.line.lastError ?? 'the connection failed' };
  }
  return after.charger.online && !before.charger.online ? { kind: 'connected' } : time;
}
