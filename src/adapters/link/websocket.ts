// Links over the network: one WebSocket client of the ws library for each, without a closure or a timer of its own.

import type { ClientRequest, IncomingMessage } from 'node:http';
import { type ClientOptions, WebSocket } from 'ws';
import type { Clock } from '../../ports/clock.ts';
import type { Distrust, Link, LinkListener, LinkRequest, LinkSocket } from '../../ports/link.ts';
import { sendableCode, sendableReason } from './close-frame.ts';
import { Deadlines } from './deadlines.ts';
import { Gate } from './gate.ts';
import { CLOSE_WITHIN_MS, MAX_MESSAGE_BYTES, MAX_UNSENT_BYTES, OPEN_WITHIN_MS, PONG_WITHIN_MS } from './limits.ts';
import { httpReason, isPortTaken, reasons, whoDistrusts, whyBroken, whyClosed, whyNotOpened } from './reasons.ts';
import { type PortRange, SourcePorts } from './source-ports.ts';

export interface WebSocketLinkOptions {
  readonly clock: Clock;
  /** Local addresses to dial from, in turn. Without any, the system chooses address and port. */
  readonly sourceAddresses?: readonly string[];
  /** The local ports to dial from; used with `sourceAddresses` only. */
  readonly sourcePorts?: PortRange;
  /** Links that are opened per second, at most; null: as many as can be. */
  readonly dialsPerSecond?: number | null;
  /** How long the server has to answer a close frame. */
  readonly closeTimeoutMs?: number;
}

/** How many local ports are tried for one link. */
const MAX_DIALS = 32;
const DIALLING_AT_ONCE = 100;

export class WebSocketLink implements Link {
  readonly #shared: Shared;

  constructor(options: WebSocketLinkOptions) {
    const addresses = options.sourceAddresses ?? [];
    this.#shared = {
      gate: new Gate(
        { clock: options.clock, atOnce: DIALLING_AT_ONCE, perSecond: options.dialsPerSecond ?? null },
        dialNow,
      ),
      openings: new Deadlines(options.clock, OPEN_WITHIN_MS, giveUpOpening),
      pongs: new Deadlines(options.clock, PONG_WITHIN_MS, giveUpPong),
      ports: addresses.length === 0 ? null : new SourcePorts(addresses, options.sourcePorts),
      clientOptions: {
        perMessageDeflate: false,
        followRedirects: false,
        maxPayload: MAX_MESSAGE_BYTES,
        // Runs only while a socket is closing.
        closeTimeout: options.closeTimeoutMs ?? CLOSE_WITHIN_MS,
      },
    };
  }

  open(request: LinkRequest, listener: LinkListener): LinkSocket {
    const line = new Line(this.#shared, request, listener);
    this.#shared.gate.come(line);
    return line;
  }
}

/** What all lines of a link have in common. */
interface Shared {
  readonly gate: Gate<Line>;
  readonly openings: Deadlines<Line>;
  readonly pongs: Deadlines<Line>;
  readonly ports: SourcePorts | null;
  readonly clientOptions: ClientOptions & { readonly closeTimeout: number };
}

/** One link, from `open` to `linkClosed`. */
class Line implements LinkSocket {
  readonly #shared: Shared;
  readonly #listener: LinkListener;
  #socket: LineSocket | null = null;
  /** Until it is open. */
  #request: LinkRequest | null;
  #dials = 0;
  #mustDialAgain = false;
  #hasEnded = false;
  /** By a close frame of ours, before one of the server. */
  #isClosing = false;
  /** Why it ends, where that is known before it ends, and the code to tell instead of that of the close frame. */
  #reason: string | null = null;
  #code = 0;
  #distrust: Distrust | undefined;

  constructor(shared: Shared, request: LinkRequest, listener: LinkListener) {
    this.#shared = shared;
    this.#request = request;
    this.#listener = listener;
  }

  send(text: string): void {
    const socket = this.#socket;
    if (socket === null || socket.readyState !== WebSocket.OPEN) return;
    socket.send(text);
    if (socket.bufferedAmount > MAX_UNSENT_BYTES) this.giveUp(reasons.unread);
  }

  ping(): void {
    const socket = this.#socket;
    if (socket === null || socket.readyState !== WebSocket.OPEN) return;
    socket.ping();
    this.#shared.pongs.begin(this);
  }

  close(code: number, reason: string): void {
    const socket = this.#socket;
    if (this.#request !== null) this.giveUp(reasons.abandoned);
    if (socket === null || socket.readyState !== WebSocket.OPEN) return;
    this.#isClosing = true;
    socket.close(sendableCode(code), sendableReason(reason));
  }

  drop(): void {
    this.giveUp(this.#request === null ? reasons.cut : reasons.abandoned);
  }

  dial(): void {
    const request = this.#request;
    // Given up while it waited for its turn.
    if (request === null || this.#reason !== null) return;
    this.#shared.openings.begin(this);
    this.#dials++;
    this.#mustDialAgain = false;
    try {
      const socket = new WebSocket(request.url, [...request.protocols], this.#clientOptions(request)) as LineSocket;
      socket[lineOf] = this;
      socket.on('unexpected-response', onUnexpectedResponse);
      socket.on('open', onOpen);
      socket.on('error', onError);
      socket.on('close', onClose);
      this.#socket = socket;
    } catch {
      // What cannot be an address is thrown at once, but `open` must return first.
      this.#reason = reasons.badAddress;
      process.nextTick(endUndialled, this);
    }
  }

  opened(socket: LineSocket): void {
    this.#shared.openings.end(this);
    this.#shared.gate.leave(this);
    this.#request = null;
    // All anew: a table that has ever held six kinds of events is twice as large as one for four.
    socket.removeAllListeners();
    socket.on('message', onMessage);
    socket.on('pong', onPong);
    socket.on('error', onError);
    socket.on('close', onClose);
    this.#listener.linkOpened(socket.protocol);
  }

  received(text: string): void {
    // What was on its way when the line was cut is lost with it.
    if (this.#reason === null) this.#listener.linkMessage(text);
  }

  answered(): void {
    this.#shared.pongs.end(this);
  }

  failed(error: NodeJS.ErrnoException): void {
    if (this.#reason !== null) return;
    const request = this.#request;
    if (request === null) [this.#code, this.#reason] = whyBroken(error);
    else if (this.#shared.ports !== null && isPortTaken(error) && this.#dials < MAX_DIALS) this.#mustDialAgain = true;
    else {
      this.#reason = whyNotOpened(error, new URL(request.url), request.protocols);
      this.#distrust = whoDistrusts(error);
    }
  }

  ended(code: number, text: string): void {
    if (this.#hasEnded) return;
    if (this.#mustDialAgain && this.#reason === null) {
      this.dial();
      return;
    }
    this.#hasEnded = true;
    this.#shared.openings.end(this);
    this.#shared.gate.leave(this);
    this.#shared.pongs.end(this);
    this.#listener.linkClosed(this.#code || code, this.#reason ?? this.#whyClosed(code, text), this.#distrust);
  }

  /** Ends the line without a close frame. `linkClosed` follows, but not inside this call. */
  giveUp(reason: string, distrust?: Distrust): void {
    if (this.#hasEnded) return;
    this.#distrust ??= distrust;
    this.#reason ??= reason;
    if (this.#shared.gate.isWaiting(this)) process.nextTick(endUndialled, this);
    else this.#socket?.terminate();
  }

  #whyClosed(code: number, text: string): string {
    if (code === 1006) return this.#isClosing ? reasons.noCloseFrame : reasons.lost;
    return whyClosed(this.#isClosing ? 'charger' : 'CSMS', code, text);
  }

  #clientOptions({ basicAuth, tls }: LinkRequest): ClientOptions {
    const { ports, clientOptions } = this.#shared;
    if (ports === null && basicAuth === undefined && tls === undefined) return clientOptions;
    const headers = basicAuth === undefined ? undefined : { Authorization: authorization(basicAuth) };
    return { ...clientOptions, ...ports?.take(), ...(headers && { headers }), ...tls };
  }
}

/** A socket knows its line, so that its events need no closure. */
type LineSocket = WebSocket & { [lineOf]: Line };
const lineOf = Symbol('line');

function onOpen(this: WebSocket): void {
  const socket = this as LineSocket;
  socket[lineOf].opened(socket);
}

function onMessage(this: WebSocket, data: WebSocket.RawData): void {
  (this as LineSocket)[lineOf].received(data.toString());
}

function onPong(this: WebSocket): void {
  (this as LineSocket)[lineOf].answered();
}

function onError(this: WebSocket, error: Error): void {
  (this as LineSocket)[lineOf].failed(error);
}

function onClose(this: WebSocket, code: number, reason: Buffer): void {
  (this as LineSocket)[lineOf].ended(code, reason.toString());
}

function onUnexpectedResponse(this: WebSocket, _request: ClientRequest, response: IncomingMessage): void {
  const status = response.statusCode ?? 0;
  const isRefused = status === 401 || status === 403;
  (this as LineSocket)[lineOf].giveUp(httpReason(status), isRefused ? 'by CSMS' : undefined);
}

function dialNow(line: Line): void {
  line.dial();
}

function endUndialled(line: Line): void {
  line.ended(1006, '');
}

function giveUpOpening(line: Line): void {
  line.giveUp(reasons.notOpened);
}

function giveUpPong(line: Line): void {
  line.giveUp(reasons.noPong);
}

function authorization({ user, password }: NonNullable<LinkRequest['basicAuth']>): string {
  return `Basic ${Buffer.concat([Buffer.from(`${user}:`), Buffer.from(password)]).toString('base64')}`;
}
