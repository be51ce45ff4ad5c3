// What becomes durable together, and what waits for it.

import type { Act } from '../ocpp/conversation.ts';
import type { NewFleetEvent } from '../ports/feed.ts';
import type { Commit } from '../ports/store.ts';
import type { FleetHost } from './host.ts';
import type { Runner } from './runner.ts';

export interface Batch {
  readonly commits: Commit[];
  /** What may be told once they are durable. */
  readonly events: NewFleetEvent[];
  readonly waiting: { readonly runner: Runner; readonly acts: readonly Act[]; readonly atMs: number }[];
}

/** The chargers whose commits were not kept. */
export interface Unkept {
  /** And why. */
  readonly failed: ReadonlyMap<string, unknown>;
  /** Another process owns them now. */
  readonly fenced: readonly string[];
}

/** All together, or where that fails each charger's by itself: one charger's trouble is not its neighbours'. */
export async function commitBatch(host: FleetHost, { commits, events }: Batch, isAwaited: boolean): Promise<Unkept> {
  try {
    return { failed: new Map(), fenced: await host.commit(commits, events, !isAwaited) };
  } catch (error) {
    const perCharger = Map.groupBy(commits, ({ chargerId }) => chargerId);
    const failed = new Map<string, unknown>();
    const fenced: string[] = [];
    if (perCharger.size === 1) for (const id of perCharger.keys()) failed.set(id, error);
    else {
      for (const [id, own] of perCharger) {
        const told = events.filter(({ chargerId }) => chargerId === id);
        await host.commit(own, told).then(
          (others) => fenced.push(...others),
          (reason: unknown) => failed.set(id, reason),
        );
      }
    }
    return { failed, fenced };
  }
}
