// Runs the lease's contract over NATS, and looks at what becomes of it when the server is killed or forgets.

import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { SystemClock } from '../../src/adapters/clock/system.ts';
import { BoardLease } from '../../src/adapters/lease/board-lease.ts';
import type { LeaseLimits } from '../../src/adapters/lease/member.ts';
import { natsBoards, natsLease } from '../../src/adapters/lease/nats.ts';
import type { Nats } from '../../src/adapters/nats/connection.ts';
import type { Tenure } from '../../src/ports/partition.ts';
import { openServices } from '../../tools/services.mjs';
import { Cable } from './lease-cable.ts';
import { describeLease, Epochs } from './lease-contract.ts';
import { natsUrl, newPrefix, openNats, until } from './nats-connection.ts';

/** A third of the usual, so that the suite does not take for ever; not less, or a busy machine is taken for a broken one. */
const limits: Partial<LeaseLimits> = { renewEveryMs: 250, retryAfterMs: 100, lostAfterMs: 1_200, goneAfterMs: 1_500 };
const quietMs = 2_500;

describe.skipIf(natsUrl === null)('over NATS', () => {
  describeLease('NATS', async (partitions) => {
    const clock = new SystemClock();
    const prefix = newPrefix();
    const connections = await Promise.all(Array.from({ length: 7 }, () => openNats(prefix)));
    let count = 0;
    return {
      process() {
        const cable = new Cable();
        const boards = natsBoards(connections[count++ % connections.length] as Nats);
        return {
          lease: new BoardLease({
            board: (topic) => cable.through(boards(topic)),
            partitions,
            clock,
            steadyMs: () => performance.now(),
            limits,
          }),
          cut: () => cable.cut(),
          mend: () => cable.mend(),
        };
      },
      until: (holds) => until(holds),
      quietly: () => pause(quietMs),
      async close() {
        await Promise.all(connections.map((nats) => nats.close()));
      },
    };
  });
});

describe.skipIf(!inject('canStartNats'))('a lease whose NATS is killed', () => {
  const services = openServices();
  afterAll(() => services.close());

  function owner(nats: Nats, partitions: Epochs) {
    const held = new Map<number, Tenure>();
    const seen = { losses: 0 };
    const lease = natsLease({ nats, partitions, clock: new SystemClock(), limits });
    const forget = (tenures: readonly Tenure[]) => {
      for (const { partition } of tenures) held.delete(partition);
    };
    const membership = lease.join('w', {
      acquired: (tenures) => {
        for (const tenure of tenures) held.set(tenure.partition, tenure);
      },
      release: async (tenure) => forget([tenure]),
      lost: (tenures) => {
        seen.losses += tenures.length;
        forget(tenures);
      },
    });
    return { held, seen, membership };
  }

  it('is lost when the server stays away, and comes back with it, also with one that has forgotten everything', async () => {
    const server = await services.startNats();
    const prefix = newPrefix(server.url);
    const [one, other] = await Promise.all([openNats(prefix, server), openNats(prefix, server)]);
    const epochs = new Epochs();
    const [a, b] = [owner(one, epochs), owner(other, epochs)];
    const isShared = () => a.held.size === 128 && b.held.size === 128;
    await until(isShared);
    for (let round = 1; round <= 2; round += 1) {
      await server.kill();
      await until(() => a.held.size + b.held.size === 0);
      await server.restart();
      await until(isShared);
    }
    expect([...a.held.values(), ...b.held.values()].every(({ epoch }) => epoch > 2)).toBe(true);
    const { streams } = await one.manager();
    for (const { config } of await streams.list().next()) await streams.delete(config.name);
    const before = a.seen.losses + b.seen.losses;
    await until(() => a.seen.losses + b.seen.losses > before);
    await until(isShared);
    await Promise.all([a.membership.leave(), b.membership.leave()]);
    await Promise.all([one.close(), other.close()]);
  });
});
