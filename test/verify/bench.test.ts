// The benchmarks run: every case with tiny sizes tells its ratio, and a small fleet is held. Nothing is said about times.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cases } from '../../bench/cases/index.ts';
import { canStartServers } from '../../tools/services.mjs';

const entry = join(import.meta.dirname, '../../bench/run.ts');

interface Run {
  readonly status: number | null;
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  readonly said: string;
}

/** Only the end is awaited: what a case could not do it says itself. */
function bench(...args: readonly string[]): Promise<Run> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [entry, ...args], (_, stdout, stderr) => {
      const lines = stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Run['lines'][number]);
      resolve({ status: child.exitCode, lines, said: stderr });
    });
  });
}

describe.skipIf(process.platform !== 'linux')('npm run bench', () => {
  it.each(cases.map(({ name }) => name))('tells the ratio of %s', async (name) => {
    const { status, lines } = await bench('--json', '--quick', '--chargers', '50', '--only', name);
    const line = lines.find((each) => each['name'] === name);
    expect(line).toMatchObject({ name, value: expect.any(Number), floor: expect.any(Number), ok: null });
    expect(line).toHaveProperty('ratio');
    expect(status).toBe(0);
  });

  // Where servers cannot be had they cannot be measured; in continuous integration they can.
  it
    .skipIf(process.env['CI'] !== 'true' && !canStartServers())
    .each(['scale-out-heartbeat', 'scale-out-command', 'scale-out-location-commands-2'])(
    'tells %s beside one machine, and what the servers took',
    async (name) => {
      const { status, lines } = await bench('scale-out', '--json', '--quick', '--chargers', '50', '--only', name);
      expect(lines).toMatchObject([{ name, value: expect.any(Number), floor: expect.any(Number), ok: null }]);
      const beside = lines[0]?.['beside'] as { readonly name: string }[];
      expect(beside.map((each) => each.name)).toEqual(expect.arrayContaining(['PostgreSQL', 'NATS', 'api', 'workers']));
      expect(status).toBe(0);
    },
  );

  it('holds a small fleet', async () => {
    const { lines, said } = await bench('fleet', '--json', '--chargers', '60', '--minutes', '0.1');
    expect(said).not.toContain('standstill');
    expect(lines).toMatchObject([{ name: 'fleet', chargers: 60, accepted: 60, dropped: 0 }]);
  });

  it('refuses a case that it does not have, and names those that it has', async () => {
    const { status, said } = await bench('--only', 'nothing');
    expect(status).toBe(2);
    expect(said).toContain('no case is called nothing; there are: base-memory, ');
  });
});
