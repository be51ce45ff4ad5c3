// Brings a clone into a state in which it runs: packages, the pinned Node.js runtime, generated validators.
//
// Runs on any Node.js from 18 on, without dependencies, before every npm script. Says nothing when nothing is to be done.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const RUNTIME_MAJOR = 26;

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const modules = join(root, 'node_modules');
const runtime = join(modules, 'node', 'bin', 'node');
const generated = join(root, 'src', 'ocpp', 'generated');
const generator = join(root, 'tools', 'generate-validators.mjs');

installPackages();
checkRuntime();
generateValidators();

function installPackages() {
  const stamp = join(modules, '.setup-stamp');
  const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
  const wanted = hash(lock);
  if (read(stamp) === wanted) return;
  if (!isInstalled(JSON.parse(lock))) {
    say('Installing packages (npm ci) …');
    // The runtime among the packages must not run the npm that replaces it: leave node_modules/.bin out of the path.
    const path = (process.env.PATH ?? '')
      .split(delimiter)
      .filter((folder) => !folder.includes(`node_modules${sep}.bin`));
    const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
    run('npm ci', npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
      shell: process.platform === 'win32',
      env: { ...process.env, PATH: path.join(delimiter) },
    });
  }
  writeFileSync(stamp, wanted);
}

/** Whether node_modules already holds what the lock file asks for, as after an `npm install` by hand. */
function isInstalled(lock) {
  const text = read(join(modules, '.package-lock.json'));
  if (text === undefined) return false;
  const present = JSON.parse(text).packages;
  const isProduction = process.env.NODE_ENV === 'production';
  return Object.entries(lock.packages).every(
    ([path, { version, optional, dev }]) =>
      path === '' || optional || (dev && isProduction) || present[path]?.version === version,
  );
}

/** The runtime comes with an install script of its own package, which npm may have been told not to run. */
function checkRuntime() {
  if (process.execPath === runtime && majorOf(process.version) === RUNTIME_MAJOR) return;
  const stamp = join(modules, '.runtime-stamp');
  let file;
  try {
    const { size, mtimeMs } = statSync(runtime);
    file = `${process.platform} ${process.arch} ${size} ${mtimeMs}`;
  } catch {
    file = undefined;
  }
  if (file !== undefined && read(stamp) === file) return;
  const { stdout } = spawnSync(runtime, ['--version'], { encoding: 'utf8' });
  if (majorOf(stdout ?? '') !== RUNTIME_MAJOR) {
    fail(
      `The pinned Node.js ${RUNTIME_MAJOR} runtime (node_modules/node/bin/node) is missing or does not run here: ` +
        'delete node_modules and run `node tools/setup.mjs` again, with install scripts allowed ' +
        '(`npm config get ignore-scripts` must say false).',
    );
  }
  writeFileSync(stamp, file);
}

function generateValidators() {
  const stamp = join(generated, '.stamp');
  const versions = ['typed-ocpp', 'ajv', 'ajv-formats'].map(
    (name) => `${name} ${JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8')).version}`,
  );
  const wanted = hash([...versions, readFileSync(generator, 'utf8')].join('\n'));
  const files = ['v16', 'v201', 'v21'].flatMap((name) => [`${name}.js`, `${name}.d.ts`]);
  if (read(stamp) === wanted && files.every((name) => existsSync(join(generated, name)))) return;
  say('Generating the OCPP validators …');
  run('The generation of the OCPP validators', runtime, [generator]);
  writeFileSync(stamp, wanted);
}

function run(name, command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: root, encoding: 'utf8', ...options });
  if (status === 0) return;
  process.stderr.write(`${stdout ?? ''}${stderr ?? ''}`);
  fail(`${name} failed${error ? `: ${error.message}` : ''}. See above; then run \`node tools/setup.mjs\` again.`);
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function hash(text) {
  return createHash('sha256').update(text).digest('hex');
}

function majorOf(version) {
  return Number(/^v(\d+)\./.exec(version)?.[1]);
}

function say(text) {
  process.stderr.write(`${text}\n`);
}

function fail(text) {
  say(text);
  process.exit(1);
}
