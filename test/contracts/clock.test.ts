// Runs the clock's contract on every adapter there is.

import { setTimeout as delay } from 'node:timers/promises';
import { SystemClock } from '../../src/adapters/clock/system.ts';
import { VirtualClock } from '../../src/adapters/clock/virtual.ts';
import { describeClock } from './clock-contract.ts';

describeClock('system', () => {
  const clock = new SystemClock();
  return {
    clock,
    async pass(ms) {
      const untilMs = clock.nowMs() + ms;
      while (clock.nowMs() < untilMs) await delay(1);
    },
  };
});

describeClock('virtual', () => {
  const clock = new VirtualClock(1_760_000_000_000);
  return { clock, pass: async (ms) => clock.advance(ms) };
});
