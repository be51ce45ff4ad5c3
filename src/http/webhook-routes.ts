// Webhooks: creating, listing, reading and deleting them, and having events delivered again.

import { randomBytes } from 'node:crypto';
import type { Store, WebhookRecord } from '../ports/store.ts';
import type { HttpDependencies } from './dependencies.ts';
import { mostWebhooks } from './limits.ts';
import { type Mount, mount } from './operation.ts';
import { contradiction, invalid, notFound } from './problem.ts';
import { closed, pageQuery } from './schema.ts';
import {
  createdWebhook,
  newWebhook,
  redelivery,
  webhook,
  webhookExample,
  webhookPage,
  webhookView,
} from './webhook-schema.ts';

const params = { webhook_id: 'The id of the webhook.' };
const secretBytes = 32;

async function webhookOf(store: Store, org: string, id: string): Promise<WebhookRecord> {
  const record = await store.webhook(org, id);
  if (record === null) throw notFound(`webhook ${id} does not exist`);
  return record;
}

export function mountWebhooks(on: Mount, { store, feed, webhooks, clock, newId }: HttpDependencies): void {
  mount(on, {
    method: 'POST',
    path: '/ocpp/webhooks',
    id: 'createWebhook',
    tag: 'events',
    summary: 'Create a webhook',
    description: `From now on events are sent to the \`url\` by POST, each with the JSON that an event stream has as its \`data\`, signed as [Standard Webhooks](https://www.standardwebhooks.com) says: \`webhook-id\` (the id of the event), \`webhook-timestamp\` and \`webhook-signature\`. Any 2xx within 15 s is a success. Everything else is tried again, at first after a second and at last every 5 minutes; 410 disables the webhook at once, and so does a day without a success. The events of one charger come in order. An event may come twice, with the same \`webhook-id\`. A charger or location that does not exist, and the webhook after the ${mostWebhooks}th, is 400.`,
    scope: 'webhooks:write',
    body: {
      schema: newWebhook,
      example: { url: webhookExample.url, types: ['transaction.ended'] },
    },
    answer: {
      status: 201,
      description: 'The webhook is stored.',
      schema: createdWebhook,
      example: { ...webhookExample, secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDUCLKPd1zF+Q=' },
      headers: { Location: 'The path of the webhook.' },
    },
    problems: [400],
    idempotent: true,
    async handle({ caller: { org }, body: { url, types, charger_id, location_id }, receipt }) {
      const refusal = webhooks.refusal(url);
      if (refusal !== null) throw invalid([{ field: 'url', message: refusal }]);
      if (charger_id != null && (await store.charger(org, charger_id)) === null) {
        throw contradiction(`charger ${charger_id} does not exist`);
      }
      if (location_id != null && (await store.location(org, location_id)) === null) {
        throw contradiction(`location ${location_id} does not exist`);
      }
      if ((await store.listWebhooks(org, 1, 1)).total >= mostWebhooks) {
        throw contradiction(`this tenant has ${mostWebhooks} webhooks, as many as it may`);
      }
      const record: WebhookRecord = {
        id: newId(),
        org,
        url,
        types: types ?? [],
        chargerId: charger_id ?? null,
        locationId: location_id ?? null,
        secret: `whsec_${randomBytes(secretBytes).toString('base64')}`,
        createdAtMs: clock.nowMs(),
        progress: {
          state: 'active',
          after: await feed.newest(),
          failures: 0,
          failingSinceMs: null,
          lastError: null,
          deliveredAtMs: null,
        },
      };
      const view = { ...webhookView(record), secret: record.secret };
      await store.createWebhook(record, receipt(view, { location: `/ocpp/webhooks/${record.id}` }));
      webhooks.add(record);
      return view;
    },
  });

  mount(on, {
    method: 'GET',
    path: '/ocpp/webhooks',
    id: 'listWebhooks',
    tag: 'events',
    summary: 'List webhooks',
    description: 'Newest first. A page past the end is empty.',
    scope: 'webhooks:write',
    query: closed(pageQuery),
    answer: {
      status: 200,
      description: 'A page of webhooks.',
      schema: webhookPage,
      example: { data: [webhookExample], total: 1, page: 1, limit: 20 },
    },
    problems: [],
    async handle({ caller: { org }, query: { page, limit } }) {
      const { items, total } = await store.listWebhooks(org, page, limit);
      return { data: items.map(webhookView), total, page, limit };
    },
  });

  mount(on, {
    method: 'GET',
    path: '/ocpp/webhooks/{webhook_id}',
    id: 'getWebhook',
    tag: 'events',
    summary: 'Get a webhook',
    description: 'And how its deliveries go, up to a second ago.',
    scope: 'webhooks:write',
    params,
    answer: { status: 200, description: 'The webhook.', schema: webhook, example: webhookExample },
    problems: [404],
    async handle({ caller: { org }, params: { webhook_id } }) {
      return webhookView(await webhookOf(store, org, webhook_id));
    },
  });

  mount(on, {
    method: 'DELETE',
    path: '/ocpp/webhooks/{webhook_id}',
    id: 'deleteWebhook',
    tag: 'events',
    summary: 'Delete a webhook',
    description: 'Nothing more is sent to it, save what is under way.',
    scope: 'webhooks:write',
    params,
    answer: { status: 204, description: 'It is gone.' },
    problems: [404],
    async handle({ caller: { org }, params: { webhook_id } }) {
      await webhookOf(store, org, webhook_id);
      await store.deleteWebhook(org, webhook_id);
      webhooks.remove(webhook_id);
    },
  });

  mount(on, {
    method: 'POST',
    path: '/ocpp/webhooks/{webhook_id}/redeliver',
    id: 'redeliverWebhook',
    tag: 'events',
    summary: 'Deliver events again',
    description:
      'Sends what is kept after the event named, also what was delivered before, and enables a webhook that was disabled. An event that there cannot have been is 400.',
    scope: 'webhooks:write',
    params,
    body: { schema: redelivery, example: { after: '000001-00000000a8' } },
    answer: {
      status: 202,
      description: 'It has begun.',
      schema: webhook,
      example: { ...webhookExample, last_delivered_at: null },
    },
    problems: [400, 404],
    idempotent: true,
    async handle({ caller: { org }, params: { webhook_id }, body: { after } }) {
      await webhookOf(store, org, webhook_id);
      if (after != null && after > (await feed.newest())) throw contradiction(`event ${after} does not exist`);
      const record = await webhooks.redeliver(webhook_id, after ?? '');
      if (record === null) throw notFound(`webhook ${webhook_id} does not exist`);
      return webhookView(record);
    },
  });
}
