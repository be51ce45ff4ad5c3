// The desk for webhooks of many processes: one of them delivers, and hears from the others what is handed in.

import { type Msg, RequestError, type Subscription } from '@nats-io/transport-node';
import { Failure } from '../../errors.ts';
import type { Store, WebhookRecord } from '../../ports/store.ts';
import type { Courier, WebhookDesk } from '../../ports/webhooks.ts';
import type { Nats } from '../nats/connection.ts';

/** The one that delivers. */
export interface DeliveringDesk {
  /** Makes those that are delivered to agree with what is stored. */
  follow(): Promise<void>;
  redeliver(webhookId: string, after: string): Promise<WebhookRecord | null>;
}

export interface NatsDeskOptions {
  readonly nats: Nats;
  readonly store: Pick<Store, 'webhooks' | 'keepProgress'>;
  readonly courier: Pick<Courier, 'refusal'>;
}

const answerMs = 5_000;

export class NatsDesk implements WebhookDesk {
  readonly #options: NatsDeskOptions;

  constructor(options: NatsDeskOptions) {
    this.#options = options;
  }

  refusal(url: string): string | null {
    return this.#options.courier.refusal(url);
  }

  add(): void {
    this.#tellChanged();
  }

  remove(): void {
    this.#tellChanged();
  }

  async redeliver(webhookId: string, after: string): Promise<WebhookRecord | null> {
    const { nats, store } = this.#options;
    try {
      const answer = await nats.connection.request(redeliverSubject(nats), JSON.stringify([webhookId, after]), {
        timeout: answerMs,
      });
      return answer.json<WebhookRecord | null>();
    } catch (error) {
      // One that is slow may do it yet, and would not look at what is stored.
      if (!(error instanceof RequestError && error.isNoResponders())) throw new Failure('no_answer');
      // Nobody delivers at the moment: whoever does next goes on from what is stored.
      const record = (await store.webhooks()).find(({ id }) => id === webhookId);
      if (record === undefined) return null;
      const { deliveredAtMs } = record.progress;
      const anew = {
        state: 'active',
        after,
        failures: 0,
        failingSinceMs: null,
        lastError: null,
        deliveredAtMs,
      } as const;
      await store.keepProgress(webhookId, anew);
      return { ...record, progress: anew };
    }
  }

  /** Hears for the one that delivers; what it returns ends that. */
  serve(desk: DeliveringDesk): () => void {
    const { nats } = this.#options;
    const subscriptions: Subscription[] = [
      nats.connection.subscribe(changedSubject(nats), { callback: () => void desk.follow().catch(() => {}) }),
      nats.connection.subscribe(redeliverSubject(nats), {
        callback: (_, message) =>
          void redelivered(desk, message).then(
            (record) => message.respond(JSON.stringify(record)),
            () => {},
          ),
      }),
    ];
    return () => {
      for (const subscription of subscriptions) subscription.unsubscribe();
    };
  }

  #tellChanged(): void {
    const { nats } = this.#options;
    if (nats.isConnected) nats.connection.publish(changedSubject(nats));
  }
}

const changedSubject = ({ prefix }: Nats): string => `${prefix}.webhooks.changed`;
const redeliverSubject = ({ prefix }: Nats): string => `${prefix}.webhooks.redeliver`;

async function redelivered(desk: DeliveringDesk, message: Msg): Promise<WebhookRecord | null> {
  const [id = '', after = ''] = message.json<string[]>();
  return desk.redeliver(id, after);
}
