// Telling other systems of events: a courier who carries one message, and the desk that has all of them delivered.

import type { WebhookRecord } from './store.ts';

/** One event for one receiver. */
export interface WebhookMessage {
  readonly url: string;
  /** What it is signed with: `whsec_` and Base64. */
  readonly secret: string;
  /** The same whenever the message is sent again, so that receivers can tell. */
  readonly id: string;
  readonly atMs: number;
  /** JSON. */
  readonly body: string;
}

/** What came of it: the receiver's answer, or why there is none. */
export type Delivered =
  | { readonly kind: 'answered'; readonly status: number }
  | { readonly kind: 'failed'; readonly error: string };

export interface Courier {
  /** Why nothing is ever delivered to this address, as the end of a sentence that begins with it; null when it may be. */
  refusal(url: string): string | null;
  /** Carries the message once, signed. Never rejects, and takes a limited time. */
  deliver(message: WebhookMessage): Promise<Delivered>;
  /** Gives up what is under way. */
  close(): void;
}

/** Where webhooks are handed in. */
export interface WebhookDesk {
  /** As the courier's. */
  refusal(url: string): string | null;
  /** From now on events are delivered to this webhook, which has been stored. */
  add(webhook: WebhookRecord): void;
  /** Nothing more is delivered to it, save what is under way. */
  remove(webhookId: string): void;
  /**
   * Delivers, once more and to a disabled webhook too, what is kept after this event; `''` is before all. How it is with the webhook
   * then, stored; null when there is none.
   */
  redeliver(webhookId: string, after: string): Promise<WebhookRecord | null>;
}
