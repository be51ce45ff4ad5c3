// The small built-in CSMS: for trying chargers out with nothing else installed, and for recording what they say in tests.
//
// Chargers connect to `{path}/{org}/{identity}` in OCPP 1.6, 2.0.1 or 2.1, and everything they may send is checked against
// the official schemas and answered. It remembers nothing of a charger: one that reconnects without booting is served
// like any other. Id tags are accepted unless they start with INVALID, BLOCKED, EXPIRED or CONCURRENT, in upper or lower
// case: these are refused with that status.

import { type RawData, WebSocket, WebSocketServer } from 'ws';
import type { Payload } from '../ocpp/frame.ts';
import { CallFailed } from './calls.ts';
import { type AnswerOverride, type ConnectedCharger, Connection, type CsmsFrame, type House } from './connection.ts';
import {
  type Address,
  addressOf,
  keyOf,
  type Language,
  loadLanguage,
  offersOf,
  pathOf,
  pickProtocol,
  protocols,
  type Upgrade,
} from './handshake.ts';
import { TransactionNumbers } from './transaction-numbers.ts';

export interface CsmsOptions {
  /** `/csms` unless told otherwise. */
  readonly path?: string;
  /** 5000 unless told otherwise; more are refused with 503. */
  readonly maxConnections?: number;
  /** 300 unless told otherwise. */
  readonly heartbeatIntervalS?: number;
  /** How long a charger may take to answer a close frame before it is cut off; 2000 unless told otherwise. */
  readonly closeTimeoutMs?: number;
  /** The first of `count` numbers that are never given out again, not even after a restart. */
  reserveTransactionIds(count: number): Promise<number>;
  now(): number;
  newMessageId(): string;
  /** Hears of every frame, in and out, secrets included. */
  readonly onFrame?: ((frame: CsmsFrame) => void) | undefined;
  /** A charger that connects a second time is heard on both lines, instead of being cut off on the older. For tests. */
  readonly keepsFormerLines?: boolean;
  /** Other answers than the usual, by action; looked up anew at each call. For tests. */
  readonly answers?: Readonly<Record<string, AnswerOverride>>;
}

const maxMessageBytes = 1_048_576;
/** After this long without traffic the kernel asks whether the other side is still there. */
const keepAliveMs = 60_000;
const replaced = { code: 1008, reason: 'replaced by a newer connection of the same identity' };
const goingAway = { code: 1001, reason: 'the CSMS is closing' };

class ChargerSocket extends WebSocket {
  connection: Connection | null = null;
}

type Decide = (admitted: boolean, status?: number, sentence?: string, headers?: Record<string, string>) => void;

export class Csms {
  readonly #path: string;
  readonly #maxConnections: number;
  readonly #closeTimeoutMs: number;
  readonly #keepsFormerLines: boolean;
  readonly #house: House;
  readonly #chargers = new Map<string, Connection>();
  /** Open and closing ones: the former connection of a charger may take its time to close. */
  readonly #connections = new Set<Connection>();
  readonly #languages = new Map<string, Language>();
  readonly #upgrader: WebSocketServer;
  #listener: WebSocketServer | null = null;
  #connectionCount = 0;
  #closing: PromiseWithResolvers<void> | null = null;

  constructor(options: CsmsOptions) {
    const numbers = new TransactionNumbers((count) => options.reserveTransactionIds(count));
    this.#path = options.path ?? '/csms';
    this.#maxConnections = options.maxConnections ?? 5000;
    this.#closeTimeoutMs = options.closeTimeoutMs ?? 2000;
    this.#keepsFormerLines = options.keepsFormerLines ?? false;
    this.#house = {
      desk: {
        heartbeatIntervalS: options.heartbeatIntervalS ?? 300,
        nowMs: () => options.now(),
        takeTransactionId: () => numbers.take(),
      },
      overrides: options.answers ?? {},
      newMessageId: () => options.newMessageId(),
      onFrame: options.onFrame,
      gone: (connection) => this.#forget(connection),
    };
    this.#upgrader = this.#server({ noServer: true });
  }

  /** For the `upgrade` event of an HTTP server. False, and nothing done, when the address is not of this CSMS. */
  handleUpgrade(request: Upgrade[0], socket: Upgrade[1], head: Upgrade[2]): boolean {
    if (!pathOf(request).startsWith(`${this.#path}/`)) return false;
    this.#upgrader.handleUpgrade(request, socket, head, (charger) => this.#admit(charger, request));
    return true;
  }

  /** Listens by itself; port 0 takes a free one. The URL answered wants `/{org}/{identity}` behind it. */
  async listen(port: number, host = '127.0.0.1'): Promise<string> {
    if (this.#listener !== null || this.#closing !== null) throw new Error('this CSMS listens already, or no more');
    const listener = this.#server({ port, host });
    listener.on('connection', (charger, request) => this.#admit(charger, request));
    await new Promise<void>((resolve, reject) => {
      listener.once('listening', resolve);
      listener.on('error', reject);
    });
    this.#listener = listener;
    const address = listener.address();
    if (address === null || typeof address === 'string') throw new Error('bug: the CSMS listens on no port');
    return `ws://${host.includes(':') ? `[${host}]` : host}:${address.port}${this.#path}`;
  }

  /** Calls a charger and resolves to its answer; rejects with `CallFailed`. The time counts from when the call goes out. */
  call(org: string, identity: string, action: string, payload: Payload, timeoutMs = 10_000): Promise<Payload> {
    const connection = this.#chargers.get(keyOf({ org, identity }));
    if (connection === undefined) return Promise.reject(new CallFailed('NotConnected', `${identity} is not connected`));
    return connection.ask(action, payload, timeoutMs);
  }

  /** Sends any text, to see how a charger takes it. False when it is not connected. */
  sendRaw(org: string, identity: string, text: string): boolean {
    const connection = this.#chargers.get(keyOf({ org, identity }));
    connection?.sendRaw(text);
    return connection !== undefined;
  }

  /** Of one org, or of all. */
  connected(org?: string): ConnectedCharger[] {
    return [...this.#chargers.values()]
      .filter((connection) => org === undefined || connection.org === org)
      .map((connection) => ({
        org: connection.org,
        identity: connection.identity,
        version: connection.version,
        sinceMs: connection.sinceMs,
      }));
  }

  /** Closes properly, or cuts the line as a lost network does. False when the charger is not connected. */
  disconnect(org: string, identity: string, how: 'close' | 'drop', code = 1000): boolean {
    const connection = this.#chargers.get(keyOf({ org, identity }));
    if (connection === undefined) return false;
    this.#chargers.delete(keyOf(connection));
    connection.end(how, code, 'disconnected by the CSMS');
    return true;
  }

  /** Sends every charger away and stops listening. Those that do not answer the close frame in time are cut off. */
  close(): Promise<void> {
    if (this.#closing === null) {
      this.#closing = Promise.withResolvers();
      this.#listener?.close();
      for (const connection of this.#connections) connection.end('close', goingAway.code, goingAway.reason);
      this.#chargers.clear();
      if (this.#connections.size === 0) this.#closing.resolve();
    }
    return this.#closing.promise;
  }

  #server(place: { readonly noServer: true } | { readonly port: number; readonly host: string }): WebSocketServer {
    const options = {
      ...place,
      closeTimeout: this.#closeTimeoutMs,
      // It would cost a closure per charger; the sockets are kept here anyway.
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: maxMessageBytes,
      WebSocket: ChargerSocket,
      verifyClient: (info: { readonly req: Upgrade[0] }, decide: Decide) => this.#check(info.req, decide),
      handleProtocols: (offers: Set<string>) => pickProtocol(offers) ?? false,
    };
    return new WebSocketServer(options);
  }

  #check(request: Upgrade[0], decide: Decide): void {
    const refuse = (status: number, sentence: string) =>
      decide(false, status, `${sentence}\n`, { 'Content-Type': 'text/plain; charset=utf-8' });
    const address = addressOf(request, this.#path);
    const protocol = pickProtocol(offersOf(request));
    if (address === null) refuse(404, `The address of a charger here is ${this.#path}/{org}/{identity}.`);
    else if (protocol === undefined) refuse(400, `Offer one of the sub-protocols ${protocols.join(', ')}.`);
    else {
      this.#learn(protocol).then(
        () => {
          // Only now: while a language was being loaded, others may have taken the last place.
          const refusal = this.#closing !== null ? 'The CSMS is closing.' : this.#fullFor(address);
          if (refusal === null) decide(true);
          else refuse(503, refusal);
        },
        () => refuse(500, 'The CSMS could not load this version of OCPP.'),
      );
    }
  }

  async #learn(protocol: string): Promise<void> {
    if (!this.#languages.has(protocol)) this.#languages.set(protocol, await loadLanguage(protocol));
  }

  #fullFor(address: Address): string | null {
    const hasPlace = this.#chargers.size < this.#maxConnections || this.#chargers.has(keyOf(address));
    // Replaced connections close in their own time; who reconnects without end must not pile them up.
    if (hasPlace && this.#connections.size < 2 * this.#maxConnections) return null;
    return `The CSMS serves ${this.#maxConnections} chargers at most.`;
  }

  #admit(socket: WebSocket, request: Upgrade[0]): void {
    const address = addressOf(request, this.#path);
    const language = this.#languages.get(socket.protocol);
    if (address === null || language === undefined) throw new Error('bug: a charger was admitted unchecked');
    this.#connectionCount += 1;
    const connection = new Connection({ ...address, number: this.#connectionCount }, language, this.#house, socket);
    (socket as ChargerSocket).connection = connection;
    socket.on('message', onMessage);
    socket.on('error', onError);
    socket.on('close', onClose);
    request.socket.setKeepAlive(true, keepAliveMs);
    this.#connections.add(connection);
    const former = this.#chargers.get(keyOf(address));
    this.#chargers.set(keyOf(address), connection);
    if (!this.#keepsFormerLines) former?.end('close', replaced.code, replaced.reason);
  }

  #forget(connection: Connection): void {
    this.#connections.delete(connection);
    if (this.#chargers.get(keyOf(connection)) === connection) this.#chargers.delete(keyOf(connection));
    if (this.#connections.size === 0) this.#closing?.resolve();
  }
}

// Shared by all sockets, so that a charger costs no closures.

function onMessage(this: WebSocket, data: RawData, isBinary: boolean): void {
  const { connection } = this as ChargerSocket;
  const bytes = data as Buffer;
  if (isBinary) connection?.hearBinary(bytes.length);
  else connection?.hear(bytes.toString());
}

/** A frame that cannot be read; ws closes the line by itself. */
function onError(this: WebSocket, error: Error): void {
  (this as ChargerSocket).connection?.hearNoise(error.message);
}

function onClose(this: WebSocket): void {
  (this as ChargerSocket).connection?.gone();
}
