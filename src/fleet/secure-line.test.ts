// A charger that is made more and more secure from afar, over real sockets: password, TLS, a certificate of its own.

import { createPublicKey } from 'node:crypto';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { authority, certificateFor } from '../../test/certificates.ts';
import { record } from '../../test/fleet-world.ts';
import { SystemClock } from '../adapters/clock/system.ts';
import { MemoryFiles } from '../adapters/files/memory.ts';
import { MemoryJournal } from '../adapters/journal/memory.ts';
import { elementAt, pem } from '../adapters/keys/der.ts';
import { NodeKeys } from '../adapters/keys/node.ts';
import { WebSocketLink } from '../adapters/link/websocket.ts';
import { loadDialect } from '../ocpp/dialects.ts';
import { Fleet } from './fleet.ts';

const root = authority('CSMS root');
const server = certificateFor('csms', { issuer: root, addresses: ['127.0.0.1'] });

/** A CSMS that takes plain and encrypted lines on the same port, and writes down how each charger came. */
class SecureCsms {
  readonly lines: string[] = [];
  csr = '';
  #socket: WebSocket | null = null;
  readonly #waiting: { until: () => boolean; resolve: () => void }[] = [];
  readonly #replies = new Map<string, unknown>();
  readonly #servers = [
    createHttpServer(),
    createHttpsServer({
      cert: server.certificate,
      key: server.key,
      requestCert: true,
      ca: root.certificate,
      rejectUnauthorized: false,
    }),
  ] as const;
  readonly #front = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('readable', () => {
      const first = socket.read(1) as Buffer | null;
      if (first === null) return;
      socket.unshift(first);
      // A TLS handshake begins with 22.
      this.#servers[first[0] === 22 ? 1 : 0].emit('connection', socket);
    });
  });

  async listen(): Promise<string> {
    for (const each of this.#servers) {
      const sockets = new WebSocketServer({ server: each, handleProtocols: () => 'ocpp1.6' });
      sockets.on('connection', (socket, request) => this.#connected(socket, request));
    }
    await new Promise<void>((listening) => this.#front.listen(0, '127.0.0.1', () => listening()));
    return `ws://127.0.0.1:${(this.#front.address() as AddressInfo).port}/CP-1`;
  }

  close(): void {
    this.#socket?.terminate();
    this.#front.close();
  }

  async ask(action: string, payload: object): Promise<unknown> {
    const id = `csms-${this.#replies.size}`;
    this.#socket?.send(JSON.stringify([2, id, action, payload]));
    await this.until(() => this.#replies.has(id));
    return this.#replies.get(id);
  }

  until(until: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ until, resolve });
      this.#look();
    });
  }

  #connected(socket: WebSocket, request: IncomingMessage): void {
    this.#socket = socket;
    const { encrypted, authorized, getPeerCertificate } = request.socket as Partial<TLSSocket>;
    const shown = authorized ? ` as ${String(getPeerCertificate?.call(request.socket).subject.CN)}` : '';
    const password = request.headers.authorization?.replace('Basic ', '') ?? '';
    this.lines.push(`${encrypted ? 'TLS' : 'plain'}${shown} ${Buffer.from(password, 'base64')}`.trim());
    socket.on('message', (text) =>
      this.#heard(socket, JSON.parse(text.toString()) as [number, string, string, Record<string, string>]),
    );
    this.#look();
  }

  #heard(socket: WebSocket, [type, id, action, payload]: [number, string, unknown, Record<string, string>]): void {
    if (type === 3) this.#replies.set(id, action);
    if (type === 2) {
      const currentTime = new Date().toISOString();
      const boot = { status: 'Accepted', currentTime, interval: 300 };
      if (action === 'SignCertificate') this.csr = payload['csr'] ?? '';
      const answer = action === 'BootNotification' ? boot : action === 'SignCertificate' ? { status: 'Accepted' } : {};
      socket.send(JSON.stringify([3, id, answer]));
    }
    this.#look();
  }

  #look(): void {
    for (const waiting of [...this.#waiting]) {
      if (!waiting.until()) continue;
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      waiting.resolve();
    }
  }
}

it('a charger goes from a password over TLS to a certificate of its own, each time on a new line', async () => {
  const csms = new SecureCsms();
  const url = await csms.listen();
  const clock = new SystemClock();
  const keys = new NodeKeys();
  const fleet = new Fleet({
    clock,
    journal: new MemoryJournal({ clock }),
    link: new WebSocketLink({ clock }),
    loadDialect,
    errands: { files: async () => new MemoryFiles(), keys: async () => keys },
    host: { commit: async () => [], publish: () => {}, lost: () => {}, complain: () => {} },
  });
  const security = { profile: 1, basicPassword: 'the password at first' };
  const member = { record: { ...record('CP-1'), security }, memory: null };
  fleet.deliver([{ kind: 'member', member, url, pending: [] }]);
  const lineCount = (count: number) => csms.until(() => csms.lines.length === count);
  const set = (key: string, value: string) => csms.ask('ChangeConfiguration', { key, value });

  await lineCount(1);
  const certificateType = 'CentralSystemRootCertificate';
  expect(await set('SecurityProfile', '2')).toEqual({ status: 'Rejected' });
  expect(await csms.ask('InstallCertificate', { certificateType, certificate: root.certificate })).toEqual({
    status: 'Accepted',
  });
  expect(await set('AuthorizationKey', 'another password')).toEqual({ status: 'Accepted' });
  await lineCount(2);
  expect(await set('SecurityProfile', '2')).toEqual({ status: 'Accepted' });
  await lineCount(3);
  expect(await set('SecurityProfile', '3')).toEqual({ status: 'Rejected' });
  await csms.ask('ExtendedTriggerMessage', { requestedMessage: 'SignChargePointCertificate' });
  await csms.until(() => csms.csr !== '');
  expect(await csms.ask('CertificateSigned', { certificateChain: signed(csms.csr) })).toEqual({ status: 'Accepted' });
  expect(await set('SecurityProfile', '3')).toEqual({ status: 'Accepted' });
  await lineCount(4);
  expect(await set('SecurityProfile', '1')).toEqual({ status: 'Rejected' });
  expect(csms.lines).toEqual([
    'plain CP-1:the password at first',
    'plain CP-1:another password',
    'TLS CP-1:another password',
    'TLS as CP-1',
  ]);
  await fleet.sleep();
  csms.close();
});

function signed(csr: string): string {
  const bytes = Buffer.from(csr.replace(/-----.*-----/g, ''), 'base64');
  const publicKey = createPublicKey(pem('PUBLIC KEY', elementAt(bytes, 0, 0, 2).whole));
  return certificateFor('CP-1', { issuer: root, publicKey }).certificate;
}
