// Runs the lease's contract on members of one process.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { VirtualClock } from '../../src/adapters/clock/virtual.ts';
import type { Board } from '../../src/adapters/lease/board.ts';
import { BoardLease } from '../../src/adapters/lease/board-lease.ts';
import { MemoryBoard } from '../../src/adapters/lease/memory.ts';
import { Cable } from './lease-cable.ts';
import { describeLease } from './lease-contract.ts';

const stepMs = 50;

describeLease('memory', async (partitions) => {
  const clock = new VirtualClock(1_760_000_000_000);
  const boards = new Map<string, Board>();
  const board = (topic: string) => boards.get(topic) ?? boards.set(topic, new MemoryBoard()).get(topic);
  const pass = async (steps: number, isEnough: () => boolean) => {
    for (let step = 0; step < steps; step += 1) {
      for (let turn = 0; turn < 5; turn += 1) await nextTurn();
      if (isEnough()) return;
      clock.advance(stepMs);
    }
    if (!isEnough()) throw new Error('it does not come to pass');
  };
  return {
    process() {
      const cable = new Cable();
      return {
        lease: new BoardLease({
          board: (topic) => cable.through(board(topic) as Board),
          partitions,
          clock,
          steadyMs: () => clock.nowMs(),
        }),
        cut: () => cable.cut(),
        mend: () => cable.mend(),
      };
    },
    until: (holds) => pass(1_000, holds),
    quietly: () => pass(200, () => false).catch(() => {}),
    close: async () => {},
  };
});
