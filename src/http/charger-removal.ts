// Taking chargers away: they stop as they would for a reboot, and then there is nothing left of them.

import { endedEvent } from '../commands/command-ended.ts';
import type { HttpDependencies } from './dependencies.ts';

/** One that does not stop in time is deleted all the same. */
export async function removeChargers(
  { store, queue, feed, ask, clock }: HttpDependencies,
  org: string,
  ids: readonly string[],
  withinMs: number,
): Promise<void> {
  if (ids.length === 0) return;
  await store.changeChargers(org, ids, { desired: 'stopped' }, clock.nowMs());
  await queue.refresh(ids);
  await Promise.allSettled(ids.map((id) => ask.ask(id, { kind: 'stopped' }, withinMs)));
  const atMs = clock.nowMs();
  const { ended } = await store.deleteChargers(org, ids, atMs);
  if (ended.length > 0) feed.publish(ended.map((each) => endedEvent(each, atMs)));
  await queue.refresh(ids);
}
