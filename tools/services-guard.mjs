// Holds the servers that tests have asked for, and ends with them, and with their data, when whoever asked is gone.
//
// Started by services.mjs. Requests come as JSON lines on stdin, answers go out on stdout; the end of stdin is the end of all:
// the kernel closes it even when a run is killed, so no server and no folder outlives the tests.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const startLimitMs = 30_000;
const host = '127.0.0.1';

const folder = mkdtempSync(join(tmpdir(), 'chargesim-services-'));
const account = unprivileged();
if (account) chownSync(folder, account.uid, account.gid);
const servers = new Map();
const underWay = new Set();

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const { id, action, name, options } = JSON.parse(line);
  const work = action === 'start' ? start(name, options) : servers.get(name)[action]();
  const answered = work
    .then(
      (value) => answer({ id, value }),
      (error) => answer({ id, error: error.message }),
    )
    .finally(() => underWay.delete(answered));
  underWay.add(answered);
});
lines.on('close', async () => {
  await Promise.all(underWay);
  await Promise.all([...servers.values()].map((server) => server.abandon()));
  // A server's own children may take a moment longer, and write a last file.
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  process.exit();
});
process.stdout.on('error', () => {});

function answer(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

async function start(name, { kind, programs, isDurable, maxFileBytes }) {
  const own = join(folder, name);
  mkdirSync(own);
  if (account) chownSync(own, account.uid, account.gid);
  const password = randomBytes(12).toString('hex');
  const port = await freePort();
  const server = { postgres, nats }[kind]({ own, port, password, programs, isDurable, maxFileBytes });
  await server.prepare();
  let child = await launch(own, server);
  servers.set(name, {
    /** As a crash: nothing is flushed, nobody is told. */
    kill: () => end(child, 'SIGKILL'),
    stop: () => end(child, server.gentleSignal),
    /** On the same port, with the same data. */
    async restart() {
      await end(child, server.gentleSignal);
      child = await launch(own, server);
    },
    abandon: () => end(child, server.abruptSignal),
  });
  return { url: server.url, pid: child.pid };
}

function postgres({ own, port, password, programs, isDurable }) {
  const data = join(own, 'data');
  const tool = (name) => join(programs, name);
  const settings = {
    port,
    listen_addresses: host,
    unix_socket_directories: '',
    max_connections: 100,
    shared_buffers: '64MB',
    // A crash of the server loses nothing either way: what was committed is in the kernel's hands.
    ...(isDurable ? {} : { fsync: 'off', full_page_writes: 'off' }),
  };
  return {
    url: `postgres://postgres:${password}@${host}:${port}/postgres`,
    gentleSignal: 'SIGINT',
    abruptSignal: 'SIGQUIT',
    async prepare() {
      const secret = join(own, 'password');
      writeFileSync(secret, password);
      const text = ['--encoding=UTF8', '--no-locale', '--auth=md5', '--username=postgres', `--pwfile=${secret}`];
      await run(tool('initdb'), ['-D', data, '--no-sync', ...text], { ...account, cwd: own });
    },
    command: [
      tool('postgres'),
      ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    ],
    isReady: () =>
      run(tool('pg_isready'), ['-q', '-h', host, '-p', String(port)]).then(
        () => true,
        () => false,
      ),
  };
}

function nats({ own, port, password, programs, maxFileBytes }) {
  const user = ['--user', 'test', '--pass', password];
  const settings = join(own, 'settings.conf');
  return {
    url: `nats://test:${password}@${host}:${port}`,
    gentleSignal: 'SIGTERM',
    abruptSignal: 'SIGKILL',
    async prepare() {
      // There is no flag for it.
      writeFileSync(settings, maxFileBytes === undefined ? '' : `jetstream { max_file_store: ${maxFileBytes} }\n`);
    },
    command: [programs, ['-c', settings, '-a', host, '-p', String(port), '-js', '-sd', join(own, 'data'), ...user]],
    isReady: () => speaks(port),
  };
}

async function launch(own, { command: [program, args], isReady }) {
  const startedMs = performance.now();
  const log = join(own, 'log');
  for (;;) {
    const child = spawn(program, args, {
      ...account,
      cwd: own,
      stdio: ['ignore', openSync(log, 'a'), openSync(log, 'a')],
    });
    child.on('error', () => {});
    const isGone = () => child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
    while (!isGone()) {
      if ((await isReady()) && !isGone()) return child;
      if (performance.now() - startedMs > startLimitMs) await end(child, 'SIGKILL');
      await delay(25);
    }
    // After a crash its former processes may still hold the memory that they shared.
    if (performance.now() - startedMs > startLimitMs || !readFileSync(log, 'utf8').includes('still in use')) {
      throw new Error(
        `${program} does not start: ${readFileSync(log, 'utf8').trim().split('\n').slice(-5).join(' | ')}`,
      );
    }
    await delay(100);
  }
}

function end(child, signal) {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill(signal);
  });
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', reject);
    probe.listen(0, host, () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/** Whether something at this port greets whoever connects. */
function speaks(port) {
  return new Promise((resolve) => {
    const socket = createConnection(port, host);
    const done = (isSpeaking) => {
      socket.destroy();
      resolve(isSpeaking);
    };
    socket.once('data', () => done(true));
    socket.once('error', () => done(false));
    socket.setTimeout(1_000, () => done(false));
  });
}

/** Whom the servers run as: PostgreSQL refuses to run as root. */
function unprivileged() {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    try {
      const idOf = (flag) => Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: 'pipe' }));
      return { uid: idOf('-u'), gid: idOf('-g') };
    } catch {}
  }
  throw new Error('there is no account but root that the servers could run as');
}
