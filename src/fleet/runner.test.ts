// When a charger takes commands, when they have ended, and when it has stopped.

import { beforeAll, describe, expect, it } from 'vitest';
import { command, member, World } from '../../test/fleet-world.ts';
import { loadDialect } from '../ocpp/dialects.ts';

beforeAll(() => loadDialect('1.6'));

/** Holds every commit back until the function is called. */
function hold(world: World): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  world.hold = promise;
  return () => {
    world.hold = null;
    resolve();
  };
}

const told = (world: World): string[] =>
  world.events.map(({ type }) => type).filter((type) => type.startsWith('command.'));

describe('a charger', () => {
  it('takes commands as soon as it starts when its line is cut by hand: only they can bring it back', async () => {
    const before = new World();
    await before.run(member('A'), command('A', 'set_connectivity', { online: false, mode: 'close' }));
    const world = new World();
    await world.run(member('A', before.memoryOf('id-A')), command('A', 'plug_connector'));
    expect(world.outcomes).toMatchObject([{ status: 'succeeded' }]);
    await world.run(command('A', 'set_connectivity', { online: true }));
    expect(world.actions).toContain('BootNotification');
  });

  it('tells of no command that it has ended before that is on record', async () => {
    const world = new World();
    await world.run(member('A'));
    world.csms = 'silent';
    await world.run(command('A', 'proxy_message', { action: 'Heartbeat', payload: {}, validate: true }));
    const release = hold(world);
    world.clock.advance(31_000);
    await world.settle();
    expect(told(world)).toEqual([]);
    release();
    await world.settle();
    expect(told(world)).toEqual(['command.failed']);
    expect(world.outcomes).toMatchObject([{ status: 'failed', errorCode: 'csms_error' }]);
  });

  it('has stopped when all that it did is on record', async () => {
    const world = new World();
    await world.run(member('A'), command('A', 'set_connectivity', { online: false, mode: 'close' }));
    const release = hold(world);
    world.fleet.deliver([command('A', 'plug_connector'), member('A', null, { desired: 'stopped' })]);
    let outcomes: number | null = null;
    void world.fleet.ask('id-A', { kind: 'stopped' }).then(() => {
      outcomes = world.outcomes.length;
    });
    await world.settle();
    expect(outcomes).toBeNull();
    release();
    await world.settle();
    expect(outcomes).toBe(2);
    expect(told(world)).toEqual(['command.succeeded', 'command.succeeded']);
  });
});
