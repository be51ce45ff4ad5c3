// The shell around chargers: what is kept before what is said, in which order, and how one charger's trouble stays its own.

import { beforeAll, describe, expect, it } from 'vitest';
import { command, member, World } from '../../test/fleet-world.ts';
import { loadDialect } from '../ocpp/dialects.ts';

describe('a fleet', () => {
  beforeAll(() => loadDialect('1.6'));

  it('boots a charger that is delivered, logs every frame and tells what happened', async () => {
    const world = new World();
    await world.run(member('A'));
    expect(world.actions).toEqual(['BootNotification', 'StatusNotification', 'StatusNotification']);
    const { entries } = await world.fleet.ask('id-A', { kind: 'logs', query: { limit: 100 } });
    expect(entries.filter((entry) => entry.direction === 'out').map((entry) => entry.action)).toEqual(
      world.actions.toReversed(),
    );
    expect(world.events.map((event) => event.type)).toEqual([
      'provisioning.changed',
      'charger.connected',
      'provisioning.changed',
      'charger.boot_accepted',
      'provisioning.changed',
    ]);
    expect((await world.fleet.ask('id-A', { kind: 'live' })).runtime.actual).toBe('running');
  });

  it('keeps what a command did together with its id before any frame of it leaves', async () => {
    const world = new World();
    await world.run(member('A'));
    world.actions.length = 0;
    let release = (): void => {};
    world.hold = new Promise((resolve) => {
      release = resolve;
    });
    await world.run(command('A', 'start_session', { id_tag: 'TAG' }));
    expect(world.actions).toEqual([]);
    world.commits.length = 0;
    release();
    await world.settle();
    expect(world.commits[0]?.applied).toHaveLength(1);
    expect(JSON.parse(world.commits[0]?.memory ?? '{}')).toMatchObject({ charger: { connectors: [{ ev: {} }] } });
    expect(world.actions).toEqual(['StatusNotification', 'Authorize', 'StartTransaction', 'StatusNotification']);
    expect(world.outcomes.map((outcome) => outcome.status)).toEqual(['succeeded']);
    expect(world.outcomes[0]?.exchanges.map((exchange) => exchange.action)).toEqual(world.actions);
  });

  it('says nothing of what could not be kept: the charger stops, loudly', async () => {
    const world = new World();
    await world.run(member('A'));
    world.actions.length = 0;
    world.hold = Promise.reject(new Error('the disk is full'));
    world.hold.catch(() => {});
    await world.run(command('A', 'start_session', { id_tag: 'TAG' }));
    expect(world.actions).toEqual([]);
    expect(world.problems[0]?.sentence).toContain('the disk is full');
    expect((await world.fleet.ask('id-A', { kind: 'live' })).runtime).toMatchObject({
      actual: 'crashed',
      lastError: 'the disk is full',
    });
  });

  it('runs the commands of one charger one at a time, in order, and those of others meanwhile', async () => {
    const world = new World();
    await world.run(member('A'), member('B'));
    world.csms = 'silent';
    await world.run(
      command('A', 'start_session', { id_tag: 'TAG' }),
      command('A', 'unplug_connector'),
      command('B', 'plug_connector'),
    );
    const ended = () => world.outcomes.map((outcome) => outcome.exchanges.length);
    expect(ended()).toEqual([]);
    world.clock.advance(31_000);
    await world.settle();
    world.clock.advance(31_000);
    await world.settle();
    world.clock.advance(31_000);
    await world.settle();
    const applied = world.commits.flatMap((commit) => commit.applied ?? []).map((each) => each.startedAtMs);
    expect(applied).toHaveLength(3);
    expect(applied[2]).toBeGreaterThan(applied[0] ?? 0);
  });

  it('lets commands wait until a starting charger has been heard, or could not be', async () => {
    const world = new World();
    world.fleet.deliver([member('A'), command('A', 'start_session', { id_tag: 'TAG' })]);
    await world.settle();
    expect(world.outcomes.map((outcome) => outcome.status)).toEqual(['succeeded']);

    const dark = new World();
    dark.csms = 'down';
    await dark.run(member('A'), command('A', 'start_session', { id_tag: 'TAG' }));
    expect(dark.outcomes.map((outcome) => outcome.errorCode)).toEqual(['token_unknown_offline']);
  });

  it('brings a charger back from its memory as after a power cut', async () => {
    const world = new World();
    await world.run(member('A'), command('A', 'start_session', { id_tag: 'TAG' }));
    const later = new World();
    await later.run(member('A', world.memoryOf('id-A')));
    expect(later.actions.at(0)).toBe('BootNotification');
    expect(later.actions).toContain('StopTransaction');
  });

  it('puts chargers to sleep so that they go on without a boot', async () => {
    const world = new World();
    await world.run(member('A'), command('A', 'start_session', { id_tag: 'TAG' }));
    await world.fleet.sleep();
    const later = new World();
    await later.run(member('A', world.memoryOf('id-A')));
    expect(later.actions).not.toContain('BootNotification');
    expect(later.actions).not.toContain('StopTransaction');
    const { charger } = await later.fleet.ask('id-A', { kind: 'live' });
    expect(charger.connectors[0]).toMatchObject({ status: 'Charging', powerW: 22_000 });
  });

  it('survives a charger whose memory is broken, and runs the others', async () => {
    const world = new World();
    await world.run(member('A', 'not a memory'), member('B'));
    expect(world.problems.map((problem) => problem.chargerId)).toEqual(['id-A']);
    expect((await world.fleet.ask('id-B', { kind: 'live' })).connection.state).toBe('connected');
    await expect(world.fleet.ask('id-A', { kind: 'live' })).rejects.toMatchObject({ code: 'not_running' });
  });

  it('dials again after the CSMS went away', async () => {
    const world = new World();
    await world.run(member('A'));
    world.peers[0]?.drop();
    await world.settle();
    expect((await world.fleet.ask('id-A', { kind: 'live' })).connection).toMatchObject({
      state: 'offline',
      attempts: 1,
    });
    world.clock.advance(25_000);
    await world.settle();
    expect((await world.fleet.ask('id-A', { kind: 'live' })).connection.state).toBe('connected');
  });

  it('keeps a heartbeat going for every charger', async () => {
    const world = new World();
    await world.run(member('A'), member('B'));
    world.actions.length = 0;
    for (let minute = 0; minute < 30; minute++) {
      world.clock.advance(60_000);
      await world.settle();
    }
    expect(world.actions.filter((action) => action === 'Heartbeat').length).toBeGreaterThanOrEqual(10);
    expect(world.actions.every((action) => action === 'Heartbeat')).toBe(true);
  });

  it('loses only the charger whose commit fails, and asks for it again', async () => {
    const world = new World();
    await world.run(member('A'), member('B'));
    world.unkeepable.add('id-A');
    await world.run(command('A', 'plug_connector'), command('B', 'plug_connector'));
    expect(world.outcomes.map((outcome) => outcome.status)).toEqual(['succeeded']);
    expect((await world.fleet.ask('id-B', { kind: 'live' })).charger.connectors[0]?.plugged).toBe(true);
    world.unkeepable.clear();
    world.clock.advance(6_000);
    expect(world.lost).toEqual(['id-A']);
    await world.run(member('A', world.memoryOf('id-A')));
    const back = await world.fleet.ask('id-A', { kind: 'live' });
    expect(back).toMatchObject({ runtime: { actual: 'running' }, connection: { state: 'connected' } });
    expect(back.charger.connectors[0]?.plugged).toBe(false);
  });

  it('ends a command that makes a charger crash as failed, so that it is never run again', async () => {
    const world = new World();
    await world.run(member('A'));
    // Nothing that the front lets through: the event lacks what its schema demands.
    await world.run(command('A', 'seed_auth_cache', {}), command('A', 'plug_connector'));
    // Those behind it, and those that come later, end as well: nobody would run them.
    await world.run(command('A', 'plug_connector'));
    const failed = { status: 'failed', errorCode: 'internal_error' };
    expect(world.outcomes).toMatchObject([failed, failed, failed]);
    expect(world.events.filter(({ type }) => type === 'command.failed')).toHaveLength(3);
    const { runtime, connection } = await world.fleet.ask('id-A', { kind: 'live' });
    expect(runtime.actual).toBe('crashed');
    expect(connection.state).toBe('closed');
  });

  it('keeps what the CSMS has changed before it answers, and brings a charger back that was reset', async () => {
    const world = new World();
    await world.run(member('A'), command('A', 'start_session', { id_tag: 'TAG' }));
    expect(await world.ask('ChangeAvailability', { connectorId: 1, type: 'Inoperative' })).toEqual({
      status: 'Scheduled',
    });
    expect(JSON.parse(world.memoryOf('id-A') ?? '{}')).toMatchObject({
      charger: { connectors: [{ operative: false }] },
    });
    world.actions.length = 0;
    expect(await world.ask('Reset', { type: 'Soft' })).toEqual({ status: 'Accepted' });
    expect(world.actions).toEqual(['StopTransaction', 'StatusNotification']);
    world.clock.advance(2_500);
    await world.settle();
    expect(world.actions.slice(2)).toEqual(['BootNotification', 'StatusNotification', 'StatusNotification']);
    const { runtime, charger } = await world.fleet.ask('id-A', { kind: 'live' });
    expect([runtime.actual, charger.connectors[0]?.status]).toEqual(['running', 'Unavailable']);
  });

  it('keeps what has moved before a sample is sent, and the sample itself if it is not answered within seconds', async () => {
    const world = new World();
    await world.run(member('A'), command('A', 'start_session', { id_tag: 'TAG' }));
    const pass = async (...seconds: readonly number[]) => {
      for (const each of seconds) {
        world.clock.advance(each * 1_000);
        await world.settle();
      }
    };
    await pass(60.1, 2);
    world.commits.splice(0);
    await pass(58, 2);
    expect(world.commits.map((commit) => Object.keys(commit))).toEqual([['chargerId', 'addendum']]);
    world.csms = 'silent';
    await pass(58, 1, 1, 1, 2);
    const memory = JSON.parse(world.memoryOf('id-A') ?? '{}');
    expect(memory.queue).toMatchObject([{ report: { kind: 'transaction', trigger: 'MeterValuePeriodic' } }]);
  });

  it('puts a charger to sleep whose sample is just due, and it goes on all the same', async () => {
    const world = new World();
    await world.run(member('A'), command('A', 'start_session', { id_tag: 'TAG' }));
    world.fleet.wheel.stop();
    world.clock.advance(60_000);
    await world.settle();
    await world.fleet.sleep();
    expect(JSON.parse(world.memoryOf('id-A') ?? '{}')).toMatchObject({ charger: { asleep: {} } });
  });
});
