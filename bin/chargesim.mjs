#!/usr/bin/env node
// The command line's entry: makes sure that a recent Node.js runs src/main.ts, which is TypeScript run as it is.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const OLDEST_MAJOR = 24;

const self = fileURLToPath(import.meta.url);
const root = join(dirname(self), '..');
const runtime = join(root, 'node_modules', 'node', 'bin', 'node');

if (!existsSync(runtime)) {
  const { status } = spawnSync(process.execPath, [join(root, 'tools', 'setup.mjs')], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

if (Number(process.versions.node.split('.')[0]) < OLDEST_MAJOR) {
  runWithPinnedRuntime();
} else {
  nodeModule.enableCompileCache();
  await import('../src/main.ts');
}

function runWithPinnedRuntime() {
  const child = spawn(runtime, [self, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGUSR2']) {
    process.on(signal, () => {
      // Ctrl-C reaches the child by itself, as a member of the terminal's foreground group: do not send it twice.
      if (!(process.stdin.isTTY && (signal === 'SIGINT' || signal === 'SIGQUIT'))) child.kill(signal);
    });
  }
  child.on('error', (error) => {
    process.stderr.write(
      `The pinned Node.js runtime does not start (${error.message}): run \`node tools/setup.mjs\`.\n`,
    );
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
