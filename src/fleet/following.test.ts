// How running chargers follow their deployments, and commands that somebody waits for.

import { beforeAll, describe, expect, it } from 'vitest';
import { command, member, World } from '../../test/fleet-world.ts';
import { loadDialect } from '../ocpp/dialects.ts';

beforeAll(() => loadDialect('1.6'));

describe('a deployment that changes', () => {
  const stopped = { desired: 'stopped' } as const;

  it('stops as a reboot does: the session ends, the CSMS hears of it, then the line is closed', async () => {
    const world = new World();
    await world.run(member('A'), command('A', 'start_session', { id_tag: 'TAG' }));
    world.actions.length = 0;
    const hasStopped = world.fleet.ask('id-A', { kind: 'stopped' });
    await world.run(member('A', null, stopped));
    await hasStopped;
    expect(world.actions).toEqual(['StopTransaction', 'StatusNotification']);
    expect(world.events.at(-1)).toMatchObject({ type: 'charger.disconnected', data: { code: 1000 } });
    await expect(world.fleet.ask('id-A', { kind: 'live' })).rejects.toMatchObject({ code: 'not_running' });
  });

  it('does not wait for a CSMS that never answers', async () => {
    const world = new World();
    await world.run(member('A'), command('A', 'start_session', { id_tag: 'TAG' }));
    world.csms = 'silent';
    await world.run(member('A', null, stopped));
    expect((await world.fleet.ask('id-A', { kind: 'live' })).runtime.actual).toBe('stopping');
    world.clock.advance(6_000);
    await world.settle();
    await expect(world.fleet.ask('id-A', { kind: 'live' })).rejects.toMatchObject({ code: 'not_running' });
    expect(world.memoryOf('id-A')).toContain('"phase":"ended"');
  });

  it('leaves no command open when it had to be cut off', async () => {
    const world = new World();
    await world.run(member('A'));
    world.csms = 'silent';
    await world.run(command('A', 'start_session', { id_tag: 'TAG' }));
    await world.run(member('A', null, stopped));
    world.clock.advance(6_000);
    await world.settle();
    expect(world.outcomes).toMatchObject([{ status: 'failed', errorCode: 'token_unanswered' }]);
    await expect(world.fleet.ask('id-A', { kind: 'live' })).rejects.toMatchObject({ code: 'not_running' });
  });

  it('tells what happened when it is stopped without a line', async () => {
    const world = new World();
    await world.run(member('A'), command('A', 'start_session', { id_tag: 'TAG' }));
    world.peers[0]?.drop();
    world.csms = 'down';
    await world.settle();
    await world.run(member('A', null, stopped));
    expect(world.events.map((event) => event.type)).toContain('transaction.ended');
  });

  it('boots after a shutdown that came while it was being stopped for a restart', async () => {
    const world = new World();
    await world.run(member('A'), command('A', 'start_session', { id_tag: 'TAG' }));
    world.csms = 'silent';
    await world.run(member('A', null, { generation: 2 }));
    const asleep = world.fleet.sleep();
    world.clock.advance(4_000);
    await asleep;
    const later = new World();
    await later.run(member('A', world.memoryOf('id-A'), { generation: 2 }));
    expect(later.actions[0]).toBe('BootNotification');
  });

  it('starts again with the commands that came meanwhile, from what it had kept', async () => {
    const world = new World();
    await world.run(member('A'), command('A', 'plug_connector'));
    const meanwhile = command('A', 'start_session', { id_tag: 'TAG' });
    await world.run(member('A', null, stopped), meanwhile);
    expect(world.outcomes).toHaveLength(1);
    // Once with the charger and once more from the queue: it runs once.
    await world.run(member('A', world.memoryOf('id-A'), {}, [meanwhile]), meanwhile);
    expect(world.outcomes.map((outcome) => outcome.status)).toEqual(['succeeded', 'succeeded']);
    expect((await world.fleet.ask('id-A', { kind: 'live' })).charger.connectors[0]?.status).toBe('Charging');
  });

  it('that starts again before what it left behind is on record waits for it, and is then read from the store', async () => {
    const world = new World();
    await world.run(member('A'), command('A', 'plug_connector'));
    let release = (): void => {};
    world.hold = new Promise((resolve) => {
      release = resolve;
    });
    world.peers[0]?.drop();
    world.csms = 'down';
    await world.run(member('A', null, stopped));
    await world.run(member('A', null));
    await expect(world.fleet.ask('id-A', { kind: 'live' })).rejects.toMatchObject({ code: 'not_running' });
    expect(world.lost).toEqual([]);
    release();
    await world.settle();
    expect(world.lost).toEqual(['id-A']);
  });

  it('restarts when its generation has moved on, into another version if need be, and boots there', async () => {
    const world = new World();
    await world.run(member('A'), command('A', 'start_session', { id_tag: 'TAG' }));
    world.actions.length = 0;
    await world.run(member('A', null, { generation: 2 }));
    expect(world.actions).toEqual([
      'StopTransaction',
      'StatusNotification',
      'BootNotification',
      'StatusNotification',
      'StatusNotification',
    ]);
    expect((await world.fleet.ask('id-A', { kind: 'live' })).charger.connectors[0]).toMatchObject({
      status: 'Finishing',
    });
  });

  it('goes on undisturbed when nothing that concerns it has changed', async () => {
    const world = new World();
    await world.run(member('A'));
    world.actions.length = 0;
    await world.run(member('A', null, { locationId: 'L1' }), command('A', 'plug_connector'));
    expect(world.actions).toEqual(['StatusNotification']);
    expect(world.events.slice(-2)).toMatchObject([
      { type: 'connector.status_changed', locationId: 'L1' },
      { type: 'command.succeeded', locationId: 'L1', data: { event_type: 'plug_connector', error_code: null } },
    ]);
  });

  it('is gone when it has been deleted', async () => {
    const world = new World();
    await world.run(member('A'));
    await world.run({ kind: 'gone', chargerId: 'id-A' });
    await expect(world.fleet.ask('id-A', { kind: 'live' })).rejects.toMatchObject({ code: 'not_running' });
    expect(await world.fleet.census()).toMatchObject({ running: 0, connected: 0 });
  });

  it('is provisioned step by step, fails after ten minutes, and is ready when it is accepted after all', async () => {
    const world = new World();
    world.csms = 'down';
    await world.run(member('A'));
    const latest = () => world.commits.findLast((commit) => commit.provisioning !== undefined)?.provisioning;
    expect(latest()).toMatchObject({
      status: 'provisioning',
      step: 'connect',
      attempts: 1,
      error: 'connection refused',
    });
    for (let minute = 0; minute < 11; minute++) {
      world.clock.advance(60_000);
      await world.settle();
    }
    expect(latest()).toMatchObject({ status: 'failed', error: 'connection refused' });
    world.csms = 'up';
    for (let minute = 0; minute < 11; minute++) {
      world.clock.advance(60_000);
      await world.settle();
    }
    expect(latest()).toMatchObject({ status: 'ready', step: 'done', error: null });
  });

  it('tells the statuses of many at once', async () => {
    const world = new World();
    await world.run(member('A'), member('B'), command('B', 'plug_connector'));
    expect(await world.fleet.statuses(['id-A', 'id-B', 'id-C'])).toEqual([
      ['id-A', ['Available']],
      ['id-B', ['Preparing']],
    ]);
  });
});

describe('a command that somebody waits for', () => {
  const upload = (version: number, withinMs = 1_000) =>
    ({
      kind: 'run',
      eventType: 'local_auth_list',
      payload: { list_version: version, entries: [], update_type: 'Full' },
      withinMs,
    }) as const;

  it('is answered when it is durable, and leaves no record of a command', async () => {
    const world = new World();
    await world.run(member('A'));
    world.commits.length = 0;
    expect(await world.fleet.ask('id-A', upload(1))).toMatchObject({ result: { status: 'Accepted', list_version: 1 } });
    expect(world.commits).toHaveLength(1);
    expect(world.commits[0]).not.toHaveProperty('outcomes');
    expect(world.memoryOf('id-A')).toContain('"version":1');
  });

  it('waits for its turn, and is withdrawn when that does not come in time', async () => {
    const world = new World();
    await world.run(member('A'));
    world.csms = 'silent';
    await world.run(command('A', 'start_session', { id_tag: 'TAG' }));
    const late = world.fleet.ask('id-A', upload(1));
    const patient = world.fleet.ask('id-A', upload(2, 100_000));
    late.catch(() => {});
    await world.settle();
    world.clock.advance(95_000);
    await world.settle();
    world.clock.advance(31_000);
    await world.settle();
    await expect(late).rejects.toMatchObject({ code: 'no_answer' });
    expect(await patient).toMatchObject({ result: { status: 'Accepted', list_version: 2 } });
  });

  it('is refused when the charger stops meanwhile', async () => {
    const world = new World();
    await world.run(member('A'));
    world.csms = 'silent';
    await world.run(command('A', 'start_session', { id_tag: 'TAG' }));
    const asked = world.fleet.ask('id-A', upload(1));
    asked.catch(() => {});
    await world.run(member('A', null, { desired: 'stopped' }));
    await expect(asked).rejects.toMatchObject({ code: 'not_running' });
  });
});
