// What every store promises about webhooks and how far deliveries to them have come.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WebhookProgress } from '../../src/ports/store.ts';
import { idOf, type Opened, webhookRecord } from './store-samples.ts';

export function describeWebhooks(name: string, open: () => Promise<Opened>): void {
  describe(`webhooks (${name})`, () => {
    let opened: Opened;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(async () => {
      await opened.close();
    });
    const reopen = async () => {
      opened = await opened.reopen();
    };
    const progress: WebhookProgress = {
      state: 'disabled',
      after: '000001-000000000a',
      failures: 7,
      failingSinceMs: 1_760_000_700_000,
      lastError: 'the receiver answered 500 "ü"',
      deliveredAtMs: 1_760_000_600_000,
    };

    it('are kept whole, over a restart, for their org alone', async () => {
      const plain = webhookRecord(1);
      const narrow = webhookRecord(2, { types: [], chargerId: idOf(1), locationId: idOf(2), progress });
      for (const webhook of [plain, narrow]) await opened.store.createWebhook(webhook);
      await reopen();
      expect(await opened.store.webhook('acme', plain.id)).toEqual(plain);
      expect(await opened.store.webhook('acme', narrow.id)).toEqual(narrow);
      expect(await opened.store.webhook('other', plain.id)).toBeNull();
      expect(await opened.store.webhook('acme', 'nobody')).toBeNull();
    });

    it('are listed newest first, page by page', async () => {
      for (const number of [2, 5, 1, 4, 3]) await opened.store.createWebhook(webhookRecord(number));
      await opened.store.createWebhook(webhookRecord(9, { org: 'other' }));
      const page = async (number: number) => {
        const { items, total } = await opened.store.listWebhooks('acme', number, 2);
        return [...items.map(({ id }) => id), total];
      };
      expect(await page(1)).toEqual([webhookRecord(5).id, webhookRecord(4).id, 5]);
      expect(await page(3)).toEqual([webhookRecord(1).id, 5]);
      expect(await page(4)).toEqual([5]);
      expect(await opened.store.listWebhooks('nobody', 1, 2)).toEqual({ items: [], total: 0 });
    });

    it('are all told to whoever delivers, in the order of their ids', async () => {
      expect(await opened.store.webhooks()).toEqual([]);
      const records = [3, 1, 2].map((number) => webhookRecord(number, { org: `org ${number}` }));
      for (const record of records) await opened.store.createWebhook(record);
      await reopen();
      expect(await opened.store.webhooks()).toEqual([records[1], records[2], records[0]]);
    });

    it('keep their progress, the last one that was asked for, and nothing else changes', async () => {
      for (const number of [1, 2]) await opened.store.createWebhook(webhookRecord(number));
      const { id } = webhookRecord(1);
      void opened.store.keepProgress(id, { ...progress, failures: 8 });
      await opened.store.keepProgress(id, progress);
      await reopen();
      expect(await opened.store.webhooks()).toEqual([webhookRecord(1, { progress }), webhookRecord(2)]);
    });

    it('are deleted by their org alone, and what is kept of them afterwards is nothing', async () => {
      const { id } = webhookRecord(1);
      await opened.store.createWebhook(webhookRecord(1));
      expect(await opened.store.deleteWebhook('other', id)).toBe(false);
      expect(await opened.store.deleteWebhook('acme', id)).toBe(true);
      expect(await opened.store.deleteWebhook('acme', id)).toBe(false);
      await opened.store.keepProgress(id, progress);
      await reopen();
      expect(await opened.store.webhooks()).toEqual([]);
    });
  });
}
