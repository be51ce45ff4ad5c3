// An event as clients see it: the data of a stream's message, and the body of a webhook.

import Type from 'typebox';
import { type EventResource, eventTypes } from '../events/event.ts';
import { anyObject, nullable, timestamp, word } from './schema.ts';

const event = Type.Object(
  {
    id: Type.String({ description: 'Sorts by the order of the events.' }),
    type: word(eventTypes),
    at: timestamp(),
    charger_id: Type.String(),
    identity: Type.String(),
    location_id: nullable(Type.String()),
    data: anyObject('What there is to say about it, by type.'),
  },
  { title: 'Event' },
);

export const eventExample: EventResource = {
  id: '000001-00000000a8',
  type: 'connector.status_changed',
  at: '2026-11-14T10:00:00.000Z',
  charger_id: '019a8b1e-6c3f-7d20-b7a5-0c9d5b1e7f42',
  identity: 'CP-1',
  location_id: null,
  data: { evse_id: 1, connector_id: 1, from: 'Charging', to: 'SuspendedEV' },
};

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: Type.String(),
});

/** What receivers are sent, for the description of the interface. */
export const webhookMessages = {
  event: {
    post: {
      operationId: 'receiveEvent',
      tags: ['events'],
      summary: 'An event happened',
      description:
        'Sent to every webhook that wants it, signed as [Standard Webhooks](https://www.standardwebhooks.com) says. Any 2xx within 15 s is a success; 410 disables the webhook; everything else is tried again later.',
      security: [],
      parameters: [
        header('webhook-id', 'The id of the event: the same when it is sent again.'),
        header('webhook-timestamp', 'When this attempt was made: seconds since 1970.'),
        header('webhook-signature', '`v1,` and the Base64 of the HMAC-SHA256 of `id.timestamp.body`.'),
      ],
      requestBody: { required: true, content: { 'application/json': { schema: event, example: eventExample } } },
      responses: {
        204: { description: 'The receiver has taken it.' },
        410: { description: 'The receiver wants no more of them.' },
      },
    },
  },
};
