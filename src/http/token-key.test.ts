// Checks that tokens are checked with what is configured: a secret, a file of public keys, or an address of them.
import { createPublicKey, createSecretKey } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '../adapters/clock/virtual.ts';
import { tokenKey } from './token-key.ts';
import { tokenVerifier } from './token-verifier.ts';

const clock = new VirtualClock(1_700_000_000_000);
const log = { info: () => {}, warn: () => {} };
const genuine = { claims: expect.anything() };
const invalid = { rejected: 'the bearer token is not valid' };

const verifierOf = async (settings: { jwksUrl?: string; jwksFile?: string }, secret: string | null = null) =>
  tokenVerifier({
    key: await tokenKey({ jwksUrl: null, jwksFile: null, ...settings }, secret, { clock, log }),
    issuer: null,
    audience: null,
    clock,
  });

interface Pair {
  readonly key: JWK;
  readonly privateKey: CryptoKey;
  sign(): Promise<string>;
}

async function pair(alg: string, kid: string): Promise<Pair> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return {
    key: { ...(await exportJWK(publicKey)), kid },
    privateKey,
    sign: () => new SignJWT({ sub: 'x' }).setProtectedHeader({ alg, kid }).sign(privateKey),
  };
}

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keys-'));
  file = join(folder, 'jwks.json');
});
afterEach(() => rm(folder, { recursive: true }));

const write = (keys: readonly JWK[]) => writeFile(file, JSON.stringify({ keys }));

describe('a file of public keys', () => {
  it.each(['RS256', 'ES256', 'EdDSA'])('checks tokens signed with %s', async (alg) => {
    const mine = await pair(alg, 'mine');
    await write([mine.key]);
    const verify = await verifierOf({ jwksFile: file });
    expect(await verify(await mine.sign())).toEqual(genuine);
    expect(await verify(await (await pair(alg, 'mine')).sign())).toEqual(invalid);
  });

  it.each(['ES384', 'ES512'])('takes nothing signed with %s', async (alg) => {
    const mine = await pair(alg, 'mine');
    await write([mine.key]);
    expect(await (await verifierOf({ jwksFile: file }))(await mine.sign())).toEqual(invalid);
  });

  it('is no secret to sign with: a token signed with the public key itself is refused', async () => {
    const mine = await pair('ES256', 'mine');
    await write([mine.key, { kty: 'oct', kid: 'oct', k: 'c2VjcmV0' }]);
    const verify = await verifierOf({ jwksFile: file });
    const pem = createPublicKey({ key: mine.key, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
    for (const [kid, secret] of [
      ['mine', pem],
      ['mine', JSON.stringify(mine.key)],
      ['oct', 'secret'.repeat(6)],
    ] as const) {
      const forged = await new SignJWT({ sub: 'x' })
        .setProtectedHeader({ alg: 'HS256', kid })
        .sign(createSecretKey(String(secret), 'utf8'));
      expect(await verify(forged)).toEqual(invalid);
    }
  });

  it('is read again when it changes', async () => {
    const [first, second] = await Promise.all([pair('ES256', 'first'), pair('ES256', 'second')]);
    await write([first.key]);
    const verify = await verifierOf({ jwksFile: file });
    const known = await first.sign();
    expect(await verify(known)).toEqual(genuine);
    await write([second.key]);
    clock.advance(1_000);
    expect(await verify(await second.sign())).toEqual(genuine);
    expect(await verify(await first.sign())).toEqual(invalid);
    clock.advance(30_000);
    expect(await verify(known)).toEqual(invalid);
  });

  it('that cannot be used stops the start with one line', async () => {
    const start = () => verifierOf({ jwksFile: file });
    const said = (why: string) => ({ code: 'bad_setting', message: `JWKS_FILE ${file} cannot be used: ${why}` });
    await expect(start()).rejects.toMatchObject(said('it cannot be read (ENOENT)'));
    for (const text of ['', 'no JSON', '[]', '{"keys": {}}', '{"keys": [7]}']) {
      await writeFile(file, text);
      await expect(start()).rejects.toMatchObject(said('it is not a JSON Web Key Set, such as {"keys": [ … ]}'));
    }
    await write([await exportJWK((await pair('ES256', 'x')).privateKey)]);
    await expect(start()).rejects.toMatchObject(said('it holds a private key; only public ones belong here'));
  });
});

describe('an address of public keys', () => {
  let server: Server;
  let url: string;
  let answer: { status: number; text: string };
  beforeEach(async () => {
    server = createServer((_, response) => response.writeHead(answer.status).end(answer.text));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it('is asked for them', async () => {
    const mine = await pair('EdDSA', 'mine');
    answer = { status: 200, text: JSON.stringify({ keys: [mine.key] }) };
    const verify = await verifierOf({ jwksUrl: url });
    expect(await verify(await mine.sign())).toEqual(genuine);
    expect(await verify(await (await pair('EdDSA', 'mine')).sign())).toEqual(invalid);
  });

  it.each([
    [404, 'nothing here'],
    [200, 'no JSON'],
    [200, '{"keys": 7}'],
    [302, ''],
  ])('that answers %i %s is as good as none', async (status, text) => {
    answer = { status, text };
    const verify = await verifierOf({ jwksUrl: url });
    await expect(verify(await (await pair('EdDSA', 'x')).sign())).rejects.toMatchObject({ status: 503 });
  });

  it('that nobody answers at stops no start', async () => {
    await new Promise((resolve) => server.close(resolve));
    const verify = await verifierOf({ jwksUrl: url });
    await expect(verify(await (await pair('EdDSA', 'x')).sign())).rejects.toMatchObject({ status: 503 });
  });
});

describe('a secret', () => {
  it('checks tokens where there are no public keys', async () => {
    const secret = 'a secret that is long enough for tests';
    const token = await new SignJWT({ sub: 'x' })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(createSecretKey(secret, 'utf8'));
    expect(await (await verifierOf({}, secret))(token)).toEqual(genuine);
  });

  it('must be there then', async () => {
    await expect(verifierOf({})).rejects.toThrow('bug: there is nothing to check tokens with');
  });
});
