// Every benchmark case, in the order in which they run.

import { type BenchCase, versions } from '../bench-case.ts';
import { cpuPerConnectBoot } from './cpu-per-connect-boot.ts';
import { cpuPerHeartbeat } from './cpu-per-heartbeat.ts';
import { cpuPerListedPage } from './cpu-per-listed-page.ts';
import { memoryPerIdleCharger } from './memory-per-idle-charger.ts';

export const cases: readonly BenchCase[] = [
  ...versions.map(memoryPerIdleCharger),
  cpuPerConnectBoot,
  cpuPerHeartbeat,
  cpuPerListedPage,
];
