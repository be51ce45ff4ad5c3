// Kills a writing process at any moment and looks whether it kept its promises.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { openSqliteStore, type SqliteStore } from '../../src/adapters/store/sqlite.ts';
import { chargerRecords, cpoRecord, idOf, locationRecord, queuedCommands } from './store-samples.ts';

// Processes are started: on a busy machine that takes its time.
const patienceMs = 60_000;
const script = join(import.meta.dirname, 'store-crash-child.ts');
enableCompileCache();

interface Said {
  readonly word: string;
  readonly what: string;
  readonly from: number;
  readonly size: number;
}

/** Kills the writer when it has made so many promises; everything it said until its end. */
async function killAfter(path: string, synchronous: string, promises: number): Promise<readonly Said[]> {
  const env = { ...process.env, NODE_COMPILE_CACHE: getCompileCacheDir() };
  const child = spawn(process.execPath, [script, path, synchronous], { stdio: ['ignore', 'pipe', 'inherit'], env });
  const ended = once(child, 'exit');
  const said: Said[] = [];
  let left = promises;
  for await (const line of createInterface({ input: child.stdout })) {
    const [word = '', what = '', from, size] = line.split(' ');
    // The last line may have been cut short by the kill.
    if (size !== undefined) said.push({ word, what, from: Number(from), size: Number(size) });
    if (word === 'promised') left -= 1;
    if (left === 0) child.kill('SIGKILL');
  }
  const [, signal] = await ended;
  expect(signal).toBe('SIGKILL');
  return said;
}

/** How many of its parts there are, its receipt being one of them. */
async function foundOf(store: SqliteStore, said: Said): Promise<number> {
  const receipt = await store.receipt('acme', `${said.what} ${said.from}`);
  return (receipt === null ? 0 : 1) + (await partsOf(store, said));
}

/** All of its parts and its receipt. */
const wholeOf = ({ what, size }: Said) => size + (what === 'location' ? 3 : 1);

async function partsOf(store: SqliteStore, { what, from, size }: Said): Promise<number> {
  if (what === 'location') {
    const { id } = locationRecord(from);
    const places = [await store.cpo('acme', cpoRecord(from).id), await store.location('acme', id)];
    const { total } = await store.locationProgress('acme', id);
    return places.filter((place) => place !== null).length + total;
  }
  if (what === 'chargers') {
    const ids = chargerRecords(from, size).map(({ id }) => id);
    return (await store.chargers('acme', ids)).length;
  }
  const commands = await Promise.all(queuedCommands(from, size).map(({ id }) => store.command('acme', id)));
  return commands.filter((command) => command !== null).length;
}

describe.each(['normal', 'full'])('a SQLite store (%s sync) whose process is killed', (synchronous) => {
  it.each([1, 2])(
    'keeps everything it promised, and every call whole or not at all (seed %i)',
    async (seed) => {
      const folder = await mkdtemp(join(tmpdir(), 'store-crash-'));
      const path = join(folder, 'gateway.db');
      const said = await killAfter(path, synchronous, 20 + ((seed * 7_919) % 180));
      const store = await openSqliteStore({ path });
      try {
        const promised = said.filter(({ word }) => word === 'promised');
        const counted = promised.filter(({ what }) => what !== 'memory' && what !== 'numbers');
        for (const call of counted) expect(await foundOf(store, call), JSON.stringify(call)).toBe(wholeOf(call));
        const key = ({ what, from }: Said) => `${what} ${from}`;
        const kept = new Set(counted.map(key));
        for (const call of said.filter((one) => one.word === 'asked' && !kept.has(key(one)))) {
          expect([0, wholeOf(call)], JSON.stringify(call)).toContain(await foundOf(store, call));
        }
        const last = (what: string) =>
          Math.max(0, ...promised.filter((one) => one.what === what).map(({ from }) => from));
        expect(Number((await store.fleetMember(idOf(999_999)))?.memory)).toBeGreaterThanOrEqual(last('memory'));
        expect(await store.reserveNumbers('transactions', 1)).toBeGreaterThan(last('numbers') + 2);
      } finally {
        await store.close();
        await rm(folder, { recursive: true });
      }
    },
    patienceMs,
  );
});
