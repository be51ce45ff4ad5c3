// Runs the lease's contract over NATS.

import { setTimeout as pause } from 'node:timers/promises';
import { describe } from 'vitest';
import { SystemClock } from '../../src/adapters/clock/system.ts';
import { BoardLease } from '../../src/adapters/lease/board-lease.ts';
import type { LeaseLimits } from '../../src/adapters/lease/member.ts';
import { natsBoards } from '../../src/adapters/lease/nats.ts';
import type { Nats } from '../../src/adapters/nats/connection.ts';
import { Cable } from './lease-cable.ts';
import { describeLease, type Pace } from './lease-contract.ts';
import { natsUrl, newPrefix, openNats, until } from './nats-connection.ts';

const often = { renewEveryMs: 250, retryAfterMs: 100 };
const limits: Readonly<Record<Pace, Partial<LeaseLimits>>> = {
  patient: { ...often, lostAfterMs: 40_000, goneAfterMs: 45_000 },
  // A third of the usual, so that the suite does not take for ever; not less, or a busy machine is taken for a broken one.
  quick: { ...often, lostAfterMs: 1_200, goneAfterMs: 1_500 },
};
const quietMs = 2_500;

describe.skipIf(natsUrl === null)('over NATS', () => {
  describeLease('NATS', async (partitions, pace) => {
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
            limits: limits[pace],
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
