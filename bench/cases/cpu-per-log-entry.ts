// The CPU time of writing one log entry, beside that of its bare text at the end of a file.

import { once } from 'node:events';
import { type Bench, pathOf } from '../bench.ts';
import type { BenchCase } from '../bench-case.ts';
import type { LogWriterSettings } from '../log-writer.ts';

export const cpuPerLogEntry: BenchCase = {
  name: 'cpu-per-log-entry',
  unit: 'µs',
  limit: null,
  deadlineMs: 300_000,
  floor: (bench) => write(bench, 'file'),
  measure: (bench) => write(bench, 'journal'),
};

async function write(bench: Bench, how: LogWriterSettings['how']): Promise<number> {
  const { logEntries, chargers } = bench.sizes;
  bench.stage(`writing ${logEntries} entries`);
  const settings: LogWriterSettings = { how, folder: bench.folder, entries: logEntries, chargers };
  const child = bench.spawn('the writer', [pathOf('./log-writer.ts'), JSON.stringify(settings)], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const [cpuUs] = (await bench.orEnd(once(child, 'message'))) as [number];
  await bench.kill(child);
  return cpuUs;
}
