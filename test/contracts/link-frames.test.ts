// The wire format of links over the network, held against an implementation that we did not write, and against servers that cut corners.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import { VirtualClock } from '../../src/adapters/clock/virtual.ts';
import { WebSocketLink } from '../../src/adapters/link/websocket.ts';
import { textFrame } from '../../src/adapters/link/write-frames.ts';
import { Listener, Mailbox, settled } from './link-contract.ts';

let clock: VirtualClock;
let cleanUps: (() => void)[];

beforeEach(() => {
  clock = new VirtualClock();
  cleanUps = [];
});

afterEach(() => {
  for (const cleanUp of cleanUps) cleanUp();
});

function open(port: number, host = '127.0.0.1') {
  const listener = new Listener();
  const socket = new WebSocketLink({ clock }).open(
    { url: `ws://${host}:${port}/CP-1`, protocols: ['ocpp1.6'] },
    listener,
  );
  cleanUps.push(() => socket.drop());
  return { listener, socket, next: () => listener.next() };
}

/** A charger and the server's end of its line. */
async function connected(options: ServerOptions = {}) {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, handleProtocols: () => 'ocpp1.6', ...options });
  await once(server, 'listening');
  cleanUps.push(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  const peers = new Mailbox<WebSocket>();
  server.on('connection', (peer) => peers.put(peer));
  const charger = open((server.address() as AddressInfo).port);
  const peer = await peers.take();
  expect(await charger.next()).toEqual({ kind: 'opened', protocol: 'ocpp1.6' });
  return { ...charger, peer };
}

/** A server that answers the handshake by `answer`, which is given the bytes of a proper one. */
async function rawServer(answer: (socket: Socket, head: Buffer) => void) {
  const accepted = new Mailbox<Socket>();
  const server = createServer((socket) => {
    socket.on('error', () => {});
    cleanUps.push(() => socket.destroy());
    socket.once('data', (request) => {
      const key = /sec-websocket-key: (\S+)/i.exec(request.toString())?.[1];
      const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
      accepted.put(socket);
      const lines = [
        'HTTP/1.1 101 Switching Protocols',
        'Upgrade: websocket',
        'Connection: Upgrade',
        `Sec-WebSocket-Accept: ${accept}`,
        'Sec-WebSocket-Protocol: ocpp1.6',
        '',
        '',
      ];
      answer(socket, Buffer.from(lines.join('\r\n')));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUps.push(() => server.close());
  return { port: (server.address() as AddressInfo).port, accepted };
}

describe('what a charger sends', () => {
  it('is read as it was meant by another implementation', async () => {
    const { peer, socket } = await connected();
    const heard = new Mailbox<string>();
    peer.on('message', (data) => heard.put(data.toString()));
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.integer({ min: 0, max: 70_000 }).map((size) => 'é'.repeat(size)),
      fc.constantFrom(0, 1, 125, 126, 65_535, 65_536).map((size) => 'x'.repeat(size)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 4 }), async (texts) => {
        for (const text of texts) socket.send(text);
        for (const text of texts) expect(await heard.take()).toBe(text);
      }),
    );
  });

  it('is masked anew for every frame', () => {
    const masks = Array.from({ length: 5_000 }, () => textFrame('x').toString('hex', 2, 6));
    // Of 5 000 out of four billion hardly any two are alike.
    expect(new Set(masks).size).toBeGreaterThan(4_990);
  });
});

describe('a server of another make', () => {
  it('may send messages in fragments, with pings between them', async () => {
    const { peer, next } = await connected();
    const pongs = new Mailbox<string>();
    peer.on('pong', (data) => pongs.put(data.toString()));
    peer.send('[2,"1",', { fin: false });
    peer.ping('still there?');
    peer.send(Buffer.from('"Grüße"').subarray(0, 5), { fin: false, binary: false });
    peer.send(Buffer.from('"Grüße"').subarray(5), { fin: false, binary: false });
    peer.send(']', { fin: true });
    peer.send('whole');
    expect(await next()).toEqual({ kind: 'message', text: '[2,"1","Grüße"]' });
    expect(await next()).toEqual({ kind: 'message', text: 'whole' });
    expect(await pongs.take()).toBe('still there?');
  });

  it('that would compress is not taken up on it', async () => {
    const { peer, socket, next } = await connected({ perMessageDeflate: { threshold: 0 } });
    expect(peer.extensions).toBe('');
    const text = 'x'.repeat(100_000);
    peer.send(text);
    expect(await next()).toEqual({ kind: 'message', text });
    peer.once('message', (data) => peer.send(`heard ${data.toString().length}`));
    socket.send(text);
    expect(await next()).toEqual({ kind: 'message', text: 'heard 100000' });
  });

  it.each([1000, 1001, 1008, 1011, 1012, 3000, 4999])('that closes with %i hears the same back', async (code) => {
    const { peer, next } = await connected();
    const closed = once(peer, 'close');
    peer.close(code, 'that is all');
    expect(await next()).toEqual({ kind: 'closed', code, reason: `closed by the CSMS with ${code} (that is all)` });
    expect(((await closed) as [number, Buffer])[0]).toBe(code);
  });

  it('may go on talking until it has read that the charger closes', async () => {
    const { peer, socket, next } = await connected();
    peer.pause();
    socket.close(1000, 'done');
    peer.send('one more thing');
    peer.ping();
    expect(await next()).toEqual({ kind: 'message', text: 'one more thing' });
    peer.resume();
    expect(await next()).toMatchObject({ kind: 'closed', code: 1000 });
  });

  it('may be known by a name with several addresses', async () => {
    const { port } = await rawServer((socket, head) => socket.write(head));
    expect(await open(port, 'localhost').next()).toMatchObject({ kind: 'opened' });
  });
});

describe('a server that cuts corners', () => {
  const hello = Buffer.concat([Buffer.of(0x81, 5), Buffer.from('hello')]);

  it('may begin to talk in the same breath as it opens', async () => {
    const { port } = await rawServer((socket, head) =>
      socket.write(Buffer.concat([head, hello, hello.subarray(0, 3)])),
    );
    const { next, listener } = open(port);
    expect([await next(), await next()]).toEqual([
      { kind: 'opened', protocol: 'ocpp1.6' },
      { kind: 'message', text: 'hello' },
    ]);
    await settled();
    expect(listener.heard.size).toBe(0);
  });

  it('may answer byte by byte', async () => {
    const { port } = await rawServer(async (socket, head) => {
      socket.setNoDelay(true);
      for (const byte of Buffer.concat([head, hello])) {
        socket.write(Buffer.of(byte));
        await new Promise((later) => setImmediate(later));
      }
    });
    const { next } = open(port);
    expect([(await next()).kind, await next()]).toEqual(['opened', { kind: 'message', text: 'hello' }]);
  });

  it('is told why when it breaks the protocol', async () => {
    const { port, accepted } = await rawServer((socket, head) =>
      socket.write(Buffer.concat([head, Buffer.of(0x83, 0), hello])),
    );
    const { next, listener } = open(port);
    const received: Buffer[] = [];
    const socket = await accepted.take();
    socket.on('data', (bytes: Buffer) => received.push(bytes));
    expect(await next()).toMatchObject({ kind: 'opened' });
    expect(await next()).toMatchObject({ kind: 'closed', code: 1002 });
    const bytes = Buffer.concat(received);
    expect([bytes[0], bytes[1], bytes.length]).toEqual([0x88, 0x82, 8]);
    expect([(bytes[6] ?? 0) ^ (bytes[2] ?? 0), (bytes[7] ?? 0) ^ (bytes[3] ?? 0)]).toEqual([0x03, 0xea]);
    expect(listener.heard.size).toBe(0);
  });

  it('is not waited for when it breaks the protocol and keeps the connection', async () => {
    const { port, accepted } = await rawServer((socket, head) =>
      socket.write(Buffer.concat([head, Buffer.of(0x83, 0)])),
    );
    const { next } = open(port);
    (await accepted.take()).pause();
    expect(await next()).toMatchObject({ kind: 'opened' });
    await settled();
    clock.advance(5_000);
    expect(await next()).toMatchObject({ kind: 'closed', code: 1002 });
  });

  it('has gone when it closes its half of the connection', async () => {
    const { port } = await rawServer((socket, head) => socket.end(head));
    const { next } = open(port);
    expect(await next()).toMatchObject({ kind: 'opened' });
    const reason = 'the connection broke without a close frame';
    expect(await next()).toEqual({ kind: 'closed', code: 1006, reason });
  });

  it('is cut off when it pings and does not read the answers', async () => {
    const ping = Buffer.concat([Buffer.of(0x89, 125), Buffer.alloc(125)]);
    const pings = Buffer.concat(Array.from({ length: 1_000 }, () => ping));
    const { port } = await rawServer((socket, head) => {
      socket.write(head);
      socket.pause();
      const more = () => {
        if (!socket.destroyed) socket.write(pings, () => setImmediate(more));
      };
      more();
    });
    const { next } = open(port);
    expect(await next()).toMatchObject({ kind: 'opened' });
    expect(await next()).toMatchObject({ kind: 'closed', reason: expect.stringContaining('does not read') });
  });
});
