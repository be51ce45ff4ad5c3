// Tells the owners of chargers to read their deployments again, until they say that they have heard it.

import type { Clock } from '../../ports/clock.ts';
import { partitionOf } from '../../ports/partition.ts';
import type { Nats } from '../nats/connection.ts';

export interface RefreshesParts {
  readonly nats: Nats;
  readonly clock: Clock;
  readonly subjectOf: (partition: number) => string;
}

const answerMs = 2_000;
const retryMs = 500;
const chargersPerMessage = 1_000;
/**
 * An owner that does not answer for so many attempts, which is longer than a lease lasts, owns the charger no longer; and the next one
 * reads everything.
 */
const mostAttempts = 20;
/** As many as one fleet has, or nearly; the rest of them is left to what a new owner reads. */
const mostWaiting = 200_000;

export class Refreshes {
  readonly #parts: RefreshesParts;
  /** Chargers whose owners have not answered, and how often they were asked. */
  readonly #waiting = new Map<string, number>();
  #cancelRetry: (() => void) | null = null;
  #isStopped = false;

  constructor(parts: RefreshesParts) {
    this.#parts = parts;
  }

  async tell(chargerIds: readonly string[]): Promise<void> {
    const groups = [...Map.groupBy(chargerIds, partitionOf)].flatMap(([partition, ids]) =>
      Array.from({ length: Math.ceil(ids.length / chargersPerMessage) }, (_, index) => ({
        partition,
        ids: ids.slice(index * chargersPerMessage, (index + 1) * chargersPerMessage),
      })),
    );
    await Promise.all(groups.map(({ partition, ids }) => this.#tellOwner(partition, ids)));
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelRetry?.();
    this.#waiting.clear();
  }

  async #tellOwner(partition: number, ids: readonly string[]): Promise<void> {
    const { nats, subjectOf } = this.#parts;
    if (!nats.isConnected) return this.#tellLater(ids, 0);
    try {
      await nats.connection.request(subjectOf(partition), JSON.stringify(ids), { timeout: answerMs });
      for (const id of ids) this.#waiting.delete(id);
    } catch {
      this.#tellLater(ids, nats.isConnected ? 1 : 0);
    }
  }

  #tellLater(ids: readonly string[], attempts: number): void {
    for (const id of ids) {
      const made = (this.#waiting.get(id) ?? 0) + attempts;
      const isOver = made >= mostAttempts || (!this.#waiting.has(id) && this.#waiting.size >= mostWaiting);
      if (isOver) this.#waiting.delete(id);
      else this.#waiting.set(id, made);
    }
    if (this.#waiting.size === 0 || this.#cancelRetry !== null || this.#isStopped) return;
    const { clock } = this.#parts;
    this.#cancelRetry = clock.at(clock.nowMs() + retryMs, () => {
      this.#cancelRetry = null;
      void this.tell([...this.#waiting.keys()]);
    });
  }
}
