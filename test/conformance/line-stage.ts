// Where a case plays that is about the line itself: a real CSMS with TLS on a real socket, and a charger of a fleet; the clock is moved.

import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { type WebSocket, WebSocketServer } from 'ws';
import { VirtualClock } from '../../src/adapters/clock/virtual.ts';
import { MemoryFiles } from '../../src/adapters/files/memory.ts';
import { MemoryJournal } from '../../src/adapters/journal/memory.ts';
import { NodeKeys } from '../../src/adapters/keys/node.ts';
import { WebSocketLink } from '../../src/adapters/link/websocket.ts';
import { Fleet } from '../../src/fleet/fleet.ts';
import { loadDialect } from '../../src/ocpp/dialects.ts';
import type { SecuritySettings } from '../../src/ports/store.ts';
import { authority, certificateFor, type Identity } from '../certificates.ts';
import { record } from '../fleet-world.ts';
import { type Payload, startMs, type Version } from '../talk.ts';
import type { Side } from '../wire-rules/listener.ts';
import { WireWatch } from '../wire-rules.ts';
import { expectFields, fits, Mismatch, type Wanted } from './expecting.ts';
import { type Mutation, spoiled } from './mutation.ts';

/** Whom the CSMS is certified by, and a stranger. */
export const root = authority('CSMS root');
export const stranger = authority('Another root');
const address = { addresses: ['127.0.0.1'] };
const servers = {
  right: certificateFor('csms', { issuer: root, ...address }),
  wrong: certificateFor('csms', { issuer: stranger, ...address }),
};

/** How a charger came in. */
export interface Arrival {
  readonly isEncrypted: boolean;
  /** Name and serial number of the certificate that it showed, where an authority of the CSMS has issued it. */
  readonly certificate: { readonly name: string; readonly serialNumber: string } | null;
  readonly basicAuth: string | null;
}

/** How long is waited, in real time, for what comes over a real socket; less for what is not expected to come. */
const patienceMs = { asItIs: 10_000, spoiled: 1_000 };

const pollMs = 10;

export class LineStage {
  readonly arrivals: Arrival[] = [];
  readonly #calls: { readonly action: string; readonly payload: Payload }[] = [];
  readonly #answers = new Map<string, unknown[]>();
  readonly #clock = new VirtualClock(startMs);
  readonly #fleet: Fleet;
  readonly #patienceMs: number;
  /** Null where the charger is spoiled: it is for the case to notice. */
  readonly #watch: WireWatch | null;
  readonly #broken: string[] = [];
  /** Lines that are open, and that have gone; on most of them a charger came in. */
  #open = 0;
  #gone = 0;
  #password: string | null = null;
  #socket: WebSocket | null = null;
  readonly #plain = createHttpServer();
  readonly #secure = createHttpsServer({
    cert: servers.right.certificate,
    key: servers.right.key,
    requestCert: true,
    ca: root.certificate,
    rejectUnauthorized: false,
  });
  /** Plain and encrypted lines on one port: a TLS handshake begins with 22. */
  readonly #front = createServer((socket) => {
    this.#open++;
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#open--;
      this.#gone++;
    });
    socket.once('readable', () => {
      const first = socket.read(1) as Buffer | null;
      if (first === null) return;
      socket.unshift(first);
      (first[0] === 22 ? this.#secure : this.#plain).emit('connection', socket);
    });
  });

  constructor(version: Version, mutation: Mutation | null) {
    this.#patienceMs = mutation === null ? patienceMs.asItIs : patienceMs.spoiled;
    this.#watch = mutation === null ? new WireWatch({ version }) : null;
    const clock = this.#clock;
    const link = new WebSocketLink({ clock });
    const keys = new NodeKeys();
    const spoil = mutation?.dialect ?? ((dialect) => dialect);
    this.#fleet = new Fleet({
      clock,
      journal: new MemoryJournal({ clock }),
      link: mutation?.dialling === undefined ? link : spoiled(link, mutation.dialling),
      loadDialect: async () => spoil(await loadDialect(version)),
      errands: { files: async () => new MemoryFiles(), keys: async () => keys },
      host: { commit: async () => [], publish: () => {}, lost: () => {}, complain: () => {} },
    });
    for (const server of [this.#plain, this.#secure]) {
      const sockets = new WebSocketServer({
        server,
        handleProtocols: () => `ocpp${version}`,
        verifyClient: ({ req }, decide) => decide(this.#knows(req), 401),
      });
      sockets.on('connection', (socket, request) => this.#connected(socket, request));
    }
    this.#secure.on('tlsClientError', () => {});
  }

  /** A charger with such security is set up, and comes in. */
  async charger(security: SecuritySettings): Promise<void> {
    await new Promise<void>((listening) => this.#front.listen(0, '127.0.0.1', () => listening()));
    const url = `ws${security.profile > 1 ? 's' : ''}://127.0.0.1:${(this.#front.address() as AddressInfo).port}/CP-1`;
    const member = { record: { ...record('CP-1'), security }, memory: null };
    this.#fleet.deliver([{ kind: 'member', member, url, pending: [] }]);
    await this.arrives(1);
    await this.expect('BootNotification');
  }

  /** Only who shows this password gets in without a certificate. */
  demands(password: string): void {
    this.#password = password;
  }

  /** The CSMS shows another certificate to who comes from now on. */
  shows(which: keyof typeof servers): void {
    const { certificate, key } = servers[which];
    this.#secure.setSecureContext({ cert: certificate, key, ca: root.certificate });
  }

  async hangsUp(): Promise<void> {
    this.#socket?.close(1001);
    await this.#until(() => this.#open === 0 || undefined);
  }

  /** The charger dials, and goes without coming in. */
  async turnsAway(): Promise<void> {
    const hasGone = await this.#until(() => this.#gone > this.arrivals.length || undefined);
    if (!hasGone) throw new Mismatch('the charger did not turn away');
  }

  /** The line with this number, counted from 1. */
  async arrives(count: number): Promise<Arrival> {
    const arrival = await this.#until(() => this.arrivals[count - 1]);
    if (arrival === undefined) throw new Mismatch(`the charger has not come in for time ${count}`);
    return arrival;
  }

  async send(action: string, payload: Payload, wanted: Wanted = {}): Promise<void> {
    const id = `csms-${this.#answers.size}`;
    this.#says(this.#socket, [2, id, action, payload]);
    const [type, , answer] = (await this.#until(() => this.#answers.get(id))) ?? [];
    if (type !== 3) throw new Mismatch(`${action} was not answered`);
    expectFields(`the answer to ${action}`, answer as Payload, wanted);
  }

  configure = (key: string, value: string, status = 'Accepted'): Promise<void> =>
    this.send('ChangeConfiguration', { key, value }, { status });

  /** It says this some time, after the last that was expected. */
  async expect(action: string, wanted: Wanted = {}): Promise<Payload> {
    const found = await this.#until(() =>
      this.#calls.find((call) => call.action === action && fits(call.payload, wanted)),
    );
    if (found === undefined) throw new Mismatch(`${action} was not said`);
    this.#calls.splice(0, this.#calls.indexOf(found) + 1);
    return found.payload;
  }

  async end(): Promise<void> {
    await this.#fleet.sleep();
    this.#socket?.terminate();
    this.#secure.closeAllConnections();
    this.#plain.closeAllConnections();
    await new Promise((closed) => this.#front.close(closed));
    if (this.#broken.length > 0)
      throw new Mismatch(`the charger breaks a rule of the line: ${this.#broken.join('; ')}`);
  }

  /** While no line is open, time passes until the charger dials. */
  async #until<Value>(look: () => Value | undefined): Promise<Value | undefined> {
    for (let waitedMs = 0; waitedMs < this.#patienceMs; waitedMs += pollMs) {
      const value = look();
      if (value !== undefined) return value;
      if (this.#open === 0) this.#clock.advance(500);
      await pause(pollMs);
    }
    return look();
  }

  #knows(request: IncomingMessage): boolean {
    const { authorized } = request.socket as Partial<TLSSocket>;
    return this.#password === null || authorized === true || basicAuthOf(request) === `CP-1:${this.#password}`;
  }

  #connected(socket: WebSocket, request: IncomingMessage): void {
    this.#socket = socket;
    const { encrypted = false, authorized = false } = request.socket as Partial<TLSSocket>;
    const shown = authorized ? (request.socket as TLSSocket).getPeerCertificate() : null;
    const certificate = shown === null ? null : { name: String(shown.subject.CN), serialNumber: shown.serialNumber };
    this.arrivals.push({ isEncrypted: encrypted, certificate, basicAuth: basicAuthOf(request) });
    this.#broken.push(...(this.#watch?.opened(this.#clock.nowMs()) ?? []));
    socket.on('message', (text) => {
      this.#listen('charger', text.toString());
      this.#heard(socket, JSON.parse(text.toString()) as [number, string, string, Payload]);
    });
  }

  #heard(socket: WebSocket, frame: [number, string, string, Payload]): void {
    const [type, id, action, payload] = frame;
    if (type !== 2) {
      this.#answers.set(id, frame);
      return;
    }
    this.#calls.push({ action, payload });
    const boot = { status: 'Accepted', currentTime: new Date(this.#clock.nowMs()).toISOString(), interval: 300 };
    const answers: Readonly<Record<string, object>> = {
      BootNotification: boot,
      SignCertificate: { status: 'Accepted' },
    };
    this.#says(socket, [3, id, answers[action] ?? {}]);
  }

  #says(socket: WebSocket | null, frame: unknown[]): void {
    this.#listen('csms', JSON.stringify(frame));
    socket?.send(JSON.stringify(frame));
  }

  #listen(from: Side, text: string): void {
    this.#broken.push(...(this.#watch?.heard(from, text, this.#clock.nowMs()) ?? []));
  }
}

const basicAuthOf = ({ headers: { authorization } }: IncomingMessage): string | null =>
  authorization === undefined ? null : Buffer.from(authorization.replace('Basic ', ''), 'base64').toString();

export const chargerIdentity = (): Identity => certificateFor('CP-1', { issuer: root });
