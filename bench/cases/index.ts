// Every benchmark case, in the order in which they run.

import { type BenchCase, versions } from '../bench-case.ts';
import { baseMemory } from './base-memory.ts';
import { cpuPerCommand, cpuPerCommandGrowth } from './cpu-per-command.ts';
import { cpuPerConnectBoot } from './cpu-per-connect-boot.ts';
import { cpuPerEvent } from './cpu-per-event.ts';
import { cpuPerLocationCommand } from './cpu-per-location-command.ts';
import { cpuPerLogEntry } from './cpu-per-log-entry.ts';
import { cpuPerHeartbeat, cpuPerMeterValues } from './cpu-per-message.ts';
import { cpuPerListedPage, cpuPerLiveState } from './cpu-per-read.ts';
import { cpuPerReconnect } from './cpu-per-reconnect.ts';
import { cpuPerSession } from './cpu-per-session.ts';
import { memoryPerIdleCharger } from './memory-per-idle-charger.ts';
import { startUpCpu, startUpTime } from './start-up.ts';

export const cases: readonly BenchCase[] = [
  baseMemory,
  ...versions.map(memoryPerIdleCharger),
  startUpCpu,
  startUpTime,
  ...versions.map(cpuPerConnectBoot),
  cpuPerReconnect,
  ...versions.map(cpuPerHeartbeat),
  ...versions.map(cpuPerMeterValues),
  cpuPerSession,
  cpuPerCommand('few'),
  cpuPerCommand('some'),
  cpuPerCommand('all'),
  cpuPerCommandGrowth,
  cpuPerLocationCommand,
  cpuPerListedPage,
  cpuPerLiveState,
  cpuPerLogEntry,
  cpuPerEvent,
];
