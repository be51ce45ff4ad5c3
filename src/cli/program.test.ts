// Checks the command line: what it calls, what it prints, and how it says no.
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SystemClock } from '../adapters/clock/system.ts';
import { scopes } from '../auth/scopes.ts';
import { type Config, flags, readConfig } from '../config.ts';
import { secretTokenKey, tokenVerifier } from '../http/token-verifier.ts';
import { firstStartNotice } from './first-start-notice.ts';
import { runProgram } from './program.ts';
import { keptSecret, signingSecret } from './secret.ts';

let folder: string;
let printed: { code: number; stdout: string; stderr: string };
let served: Config[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chargesim-'));
  served = [];
});
afterEach(() => rm(folder, { recursive: true }));

async function run(args: readonly string[], env: Record<string, string> = {}): Promise<typeof printed> {
  let stdout = '';
  let stderr = '';
  const code = await runProgram(args, {
    serve: async (config) => void served.push(config),
    env: { DATA_DIR: folder, ...env },
    stdout: (text) => {
      stdout += text;
    },
    stderr: (text) => {
      stderr += text;
    },
  });
  return { code, stdout, stderr };
}

describe('chargesim serve', () => {
  it('serves with what flags and environment say', async () => {
    expect(await run(['serve', '--port', '0', '--workers', '2'], { PORT: '1', SEED: '5' })).toMatchObject({ code: 0 });
    expect(served).toEqual([expect.objectContaining({ port: 0, workers: 2, seed: 5, dataDir: folder })]);
  });

  it('refuses a bad setting in one line', async () => {
    expect(await run(['serve'], { PORT: 'x' })).toEqual({
      code: 2,
      stdout: '',
      stderr: 'chargesim: PORT must be a whole number from 0 to 65535, not "x"\n',
    });
    expect(served).toEqual([]);
  });

  it('explains every setting', async () => {
    const { code, stdout } = await run(['serve', '--help']);
    expect(code).toBe(0);
    for (const { syntax } of flags) expect(stdout).toContain(syntax);
    expect(stdout).toMatch(/\(DATA_DIR,\s+default \.\/data\)/);
  });

  it('tells an error of the gateway without its inside', async () => {
    let stderr = '';
    const code = await runProgram(['serve'], {
      serve: async () => {
        throw new Error('the port 8080 is taken');
      },
      env: {},
      stderr: (text) => {
        stderr += text;
      },
    });
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'chargesim: the port 8080 is taken\n' });
  });
});

describe('chargesim', () => {
  it.each([[['dance']], [['serv']], [['serve', '--colour']], [['serve', 'me']], [['token', '--ttl']]])(
    'called with %j says what is wrong, and ends with 2',
    async (args) => {
      const { code, stdout, stderr } = await run(args);
      expect(code).toBe(2);
      expect(stdout).toBe('');
      expect(stderr).toMatch(/^chargesim: .+\n$/);
    },
  );

  it('tells its version and its commands', async () => {
    expect((await run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await run(['--help'])).stdout).toMatch(/serve .*\n +token /);
  });
});

describe('chargesim token', () => {
  it('prints a token alone, good for everything for eight hours', async () => {
    const { secret } = await signingSecret(readConfig({ DATA_DIR: folder }));
    const { code, stdout, stderr } = await run(['token']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^\S+\n$/);
    const { exp = 0, iat = 0, ...claims } = decodeJwt(stdout.trim());
    expect(exp - iat).toBe(8 * 3_600);
    expect(claims).toEqual({ sub: 'developer', org: 'demo', scope: scopes.join(' ') });
    const verify = tokenVerifier({
      key: secretTokenKey(secret ?? ''),
      issuer: null,
      audience: null,
      clock: new SystemClock(),
    });
    expect(await verify(stdout.trim())).toHaveProperty('claims');
  });

  it('makes it as it is wished for', async () => {
    const wish = ['--org', 'acme', '--scope', 'chargers:read  commands:write', '--ttl', '15m', '--subject', 'ci'];
    const { stdout } = await run(['token', ...wish], { JWT_SECRET: 'x', JWT_ISSUER: 'me', JWT_AUDIENCE: 'you' });
    const { exp = 0, iat = 0, ...claims } = decodeJwt(stdout.trim());
    expect(exp - iat).toBe(900);
    expect(claims).toEqual({ sub: 'ci', org: 'acme', scope: 'chargers:read commands:write', iss: 'me', aud: 'you' });
  });

  it.each([
    [['--ttl', '8'], '--ttl must be a time from 1s to 3650d, such as 90s, 15m, 8h or 30d, not "8"'],
    [['--ttl', '0s'], '--ttl must be a time from 1s to 3650d, such as 90s, 15m, 8h or 30d, not "0s"'],
    [['--scope', 'chargers:raed'], `--scope must be some of ${scopes.join(' ')}, not "chargers:raed"`],
    [['--org', ''], '--org and --subject must not be empty'],
  ])('refuses %j', async (args, sentence) => {
    const reply = await run(['token', ...args], { JWT_SECRET: 'x' });
    expect(reply).toEqual({ code: 2, stdout: '', stderr: `chargesim: ${sentence}\n` });
  });

  it.each([
    ['JWKS_URL', 'https://login.example.com/keys'],
    ['JWKS_FILE', '/etc/keys.json'],
  ])('says why there is none with %s', async (name, value) => {
    await signingSecret(readConfig({ DATA_DIR: folder }));
    expect(await run(['token'], { [name]: value })).toEqual({
      code: 2,
      stdout: '',
      stderr: `chargesim: with ${name} tokens are signed by whoever holds the private key; here are only public ones, so no token can be made\n`,
    });
  });

  it('says what to do when there is no secret', async () => {
    const { code, stderr } = await run(['token']);
    expect(code).toBe(2);
    expect(stderr).toBe(
      `chargesim: there is no secret to sign with: set JWT_SECRET, or start the gateway once, which makes one in ${folder}\n`,
    );
  });
});

describe('the secret', () => {
  it('is made once, for the owner’s eyes only, and kept', async () => {
    const config = readConfig({ DATA_DIR: join(folder, 'new', 'folder') });
    expect(await keptSecret(config.dataDir)).toBe(null);
    const [first, second] = await Promise.all([signingSecret(config), signingSecret(config)]);
    expect(first).toEqual({ secret: expect.stringMatching(/^[\w-]{43}$/), generated: true });
    expect(second).toEqual(first);
    expect(await signingSecret(config)).toEqual(first);
    expect(await readdir(config.dataDir)).toEqual(['secret']);
    expect((await stat(join(config.dataDir, 'secret'))).mode & 0o777).toBe(0o600);
  });

  it('is not made when one is configured', async () => {
    const config = readConfig({ DATA_DIR: folder, JWT_SECRET: 'mine' });
    expect(await signingSecret(config)).toEqual({ secret: 'mine', generated: false });
    expect(await readdir(folder)).toEqual([]);
  });

  it('is not made where there are public keys', async () => {
    const config = readConfig({ DATA_DIR: folder, JWKS_URL: 'https://login.example.com/keys' });
    expect(await signingSecret(config)).toEqual({ secret: null, generated: false });
    expect(await readdir(folder)).toEqual([]);
  });

  it('that is empty, or a folder that is none, is refused in one line', async () => {
    await writeFile(join(folder, 'secret'), '\n');
    await expect(signingSecret(readConfig({ DATA_DIR: folder }))).rejects.toThrow(/^the secret .* is empty: delete it/);
    await expect(signingSecret(readConfig({ DATA_DIR: join(folder, 'secret') }))).rejects.toThrow(/ENOTDIR/);
  });
});

describe('the notice of the first start', () => {
  it('has the token and a line that a shell understands', () => {
    const notice = firstStartNotice('http://127.0.0.1:8080', 'aaa.bbb.ccc');
    expect(notice).toContain('\naaa.bbb.ccc\n');
    const [line = ''] = notice.split('\n').filter((each) => each.startsWith('curl '));
    const words = execFileSync('sh', ['-c', `printf '%s\\n' ${line}`], { encoding: 'utf8' })
      .trimEnd()
      .split('\n');
    expect(words).toEqual([
      ...['curl', '-sS', 'http://127.0.0.1:8080/ocpp/chargers', '-H', 'Authorization: Bearer aaa.bbb.ccc'],
      ...['-H', 'Content-Type: application/json', '-d', '{}'],
    ]);
  });
});
