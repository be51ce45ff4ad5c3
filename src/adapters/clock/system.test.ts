// What the system's clock does when somebody sets the calendar.

import { expect, it } from 'vitest';
import { SystemClock } from './system.ts';

it('follows the calendar forward, and runs on steadily when the calendar is set back', () => {
  let wallMs = 1_760_000_000_000;
  let steadyMs = 12.5;
  const clock = new SystemClock({ wallMs: () => wallMs, steadyMs: () => steadyMs });
  const pass = (ms: number) => {
    wallMs += ms;
    steadyMs += ms;
  };
  expect(clock.nowMs()).toBe(1_760_000_000_000);
  pass(1_000);
  expect(clock.nowMs()).toBe(1_760_000_001_000);
  wallMs += 3_600_000;
  expect(clock.nowMs()).toBe(1_760_003_601_000);
  wallMs -= 7_200_000;
  expect(clock.nowMs()).toBe(1_760_003_601_000);
  pass(500);
  expect(clock.nowMs()).toBe(1_760_003_601_500);
});
