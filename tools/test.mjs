// Runs projects of tests in one go; those behind --with-servers only where real servers can be had, and in CI always.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { missingServers } from './services.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const words = process.argv.slice(2);
const border = words.includes('--with-servers') ? words.indexOf('--with-servers') : words.length;
const [always, withServers] = [words.slice(0, border), words.slice(border + 1)];
const missing = withServers.length === 0 ? [] : missingServers();
for (const sentence of missing) process.stderr.write(`Skipping ${withServers.join(', ')}: ${sentence}.\n`);
if (missing.length > 0 && process.env.CI === 'true') process.exit(1);

const projects = [...always, ...(missing.length > 0 ? [] : withServers)];
const args = ['run', ...projects.flatMap((project) => ['--project', project])];
const { status } = spawnSync(join(root, 'node_modules', '.bin', 'vitest'), args, { cwd: root, stdio: 'inherit' });
process.exitCode = status ?? 1;
