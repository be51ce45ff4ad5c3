// The cases of scale-out: their floor is the same product on one machine, in the same run.

import { type BenchCase, type Limit, versions } from '../bench-case.ts';
import { commandUs } from '../cases/cpu-per-command.ts';
import { bootUs } from '../cases/cpu-per-connect-boot.ts';
import { heartbeats, type MessageCase, messageUs, meterValues } from '../cases/cpu-per-message.ts';
import { memoryKb } from '../cases/memory-per-idle-charger.ts';
import { Installation } from '../gateway.ts';
import { locationCommands } from './location-commands.ts';
import { SharedInstallation } from './shared-installation.ts';

const deadlineMs = 900_000;
const perMessage: Limit = { of: 'ratio', max: 1.3 };
const perCommand: Limit = { of: 'ratio', max: 2 };
const [version] = versions;

const messages = (name: string, said: MessageCase): BenchCase => ({
  name,
  unit: 'µs',
  limit: perMessage,
  deadlineMs,
  floor: (bench) => messageUs(bench, said, new Installation(bench, 'fleet')),
  measure: async (bench) => messageUs(bench, said, await SharedInstallation.open(bench, 1)),
});

/** In a tenth of the fleet: what a command costs hardly depends on how many chargers there are. */
const command: BenchCase = {
  name: 'scale-out-command',
  unit: 'µs',
  limit: perCommand,
  deadlineMs,
  floor: (bench) => commandUs(bench, Math.ceil(bench.sizes.chargers / 10), new Installation(bench, 'fleet')),
  measure: async (bench) =>
    commandUs(bench, Math.ceil(bench.sizes.chargers / 10), await SharedInstallation.open(bench, 1)),
};

const boot: BenchCase = {
  name: 'scale-out-connect-boot',
  unit: 'µs',
  limit: null,
  deadlineMs,
  floor: (bench) => bootUs(bench, '1.6', async (name) => new Installation(bench, name)),
  measure: (bench) => bootUs(bench, '1.6', () => SharedInstallation.open(bench, 1)),
};

const memory: BenchCase = {
  name: 'scale-out-memory-per-idle-charger',
  unit: 'KB',
  limit: null,
  deadlineMs,
  floor: (bench) => memoryKb(bench, version, async (chargers) => new Installation(bench, `memory-${chargers}`)),
  measure: (bench) => memoryKb(bench, version, () => SharedInstallation.open(bench, 1)),
};

export const scaleOutCases: readonly BenchCase[] = [
  boot,
  messages('scale-out-heartbeat', heartbeats('1.6')),
  messages('scale-out-meter-values', meterValues('1.6')),
  command,
  locationCommands(1),
  locationCommands(2),
  locationCommands(4),
  memory,
];
