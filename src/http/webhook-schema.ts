// Webhooks as clients see them, and what they send to create them.

import Type from 'typebox';
import { eventTypes } from '../events/event.ts';
import type { WebhookRecord } from '../ports/store.ts';
import { closed, instant, instantOrNull, nullable, optional, pageOf, text, timestamp, word } from './schema.ts';

const types = Type.Array(word(eventTypes), { minItems: 1, uniqueItems: true });

const fields = {
  id: Type.String(),
  url: Type.String(),
  types: nullable(Type.Array(Type.String()), 'Only events of these types; null: all.'),
  charger_id: nullable(Type.String(), 'Only events of this charger; null: of all.'),
  location_id: nullable(Type.String(), 'Only events of this location; null: of all.'),
  state: word(['active', 'disabled'], {
    description:
      '`disabled`: the receiver has answered 410, or nothing could be delivered for too long. Delivering again enables it.',
  }),
  failures: Type.Integer({ description: 'How often in a row it was tried in vain; 0 after a success.' }),
  failing_since: nullable(timestamp(), 'The first of these failures.'),
  last_error: nullable(Type.String(), 'What went wrong last, also when it goes well again.'),
  last_delivered_at: nullable(timestamp(), 'The last success.'),
  last_event_id: Type.String({ description: 'The event up to which everything has been delivered.' }),
  created_at: timestamp(),
};

export const webhook = Type.Object(fields, { title: 'Webhook' });
export type WebhookResource = Type.Static<typeof webhook>;

export const webhookPage = pageOf('WebhookPage', webhook);

export const createdWebhook = Type.Object(
  {
    ...fields,
    secret: Type.String({
      description: 'What deliveries are signed with, as Standard Webhooks says. Shown here and never again.',
    }),
  },
  { title: 'CreatedWebhook' },
);

export const newWebhook = closed(
  {
    url: text(2_048, {
      description: 'An http:// or https:// address. Redirects are not followed.',
    }),
    types: optional(types, 'Only events of these types; all when left out.'),
    charger_id: optional(text(64), 'Only events of this charger.'),
    location_id: optional(text(64), 'Only events of this location.'),
  },
  { title: 'NewWebhook' },
);

export const redelivery = closed(
  { after: optional(text(64), 'The id of an event; everything that is kept when left out.') },
  { title: 'Redelivery' },
);

export function webhookView({ id, url, chargerId, locationId, createdAtMs, ...rest }: WebhookRecord): WebhookResource {
  const { state, after, failures, failingSinceMs, lastError, deliveredAtMs } = rest.progress;
  return {
    id,
    url,
    types: rest.types.length === 0 ? null : [...rest.types],
    charger_id: chargerId,
    location_id: locationId,
    state,
    failures,
    failing_since: instantOrNull(failingSinceMs),
    last_error: lastError,
    last_delivered_at: instantOrNull(deliveredAtMs),
    last_event_id: after,
    created_at: instant(createdAtMs),
  };
}

export const webhookExample: WebhookResource = {
  id: '019a8b20-4c11-7a55-8d3e-6f0a1b2c3d4e',
  url: 'https://example.com/hooks/chargers',
  types: ['transaction.ended'],
  charger_id: null,
  location_id: null,
  state: 'active',
  failures: 0,
  failing_since: null,
  last_error: null,
  last_delivered_at: '2026-11-14T10:00:00.000Z',
  last_event_id: '000001-00000000a8',
  created_at: '2026-11-14T09:00:00.000Z',
};
