// Has the events of the feed delivered to every webhook: each at its own pace, each from where it was.

import type { Store, WebhookRecord } from '../ports/store.ts';
import type { WebhookDesk } from '../ports/webhooks.ts';
import { Sender, type SenderParts } from './sender.ts';

export interface DeliveriesParts extends Omit<SenderParts, 'keep'> {
  readonly store: Store;
}

/** What is under way when everything stops has so long to end. */
const graceMs = 2_000;

export class Deliveries implements WebhookDesk {
  readonly #parts: DeliveriesParts;
  readonly #senders = new Map<string, Sender>();
  readonly #unsubscribe: () => void;

  constructor(parts: DeliveriesParts) {
    this.#parts = parts;
    this.#unsubscribe = parts.feed.subscribe(() => {
      for (const sender of this.#senders.values()) sender.tell();
    });
  }

  /** Takes up what is stored. */
  async start(): Promise<void> {
    for (const webhook of await this.#parts.store.webhooks()) this.add(webhook);
  }

  /** Makes those that are delivered to agree with what is stored. */
  async follow(): Promise<void> {
    const webhooks = await this.#parts.store.webhooks();
    const ids = new Set(webhooks.map(({ id }) => id));
    for (const id of this.#senders.keys()) if (!ids.has(id)) this.remove(id);
    for (const webhook of webhooks) this.add(webhook);
  }

  refusal(url: string): string | null {
    return this.#parts.courier.refusal(url);
  }

  add(webhook: WebhookRecord): void {
    if (this.#senders.has(webhook.id)) return;
    const keep: SenderParts['keep'] = (id, progress) => this.#parts.store.keepProgress(id, progress);
    this.#senders.set(webhook.id, new Sender(webhook, { ...this.#parts, keep }));
  }

  remove(webhookId: string): void {
    void this.#senders.get(webhookId)?.stop();
    this.#senders.delete(webhookId);
  }

  async redeliver(webhookId: string, after: string): Promise<WebhookRecord | null> {
    return (await this.#senders.get(webhookId)?.redeliver(after)) ?? null;
  }

  async stop(): Promise<void> {
    const { clock, courier } = this.#parts;
    this.#unsubscribe();
    const cancel = clock.at(clock.nowMs() + graceMs, () => courier.close());
    await Promise.all([...this.#senders.values()].map((sender) => sender.stop()));
    cancel();
    courier.close();
  }
}
