// What links over the network do beyond the promises of a link: authentication, source ports, and servers that misbehave.

import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ServerOptions, WebSocketServer } from 'ws';
import { VirtualClock } from '../../src/adapters/clock/virtual.ts';
import { WebSocketLink, type WebSocketLinkOptions } from '../../src/adapters/link/websocket.ts';
import type { LinkRequest } from '../../src/ports/link.ts';
import { type Heard, Listener, Mailbox, settled } from './link-contract.ts';

let clock: VirtualClock;
let cleanUps: (() => void)[];

beforeEach(() => {
  clock = new VirtualClock();
  cleanUps = [];
});

afterEach(() => {
  for (const cleanUp of cleanUps) cleanUp();
});

function open(url: string, given: Partial<LinkRequest & WebSocketLinkOptions> = {}) {
  const { protocols = ['ocpp1.6'], basicAuth, ...options } = given;
  const listener = new Listener();
  const link = new WebSocketLink({ clock, ...options });
  const request = { url, protocols, ...(basicAuth === undefined ? {} : { basicAuth }) };
  const socket = link.open(request, listener);
  cleanUps.push(() => socket.drop());
  return { listener, socket, next: () => listener.next() };
}

async function reasonOf(opening: { next(): Promise<Heard> }): Promise<string> {
  const heard = await opening.next();
  return heard.kind === 'closed' ? heard.reason : `not closed but ${heard.kind}`;
}

/** A server that knows `ocpp1.6`; its address, and the requests that it accepted. */
async function csms(options: ServerOptions = {}) {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, handleProtocols: () => 'ocpp1.6', ...options });
  const requests = new Mailbox<IncomingMessage>();
  server.on('connection', (_socket, request) => requests.put(request));
  await new Promise((listening) => server.once('listening', listening));
  cleanUps.push(() => {
    for (const socket of server.clients) socket.terminate();
    server.close();
  });
  return { server, requests, url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ocpp/CP-1` };
}

/** A server of our own making, for what a proper one never does. */
async function rawServer(onConnection: (socket: Socket) => void): Promise<string> {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    onConnection(socket);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  cleanUps.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ocpp/CP-1`;
}

/** Opens the WebSocket properly and leaves the rest to `then`. */
function handshake(then: (socket: Socket) => void): (socket: Socket) => void {
  return (socket) => {
    socket.once('data', (request) => {
      const key = /sec-websocket-key: (\S+)/i.exec(request.toString())?.[1];
      const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
          `Sec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: ocpp1.6\r\n\r\n`,
      );
      then(socket);
    });
  };
}

async function httpServer(status: number, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const server: Server = createServer((_request, response) => response.writeHead(status, headers).end('no'));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  cleanUps.push(() => server.close());
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ocpp/CP-1`;
}

describe('authentication', () => {
  it('sends the credentials as HTTP Basic', async () => {
    const { url, requests } = await csms();
    open(url, { basicAuth: { user: 'CP-1', password: 'pässword:1' } });
    const [scheme, credentials = ''] = (await requests.take()).headers.authorization?.split(' ') ?? [];
    expect(scheme).toBe('Basic');
    expect(Buffer.from(credentials, 'base64').toString()).toBe('CP-1:pässword:1');
  });

  it('sends none when none are given', async () => {
    const { url, requests } = await csms();
    open(url);
    expect((await requests.take()).headers.authorization).toBeUndefined();
  });

  it('never tells a password in a reason', async () => {
    const basicAuth = { user: 'CP-1', password: 'sesame' };
    for (const address of [
      'ws://CP-1:sesame@127.0.0.1:1/x?key=sesame',
      'ws://CP-1:sesame@nowhere.invalid/',
      'sesame',
    ]) {
      expect(await reasonOf(open(address, { basicAuth }))).not.toContain('sesame');
    }
    const refusing = await httpServer(401);
    expect(await reasonOf(open(refusing.replace('//', '//CP-1:sesame@'), { basicAuth }))).not.toContain('sesame');
  });
});

describe('a connection that does not come about says why:', () => {
  it.each([
    [401, 'the CSMS answered HTTP 401 (Unauthorized)'],
    [404, 'the CSMS answered HTTP 404 (Not Found)'],
    [200, 'the CSMS answered HTTP 200 (OK)'],
    [799, 'the CSMS answered HTTP 799 (unknown status)'],
  ])('an answer of HTTP %i', async (status, reason) => {
    expect(await reasonOf(open(await httpServer(status)))).toBe(reason);
  });

  it('a redirection, which is not followed', async () => {
    const { url } = await csms();
    const reason = await reasonOf(open(await httpServer(302, { location: url })));
    expect(reason).toBe('the CSMS answered HTTP 302 (Found)');
  });

  it('nobody listens', async () => {
    expect(await reasonOf(open('ws://127.0.0.1:1/ocpp/CP-1'))).toBe('connection refused at ws://127.0.0.1:1');
  });

  it('the name is not known', async () => {
    expect(await reasonOf(open('ws://nowhere.invalid/ocpp'))).toMatch(/address.* the host nowhere\.invalid/);
  });

  it('TLS with a server that speaks none', async () => {
    const { url } = await csms();
    expect(await reasonOf(open(url.replace('ws:', 'wss:')))).toMatch(/^TLS failed: /);
  });

  it.each(['', 'CP-1', 'ftp://csms.test/CP-1', 'ws://csms.test/CP-1#fragment', 'ws://:80:80'])(
    'the address is "%s"',
    async (address) => {
      const charger = open(address);
      expect(await reasonOf(charger)).toBe('the address is not that of a WebSocket');
      charger.socket.send('nothing');
      charger.socket.close(1000, 'nothing');
      charger.socket.drop();
    },
  );

  it('the answer is not HTTP', async () => {
    const url = await rawServer((socket) => socket.write('SSH-2.0-OpenSSH_9.2\r\n'));
    expect(await reasonOf(open(url))).toMatch(/^the answer of ws:\/\/127\.0\.0\.1:\d+ is not HTTP$/);
  });

  it('the answer is not that of a WebSocket', async () => {
    const url = await rawServer((socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
    });
    expect(await reasonOf(open(url))).toMatch(/^the CSMS did not open a WebSocket: .*Accept/);
  });

  it('the server hangs up', async () => {
    const url = await rawServer((socket) => socket.once('data', () => socket.destroy()));
    expect(await reasonOf(open(url))).toMatch(/^connection reset by ws:/);
  });

  it('no answer within 30 s', async () => {
    const accepted = new Mailbox<Socket>();
    const url = await rawServer((socket) => accepted.put(socket));
    const charger = open(url);
    const connection = await accepted.take();
    clock.advance(29_000);
    await settled();
    expect(charger.listener.heard.size).toBe(0);
    clock.advance(2_000);
    expect(await reasonOf(charger)).toBe('not open within 30 s');
    await new Promise((closed) => connection.resume().once('close', closed));
  });
});

describe('a server that misbehaves', () => {
  it('is not waited for when it does not answer a close frame', async () => {
    const charger = open(await rawServer(handshake(() => {})));
    expect(await charger.next()).toMatchObject({ kind: 'opened' });
    charger.socket.close(1000, 'switched off');
    clock.advance(5_000);
    const reason = 'closed by the charger; the CSMS did not answer the close frame';
    expect(await charger.next()).toEqual({ kind: 'closed', code: 1006, reason });
  });

  it('is not waited for when it closes but keeps the connection', async () => {
    const closeFrame = Buffer.from([0x88, 0x02, 0x03, 0xe9]);
    const url = await rawServer(handshake((socket) => setTimeout(() => socket.write(closeFrame), 10)));
    const charger = open(url);
    expect(await charger.next()).toMatchObject({ kind: 'opened' });
    await settled();
    clock.advance(5_000);
    expect(await reasonOf(charger)).toBe('closed by the CSMS with 1001 (going away)');
  });

  it('is cut off when it does not read', async () => {
    const charger = open(await rawServer(handshake((socket) => socket.pause())));
    expect(await charger.next()).toMatchObject({ kind: 'opened' });
    const message = 'x'.repeat(1_000_000);
    for (let sent = 0; sent < 100; sent++) charger.socket.send(message);
    expect(await reasonOf(charger)).toBe('the CSMS does not read: more than 4 MiB wait to be sent');
  });

  it.each([
    ['binary messages are handed on as text', [0x82, 0x02, 0x68, 0x69], { kind: 'message', text: 'hi' }],
    [
      'text that is not UTF-8',
      [0x81, 0x01, 0xff],
      { kind: 'closed', code: 1007, reason: 'the CSMS sent text that is not UTF-8' },
    ],
    [
      'an unknown kind of frame',
      [0x83, 0x00],
      { kind: 'closed', code: 1002, reason: expect.stringContaining('protocol') },
    ],
    [
      'a close frame without a code',
      [0x88, 0x00],
      { kind: 'closed', code: 1005, reason: 'closed by the CSMS without a code' },
    ],
  ])('is understood as far as possible: %s', async (_name, frame, expected) => {
    const url = await rawServer(handshake((socket) => setTimeout(() => socket.end(Buffer.from(frame)), 10)));
    const charger = open(url);
    expect(await charger.next()).toMatchObject({ kind: 'opened' });
    expect(await charger.next()).toEqual(expected);
  });
});

describe('source addresses', () => {
  it('are used in turn, with ports of the range', async () => {
    const { url, requests } = await csms();
    const link = new WebSocketLink({
      clock,
      sourceAddresses: ['127.0.0.2', '127.0.0.3'],
      sourcePorts: { first: 23_000, last: 23_999 },
    });
    const seen: string[] = [];
    for (let times = 0; times < 6; times++) {
      const socket = link.open({ url, protocols: ['ocpp1.6'] }, new Listener());
      cleanUps.push(() => socket.drop());
      const { remoteAddress = '', remotePort = 0 } = (await requests.take()).socket;
      seen.push(remoteAddress);
      expect(remotePort).toBeGreaterThanOrEqual(23_000);
      expect(remotePort).toBeLessThan(24_000);
    }
    expect(seen.slice(0, 2).sort()).toEqual(['127.0.0.2', '127.0.0.3']);
    expect(seen).toEqual([...seen.slice(0, 2), ...seen.slice(0, 2), ...seen.slice(0, 2)]);
  });

  it('are not used up by ports that are taken: the next one is tried', async () => {
    const { url, requests } = await csms();
    const range = { sourceAddresses: ['127.0.0.4'], sourcePorts: { first: 24_000, last: 24_003 } };
    const ports: number[] = [];
    for (let times = 0; times < 4; times++) {
      // Each link of its own, and so from a random port on.
      const charger = open(url, range);
      expect(await charger.next()).toMatchObject({ kind: 'opened' });
      ports.push((await requests.take()).socket.remotePort ?? 0);
    }
    expect(ports.sort()).toEqual([24_000, 24_001, 24_002, 24_003]);
    expect(await reasonOf(open(url, range))).toBe('no free local port towards the CSMS');
  });

  it('must be of this machine', async () => {
    const { url } = await csms();
    const reason = await reasonOf(open(url, { sourceAddresses: ['192.0.2.1'] }));
    expect(reason).toBe('the source address 192.0.2.1 is not of this machine');
  });
});
