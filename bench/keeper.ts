// Cleans up after a benchmark case: a process of its own, so that nothing stays behind even when the benchmark is killed.
//
// It is told on its standard input what there is, a JSON line each. When that ends, for whatever reason, it ends everything.

import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { processesOf } from './readings.ts';

export type KeeperLine =
  | { readonly kind: 'group'; readonly group: number }
  | { readonly kind: 'groupGone'; readonly group: number }
  | { readonly kind: 'folder'; readonly path: string };

const groups = new Set<number>();
const folders = new Set<string>();

for await (const line of createInterface({ input: process.stdin })) {
  const told = JSON.parse(line) as KeeperLine;
  if (told.kind === 'group') groups.add(told.group);
  else if (told.kind === 'groupGone') groups.delete(told.group);
  else folders.add(told.path);
}

for (const group of groups) {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // Already gone.
  }
}
// Who still lives might write another file into a folder that is being removed.
for (let tries = 0; tries < 100 && [...groups].some((group) => processesOf(group).length > 0); tries++) await sleep(50);
for (const path of folders) rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
