// Real servers for tests: those that TEST_DATABASE_URL and TEST_NATS_URL name, or private ones that end with the run.
import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';

/** Where each program may be beyond the path; the newest version wins. */
const places = {
  postgres: ['/usr/lib/postgresql/*/bin', '/usr/local/pgsql/bin', '/opt/homebrew/opt/postgresql@*/bin'],
  'nats-server': ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin', '/opt/homebrew/bin'],
};
const packages = { postgres: 'postgresql', 'nats-server': 'nats-server' };

/**
 * One server of each kind for a whole run, and whether a suite can start others of its own, to kill them. Null and false where
 * that cannot be, with a line on stderr that names what is skipped. In continuous integration nothing is skipped: there it fails.
 */
export async function openTestServers() {
  const services = openServices();
  const kindOf = async (program, what, variable, start) => {
    const given = process.env[variable];
    const canStart = isObtainable(program);
    if (!canStart) {
      const suites = given === undefined ? `test/contracts/*${what}*` : `test/contracts/${what}-outage*`;
      const sentence = `there is no ${program} here: install it${given === undefined ? `, or set ${variable}` : ''}`;
      if (process.env.CI === 'true') throw new Error(sentence);
      process.stderr.write(`Skipping ${suites}: ${sentence}.\n`);
    }
    return { canStart, url: given ?? (canStart ? (await start()).url : null) };
  };
  try {
    const [postgres, nats] = await Promise.all([
      kindOf('postgres', 'postgres', 'TEST_DATABASE_URL', () => services.startPostgres()),
      kindOf('nats-server', 'nats', 'TEST_NATS_URL', () => services.startNats()),
    ]);
    return {
      databaseUrl: postgres.url,
      canStartPostgres: postgres.canStart,
      natsUrl: nats.url,
      canStartNats: nats.canStart,
      close: () => services.close(),
    };
  } catch (error) {
    await services.close();
    throw error;
  }
}

/** What suites cannot do without and is not to be had here: a sentence for each. */
export function missingServers() {
  const needs = { postgres: 'TEST_DATABASE_URL', 'nats-server': 'TEST_NATS_URL' };
  return Object.entries(needs).flatMap(([program, variable]) =>
    process.env[variable] !== undefined || isObtainable(program)
      ? []
      : [`there is no ${program} here: install it, or set ${variable}`],
  );
}

/** Whether private servers of all kinds can be started here. */
export const canStartServers = () => Object.keys(places).every(isObtainable);

/** Whether a private server of this kind can be started here, after its package was installed if that is possible. */
function isObtainable(program) {
  return programOf(program) !== null || (install(program) && programOf(program) !== null);
}

/** Private servers, started one by one, each with data of its own; they end with `close`, or with this process however it ends. */
export function openServices() {
  let guard = null;
  let count = 0;
  const waiting = new Map();

  function ask(action, name, options) {
    guard ??= startGuard(waiting);
    count += 1;
    const id = count;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      guard.stdin.write(`${JSON.stringify({ id, action, name, options })}\n`);
    });
  }

  async function start(kind, programs, options = {}) {
    const name = `${kind}-${count}`;
    const { url, pid } = await ask('start', name, { kind, programs, ...options });
    return {
      url,
      pid,
      kill: () => ask('kill', name),
      restart: () => ask('restart', name),
      stop: () => ask('stop', name),
    };
  }

  return {
    startPostgres: (options) => start('postgres', found('postgres').replace(/[^/]*$/, ''), options),
    startNats: (options) => start('nats', found('nats-server'), options),
    close() {
      if (guard === null) return Promise.resolve();
      const ended = new Promise((resolve) => guard.once('exit', () => resolve()));
      guard.stdin.end();
      guard = null;
      return ended;
    },
  };
}

function startGuard(waiting) {
  // In a group of its own: an interrupt from the keyboard is for the run, and the guard cleans up after it.
  const guard = spawn(process.execPath, [join(import.meta.dirname, 'services-guard.mjs')], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  createInterface({ input: guard.stdout }).on('line', (line) => {
    const { id, value, error } = JSON.parse(line);
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) resolve(value);
    else reject(new Error(error));
  });
  guard.stdin.on('error', () => {});
  guard.on('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error('the guard of the servers has ended'));
    waiting.clear();
  });
  return guard;
}

function found(program) {
  const path = isObtainable(program) ? programOf(program) : null;
  if (path === null) throw new Error(`there is no ${program} here`);
  return path;
}

/** The path of a program, or null. */
function programOf(program) {
  const folders = [...places[program].flatMap(expanded), ...(process.env.PATH ?? '').split(delimiter)];
  for (const folder of folders) {
    const path = join(folder, program);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {}
  }
  return null;
}

/** The folders that a pattern with one star stands for, the greatest number first. */
function expanded(pattern) {
  const [before, after] = pattern.split('*');
  if (after === undefined) return [pattern];
  const parent = before.slice(0, before.lastIndexOf('/') + 1);
  try {
    return readdirSync(parent)
      .filter((name) => `${parent}${name}`.startsWith(before))
      .sort((one, other) => Number(other.replace(/\D/g, '')) - Number(one.replace(/\D/g, '')))
      .map((name) => `${parent}${name}${after}`);
  } catch {
    return [];
  }
}

/** Installs a package where that needs no question to anybody: as root on Debian and its kin. */
function install(program) {
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) return false;
  process.stderr.write(`Installing ${packages[program]} (apt-get) …\n`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  // Somebody else may be installing something at the moment.
  const patience = ['-o', 'DPkg::Lock::Timeout=120'];
  const apt = (...args) =>
    spawnSync('apt-get', [...patience, ...args], { env, stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
  const attempt = () => apt('install', '--yes', '--no-install-recommends', packages[program]);
  return attempt() || (apt('update') && attempt());
}
