// A fleet that has a share of the chargers: what it hands on, what it lets go at once, and that it never acts for another's.

import { beforeAll, describe, expect, it } from 'vitest';
import { command, member, World } from '../../test/fleet-world.ts';
import { loadDialect } from '../ocpp/dialects.ts';
import { partitionOf } from '../ports/partition.ts';
import type { Delivery } from './member.ts';
import { steadyMs } from './steady.ts';

const under = (epoch: number, delivery: Delivery): Delivery =>
  delivery.kind === 'member' ? { ...delivery, epoch } : delivery;
const [ofA, ofB] = [partitionOf('id-A'), partitionOf('id-B')];

const closed: number[] = [];

async function running(): Promise<World> {
  const world = new World();
  await world.run(under(7, member('A')), under(7, member('B')));
  await world.run(command('A', 'start_session', { id_tag: 'TAG' }));
  closed.length = 0;
  for (const [index, peer] of world.peers.entries()) peer.onClose = () => closed.push(index);
  return world;
}

/** Everything that others can know of it. */
const traces = ({ actions, commits, events }: World) => [actions.length, commits.length, events.length];

describe('a fleet with a share of the chargers', () => {
  beforeAll(() => loadDialect('1.6'));

  it('has none of those left that it has let go, even if their last memory could not be kept', async () => {
    const world = await running();
    world.unkeepable.add('id-A');
    await expect(world.fleet.release([ofA])).rejects.toThrow('cannot be kept');
    world.unkeepable.clear();
    world.actions.splice(0);
    await world.run(under(8, member('A')));
    expect(world.actions).toContain('BootNotification');
  });

  it('signs everything that a charger leaves behind with the epoch under which it was taken over', async () => {
    const world = await running();
    world.clock.advance(3_600_000);
    await world.settle();
    expect(new Set(world.commits.map(({ epoch }) => epoch))).toEqual(new Set([7]));
  });

  it('hands on the chargers of a partition with their sessions, and goes on with the others', async () => {
    const world = await running();
    const released = world.fleet.release([ofA]);
    await world.settle();
    world.clock.advance(3_000);
    await released;
    expect(closed).toEqual([0]);
    await expect(world.fleet.ask('id-A', { kind: 'live' })).rejects.toMatchObject({ code: 'not_running' });
    const [before, boots] = [world.memoryOf('id-A'), world.actions.filter((action) => action === 'BootNotification')];
    await world.run(under(8, member('A', before)));
    expect((await world.fleet.ask('id-A', { kind: 'live' })).charger.connectors[0]?.transaction).toMatchObject({
      idTag: 'TAG',
    });
    expect(world.actions.filter((action) => action === 'BootNotification')).toEqual(boots);
    expect(world.commits.findLast(({ chargerId }) => chargerId === 'id-A')?.epoch).toBe(8);
  });

  it('lets a partition go at once: nothing more is said, kept or told of its chargers', async () => {
    const world = await running();
    let goOn = (): void => {};
    world.hold = new Promise((resolve) => {
      goOn = resolve;
    });
    world.fenced.add('id-A');
    await world.run(command('A', 'stop_session'));
    const before = traces(world);
    world.fleet.abandon([ofA]);
    goOn();
    await world.settle();
    expect(traces(world)).toEqual(before);
    expect(closed).toEqual([0]);
    expect((await world.fleet.ask('id-B', { kind: 'live' })).runtime.actual).toBe('running');
  });

  it('performs nothing of a commit that was left out, and drops its charger', async () => {
    const world = await running();
    world.fenced.add('id-A');
    const before = traces(world);
    await world.run(command('A', 'stop_session'));
    expect(traces(world)).toEqual(before);
    await expect(world.fleet.ask('id-A', { kind: 'live' })).rejects.toMatchObject({ code: 'not_running' });
    expect(world.problems).toEqual([]);
  });

  it('does not drop a charger that is back under another tenure', async () => {
    const world = await running();
    world.fleet.abandon([ofA]);
    await world.run(under(9, member('A', world.memoryOf('id-A'))));
    world.fleet.fenced([{ chargerId: 'id-A', epoch: 7 }]);
    expect((await world.fleet.ask('id-A', { kind: 'live' })).runtime.actual).toBe('running');
  });

  it('that was held up for too long says not another word, and asks for its chargers again', async () => {
    const world = await running();
    world.fleet.hold(steadyMs() - 1);
    const before = [world.actions.length, world.events.length];
    world.clock.advance(4_000);
    await world.settle();
    world.peers[1]?.send(JSON.stringify([2, 'x', 'ClearCache', {}]));
    await world.run(command('B', 'plug_connector'));
    expect([world.actions.length, world.events.length]).toEqual(before);
    expect(closed).toEqual([0, 1]);
    expect(world.replies).toEqual([]);
    world.clock.advance(6_000);
    expect(world.lost.toSorted()).toEqual(['id-A', 'id-B']);
    world.fleet.hold(steadyMs() + 60_000);
    await world.run(under(8, member('B', world.memoryOf('id-B'))));
    expect((await world.fleet.ask('id-B', { kind: 'live' })).runtime.actual).toBe('running');
  });

  it('has these two in different partitions', () => expect(ofA).not.toBe(ofB));
});
