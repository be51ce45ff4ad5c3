// The promises of file transfers, kept over HTTP, HTTPS and FTP on loopback, and without a network.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { MemoryFiles } from '../../src/adapters/files/memory.ts';
import { NetworkFiles } from '../../src/adapters/files/network.ts';
import type { Files } from '../../src/ports/files.ts';
import { authority, certificateFor } from '../certificates.ts';
import { ftpServer } from './ftp-server.ts';

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

const content = Buffer.from('what the charger has to say\n'.repeat(10_000));

interface Place {
  readonly files: Files;
  readonly url: string;
  /** What lies there, by path. */
  stored(path: string): Uint8Array | undefined;
  serve(path: string, file: Uint8Array): void;
}

async function listen<Kind extends Server>(server: Kind): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  cleanUps.push(() => {
    (server as unknown as { closeAllConnections(): void }).closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

type Serve = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

async function http(serve: Serve): Promise<string> {
  const server = createServer((request, response) => void withBody(request, response, serve));
  return `http://127.0.0.1:${await listen(server)}`;
}

async function withBody(request: IncomingMessage, response: ServerResponse, serve: Serve): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  serve(request, response, Buffer.concat(pieces));
}

const places: Readonly<Record<string, () => Promise<Place>>> = {
  async HTTP() {
    const kept = new Map<string, Uint8Array>();
    const url = await http((request, response, body) => {
      const path = request.url ?? '';
      if (request.method === 'PUT') {
        kept.set(path, body);
        response.writeHead(201).end();
      } else if (kept.has(path)) response.end(kept.get(path));
      else response.writeHead(404).end();
    });
    return {
      files: new NetworkFiles(),
      url,
      stored: (path) => kept.get(path),
      serve: (path, file) => void kept.set(path, file),
    };
  },
  async FTP() {
    const server = await ftpServer();
    cleanUps.push(() => server.close());
    return {
      files: new NetworkFiles(),
      url: server.url,
      stored: (path) => server.files.get(path),
      serve: (path, file) => void server.files.set(path, Buffer.from(file)),
    };
  },
  async 'no network'() {
    const files = new MemoryFiles();
    const url = 'http://files.test';
    return {
      files,
      url,
      stored: (path) =>
        files.received.find(({ location, fileName }) => `${location.replace(/\/$/, '')}/${fileName}` === url + path)
          ?.content,
      serve: (path, file) => void files.served.set(url + path, file),
    };
  },
};

for (const [name, place] of Object.entries(places)) {
  describe(`files over ${name}`, () => {
    it('are put into their place under their name, with a slash at the end of the place or not', async () => {
      const { files, url, stored } = await place();
      await files.upload(`${url}/logs`, 'one.txt', content);
      await files.upload(`${url}/logs/`, 'two.txt', content);
      expect(Buffer.from(stored('/logs/one.txt') ?? []).equals(content)).toBe(true);
      expect(Buffer.from(stored('/logs/two.txt') ?? []).equals(content)).toBe(true);
    });

    it('are fetched piece by piece', async () => {
      const { files, url, serve } = await place();
      serve('/firmware.bin', content);
      const pieces: Uint8Array[] = [];
      await files.download(`${url}/firmware.bin`, (piece) => pieces.push(piece));
      expect(Buffer.concat(pieces).equals(content)).toBe(true);
    });

    it('that are not there cannot be fetched', async () => {
      const { files, url } = await place();
      await expect(files.download(`${url}/nothing.bin`, () => {})).rejects.toHaveProperty('name', 'Failure');
    });

    it('are called off before they begin', async () => {
      const { files, url } = await place();
      const signal = AbortSignal.abort();
      await expect(files.upload(`${url}/logs`, 'a', content, { signal })).rejects.toHaveProperty('code', 'file_failed');
    });

    it('go nowhere where there is no way to go', async () => {
      const { files } = await place();
      for (const location of ['nonsense', 'mailto:operator@example.com', 'sftp://127.0.0.1/']) {
        await expect(files.upload(location, 'a', content)).rejects.toHaveProperty('code', 'file_unsupported');
      }
    });
  });
}

describe('files over HTTP', () => {
  const files = new NetworkFiles({ maxBytes: 1000 });

  it('are posted to servers that know no PUT', async () => {
    const seen: string[] = [];
    const url = await http((request, response, body) => {
      seen.push(`${request.method} ${request.url} ${body.length}`);
      response.writeHead(request.method === 'POST' ? 200 : 405).end();
    });
    await files.upload(`${url}/upload?token=1`, 'log.txt', content);
    expect(seen).toEqual([`PUT /upload/log.txt?token=1 ${content.length}`, `POST /upload?token=1 ${content.length}`]);
  });

  it('use the name and the password in the address', async () => {
    let authorization = '';
    const url = await http((request, response) => {
      authorization = request.headers.authorization ?? '';
      response.end();
    });
    await files.upload(`${url.replace('//', '//charger:secret@')}/logs`, 'a', content);
    expect(authorization).toBe(`Basic ${Buffer.from('charger:secret').toString('base64')}`);
  });

  it('follow a server that sends them elsewhere, but not for ever', async () => {
    const url = await http((request, response) => {
      if (request.url === '/new') response.end('firmware');
      else response.writeHead(302, { Location: request.url === '/old' ? '/new' : '/circle' }).end();
    });
    const pieces: Uint8Array[] = [];
    await files.download(`${url}/old`, (piece) => pieces.push(piece));
    expect(Buffer.concat(pieces).toString()).toBe('firmware');
    await expect(files.download(`${url}/circle`, () => {})).rejects.toThrow('redirected more than 5 times');
  });

  it.each([
    [401, 'file_denied'],
    [403, 'file_denied'],
    [500, 'file_failed'],
  ])('tell HTTP %i as %s', async (status, code) => {
    const url = await http((_request, response) => response.writeHead(status).end());
    await expect(files.upload(`${url}/logs`, 'a', content)).rejects.toHaveProperty('code', code);
    await expect(files.download(`${url}/logs`, () => {})).rejects.toHaveProperty('code', code);
  });

  it('end when they are too large, end early, or do not move', async () => {
    const url = await http((request, response) => {
      if (request.url === '/large') response.end(Buffer.alloc(2000));
      else if (request.url === '/short') {
        response.writeHead(200, { 'Content-Length': 100 }).write('x');
        setImmediate(() => response.destroy());
      }
    });
    await expect(files.download(`${url}/large`, () => {})).rejects.toHaveProperty('code', 'file_too_large');
    await expect(files.download(`${url}/short`, () => {})).rejects.toHaveProperty('code', 'file_failed');
    const impatient = new NetworkFiles({ idleMs: 50 });
    await expect(impatient.download(`${url}/silent`, () => {})).rejects.toThrow('nothing has moved');
    await expect(impatient.upload(`${url}/silent`, 'a', content)).rejects.toThrow('nothing has moved');
  });

  it('are called off under way', async () => {
    const stop = new AbortController();
    const url = await http(() => stop.abort());
    const patient = new NetworkFiles();
    await expect(patient.download(`${url}/slow`, () => {}, { signal: stop.signal })).rejects.toHaveProperty(
      'code',
      'file_failed',
    );
  });

  it('trust the roots that the charger was given', async () => {
    const root = authority('Root');
    const server = certificateFor('files', { issuer: root, addresses: ['127.0.0.1'] });
    const secure = createSecureServer({ cert: server.certificate, key: server.key }, (request, response) => {
      request.resume().on('end', () => response.end());
    });
    const url = `https://127.0.0.1:${await listen(secure)}/logs`;
    await expect(new NetworkFiles().upload(url, 'a', content)).rejects.toHaveProperty('code', 'file_failed');
    await new NetworkFiles().upload(url, 'a', content, { roots: [root.certificate] });
  });
});

describe('files over FTP', () => {
  it('are denied to those who do not know the password, and where nothing may be put', async () => {
    const server = await ftpServer();
    cleanUps.push(() => server.close());
    const files = new NetworkFiles();
    const wrong = server.url.replace('secret', 'guess');
    await expect(files.upload(`${wrong}/logs`, 'a', content)).rejects.toHaveProperty('code', 'file_denied');
    await expect(files.upload(`${server.url}/locked`, 'a', content)).rejects.toHaveProperty('code', 'file_denied');
  });

  it('end when they are too large or the server does not answer', async () => {
    const server = await ftpServer();
    const silent = await ftpServer({ silent: true });
    cleanUps.push(
      () => server.close(),
      () => silent.close(),
    );
    server.files.set('/firmware.bin', Buffer.alloc(2000));
    const files = new NetworkFiles({ maxBytes: 1000 });
    const impatient = new NetworkFiles({ idleMs: 50 });
    await expect(files.download(`${server.url}/firmware.bin`, () => {})).rejects.toHaveProperty(
      'code',
      'file_too_large',
    );
    await expect(impatient.download(`${silent.url}/firmware.bin`, () => {})).rejects.toHaveProperty(
      'code',
      'file_failed',
    );
  });
});
