// The other side of every benchmark: a process that answers chargers without looking closely, and counts what they say.

import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

export type ToStub =
  | { readonly kind: 'count' }
  /** What the next chargers to boot are told, and what their silence is measured by. */
  | { readonly kind: 'heartbeat'; readonly intervalS: number }
  /** Every call of this action is told of at once. */
  | { readonly kind: 'tell'; readonly action: string }
  /** Cuts every connection. */
  | { readonly kind: 'drop' };

export type FromStub =
  | { readonly kind: 'listening'; readonly url: string }
  | { readonly kind: 'heard' }
  | ({ readonly kind: 'counts' } & StubCounts);

export interface StubCounts {
  /** Connections made so far, and how many of them are open. */
  readonly opened: number;
  readonly open: number;
  /** Times that a connected charger said nothing for longer than it may. */
  readonly silences: number;
  /** Calls heard and answered so far, by action, and their bytes. */
  readonly calls: Readonly<Record<string, number>>;
  readonly bytes: Readonly<Record<string, number>>;
}

/** A connection, and when it last made a call. */
type Line = WebSocket & { heardMs?: number };

/** Whole fleets dial at once. */
const backlog = 4_096;
/** Heartbeats may be so many intervals apart. */
const longestGap = 1.5;

let intervalS = 3_600;
let toldAction = '';
let opened = 0;
let silences = 0;
let transactions = 0;
const calls: Record<string, number> = {};
const bytes: Record<string, number> = {};

const answers: Readonly<Record<string, (protocol: string) => unknown>> = {
  BootNotification: () => ({ status: 'Accepted', currentTime: new Date().toISOString(), interval: intervalS }),
  Heartbeat: () => ({ currentTime: new Date().toISOString() }),
  Authorize: (protocol) =>
    protocol === 'ocpp1.6' ? { idTagInfo: { status: 'Accepted' } } : { idTokenInfo: { status: 'Accepted' } },
  StartTransaction: () => ({ transactionId: ++transactions, idTagInfo: { status: 'Accepted' } }),
};

function onMessage(this: Line, data: Buffer): void {
  const [type, id, action] = JSON.parse(data.toString()) as [number, string, string];
  if (type !== 2) return;
  if (isSilent(this)) silences++;
  this.heardMs = performance.now();
  calls[action] = (calls[action] ?? 0) + 1;
  bytes[action] = (bytes[action] ?? 0) + data.length;
  this.send(JSON.stringify([3, id, answers[action]?.(this.protocol) ?? {}]));
  if (action === toldAction) tell({ kind: 'heard' });
}

function isSilent({ heardMs }: Line): boolean {
  return heardMs !== undefined && performance.now() - heardMs > intervalS * 1_000 * longestGap;
}

function count(): StubCounts {
  let silent = 0;
  for (const socket of server.clients) if (isSilent(socket)) silent++;
  return { opened, open: server.clients.size, silences: silences + silent, calls, bytes };
}

function onConnection(socket: Line, request: IncomingMessage): void {
  opened++;
  socket.on('message', onMessage);
  socket.on('error', () => {});
  // A reset instead of a farewell: thousands of ports that linger for a minute would slow the next fleet down.
  request.socket.prependListener('end', () => request.socket.resetAndDestroy());
}

const [address = '127.0.0.1'] = process.argv.slice(2);
const http = createServer();
const server = new WebSocketServer({ server: http, perMessageDeflate: false });
server.on('connection', onConnection);
http.listen({ host: address, port: 0, backlog }, () => {
  tell({ kind: 'listening', url: `ws://${address}:${(http.address() as AddressInfo).port}` });
});

process.on('message', (message: ToStub) => {
  switch (message.kind) {
    case 'count':
      tell({ kind: 'counts', ...count() });
      break;
    case 'heartbeat':
      intervalS = message.intervalS;
      break;
    case 'tell':
      toldAction = message.action;
      break;
    case 'drop':
      for (const socket of server.clients) socket.terminate();
  }
});
process.on('disconnect', () => process.exit(0));

function tell(message: FromStub): void {
  process.send?.(message);
}
