// Runs the quick checks side by side, prints each one's result when it is done, and fails if any failed.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const command = (name) => join(root, 'node_modules', '.bin', name);

const steps = [
  { name: 'format and lint', run: [command('biome'), 'check'] },
  { name: 'types', run: [command('tsc'), '--pretty', String(Boolean(process.stdout.isTTY))] },
  { name: 'import rule', run: [process.execPath, join('tools', 'check-imports.mjs')] },
  // The tests' own summary is always shown.
  { name: 'fast tests', run: [command('vitest'), 'run', '--project', 'fast'], isLoud: true },
];

const results = await Promise.all(steps.map(run));
const failed = results.filter((result) => !result.passed).map((result) => result.name);
console.log(failed.length === 0 ? 'check: all passed' : `check: FAILED: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;

function run({ name, run: [file, ...args], isLoud = false }) {
  return new Promise((resolve) => {
    const startedMs = performance.now();
    const env = { ...process.env, ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }) };
    const child = spawn(file, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.stderr.on('data', (chunk) => chunks.push(chunk));
    child.on('error', (error) => chunks.push(Buffer.from(`${error.message}\n`)));
    child.on('close', (code) => {
      const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
      const passed = code === 0;
      console.log(`${passed ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
      if (!passed || isLoud) console.log(Buffer.concat(chunks).toString().trimEnd().replace(/^/gm, '  '));
      resolve({ name, passed });
    });
  });
}
