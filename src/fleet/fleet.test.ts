// The shell around chargers: what is kept before what is said, in which order, and how one charger's trouble stays its own.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { VirtualClock } from '../adapters/clock/virtual.ts';
import { MemoryJournal } from '../adapters/journal/memory.ts';
import { LoopbackLink, type LoopbackPeer } from '../adapters/link/loopback.ts';
import { loadDialect } from '../ocpp/dialects.ts';
import type { NewFleetEvent } from '../ports/feed.ts';
import type { QueuedCommand } from '../ports/queue.ts';
import type { ChargerRecord, Commit } from '../ports/store.ts';
import { newProvisioning } from '../provisioning/provisioning.ts';
import { Fleet } from './fleet.ts';
import type { FleetProblem } from './host.ts';
import type { Delivery } from './member.ts';

const startMs = Date.UTC(2026, 0, 31, 12);

function record(identity: string): ChargerRecord {
  return {
    id: `id-${identity}`,
    org: 'demo',
    identity,
    name: null,
    vendorName: null,
    model: null,
    ocppVersion: '1.6',
    layout: [{ evseId: 1, connectorId: 1, type: 'Type2', format: 'SOCKET', maxPowerW: 22_000 }],
    connectorType: 'Type2',
    maxChargingPowerW: 22_000,
    locationId: null,
    wsUrl: null,
    modelId: null,
    security: null,
    features: [],
    seed: 1,
    desired: 'running',
    generation: 1,
    provisioning: newProvisioning(startMs),
    createdAtMs: startMs,
    updatedAtMs: startMs,
  };
}

/** A fleet, its store as a list of commits, and a CSMS that accepts everything. */
class World {
  readonly clock = new VirtualClock(startMs);
  readonly journal = new MemoryJournal({ clock: this.clock });
  readonly commits: Commit[] = [];
  readonly events: NewFleetEvent[] = [];
  readonly problems: FleetProblem[] = [];
  readonly actions: string[] = [];
  readonly peers: LoopbackPeer[] = [];
  /** Set to hold every commit back until it is called. */
  hold: Promise<void> | null = null;
  csms: 'up' | 'down' | 'silent' = 'up';
  readonly fleet = new Fleet({
    clock: this.clock,
    journal: this.journal,
    link: new LoopbackLink((_request, peer) => this.#accept(peer)),
    loadDialect,
    host: {
      commit: async (commits) => {
        await this.hold;
        this.commits.push(...commits);
      },
      publish: (events) => this.events.push(...events),
      complain: (problem) => this.problems.push(problem),
    },
  });

  async run(...deliveries: readonly Delivery[]): Promise<void> {
    this.fleet.deliver(deliveries);
    await this.settle();
  }

  async settle(): Promise<void> {
    for (let turn = 0; turn < 30; turn++) await nextTurn();
  }

  get outcomes() {
    return this.commits.flatMap((commit) => commit.outcomes ?? []);
  }

  memoryOf(chargerId: string): string | null {
    return (
      this.commits.findLast((commit) => commit.chargerId === chargerId && commit.memory !== undefined)?.memory ?? null
    );
  }

  #accept(peer: LoopbackPeer) {
    if (this.csms === 'down') return { refuse: 'connection refused' };
    this.peers.push(peer);
    peer.onMessage = (text) => {
      const [type, id, action] = JSON.parse(text) as [number, string, string];
      if (type !== 2) return;
      this.actions.push(action);
      if (this.csms === 'silent') return;
      const currentTime = new Date(this.clock.nowMs()).toISOString();
      const answers: Record<string, object> = {
        BootNotification: { status: 'Accepted', currentTime, interval: 300 },
        Authorize: { idTagInfo: { status: 'Accepted' } },
        StartTransaction: { transactionId: 1, idTagInfo: { status: 'Accepted' } },
        Heartbeat: { currentTime },
      };
      peer.send(JSON.stringify([3, id, answers[action] ?? {}]));
    };
    return { protocol: 'ocpp1.6' };
  }
}

const member = (identity: string, memory: string | null = null, changes: Partial<ChargerRecord> = {}): Delivery => ({
  kind: 'member',
  member: { record: { ...record(identity), ...changes }, memory },
  url: `ws://csms/${identity}`,
});

let commandNumber = 0;
const command = (identity: string, eventType: string, payload: QueuedCommand['payload'] = {}): Delivery => ({
  kind: 'command',
  command: {
    id: `command-${++commandNumber}`,
    org: 'demo',
    chargerId: `id-${identity}`,
    identity,
    ocppVersion: '1.6',
    eventType,
    payload,
    acceptedAtMs: startMs,
  },
});

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
});

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

  it('starts again with the commands that came meanwhile, from what it had kept', async () => {
    const world = new World();
    await world.run(member('A'), command('A', 'plug_connector'));
    await world.run(member('A', null, stopped), command('A', 'start_session', { id_tag: 'TAG' }));
    expect(world.outcomes).toHaveLength(1);
    await world.run(member('A', world.memoryOf('id-A')));
    expect(world.outcomes.map((outcome) => outcome.status)).toEqual(['succeeded', 'succeeded']);
    expect((await world.fleet.ask('id-A', { kind: 'live' })).charger.connectors[0]?.status).toBe('Charging');
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
    expect(world.events.at(-1)).toMatchObject({ type: 'connector.status_changed', locationId: 'L1' });
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
