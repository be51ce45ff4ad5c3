// What can be asked of a fleet that is still being brought.

import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../adapters/clock/virtual.ts';
import { Failure } from '../errors.ts';
import type { Question } from '../ports/ask.ts';
import type { FleetMember } from '../ports/store.ts';
import { Dispatcher, type DispatcherParts } from './dispatcher.ts';

/** A store with one page of chargers, whose end comes when it is told to. */
function startOf(ids: readonly string[]) {
  const delivered: string[] = [];
  let reachEnd = (): void => {};
  const end = new Promise<void>((resolve) => {
    reachEnd = resolve;
  });
  const members = ids.map((id) => ({ record: { id }, memory: null }) as unknown as FleetMember);
  const parts = {
    clock: new VirtualClock(0),
    store: {
      fleetAfter: async (last: string | null) => (last === null ? members : end.then(() => [])),
      interrupt: async () => [],
    },
    queue: { subscribe: () => {}, pending: async () => [] },
    fleet: {
      deliver: (deliveries: readonly { member: FleetMember }[]) =>
        delivered.push(...deliveries.map(({ member }) => member.record.id)),
      statuses: async (chargerIds: readonly string[]) => chargerIds.map((id) => [id, []]),
      ask: async (chargerId: string, { kind }: Question) => {
        if (!delivered.includes(chargerId)) throw new Failure('not_running');
        return kind;
      },
    },
    urlOf: () => 'ws://127.0.0.1/csms',
    publish: () => {},
  } as unknown as DispatcherParts;
  const dispatcher = new Dispatcher(parts);
  return { dispatcher, started: dispatcher.start(), delivered, reachEnd };
}

const untilDelivered = async (delivered: readonly string[]): Promise<void> => {
  while (delivered.length === 0) await new Promise(setImmediate);
};

describe('while a stored fleet comes up', () => {
  it('a charger that is there already can be looked at', async () => {
    const { dispatcher, delivered } = startOf(['first']);
    await untilDelivered(delivered);
    expect(await dispatcher.ask('first', { kind: 'live' })).toBe('live');
    expect([...(await dispatcher.statuses(['first'])).keys()]).toEqual(['first']);
  });

  it('one that is not there yet is said not to run, at once', async () => {
    const { dispatcher } = startOf(['first']);
    await expect(dispatcher.ask('later', { kind: 'live' })).rejects.toThrow(new Failure('not_running'));
  });

  it('what a charger is to do waits until all are there', async () => {
    const { dispatcher, delivered, started, reachEnd } = startOf(['first']);
    await untilDelivered(delivered);
    let isDone = false;
    const run = { kind: 'run', eventType: 'authorize', payload: {}, withinMs: 1_000 } as const;
    const done = dispatcher.ask('first', run).then(() => {
      isDone = true;
    });
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
    expect(isDone).toBe(false);
    reachEnd();
    await started;
    await done;
  });
});
