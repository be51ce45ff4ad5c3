// The other side of every benchmark: a process that answers chargers without looking closely, and counts what they say.

import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

export type ToStub = { readonly kind: 'count' } | { readonly kind: 'heartbeat'; readonly intervalS: number };
export type FromStub =
  | { readonly kind: 'listening'; readonly url: string }
  | ({ readonly kind: 'counts' } & StubCounts);

export interface StubCounts {
  /** Connections made so far, and how many of them are open. */
  readonly opened: number;
  readonly open: number;
  /** Calls heard and answered so far, by action. */
  readonly calls: Readonly<Record<string, number>>;
}

/** Whole fleets dial at once. */
const backlog = 4_096;

let intervalS = 3_600;
let opened = 0;
let open = 0;
let transactions = 0;
const calls: Record<string, number> = {};

const answers: Readonly<Record<string, (protocol: string) => unknown>> = {
  BootNotification: () => ({ status: 'Accepted', currentTime: new Date().toISOString(), interval: intervalS }),
  Heartbeat: () => ({ currentTime: new Date().toISOString() }),
  Authorize: (protocol) =>
    protocol === 'ocpp1.6' ? { idTagInfo: { status: 'Accepted' } } : { idTokenInfo: { status: 'Accepted' } },
  StartTransaction: () => ({ transactionId: ++transactions, idTagInfo: { status: 'Accepted' } }),
};

function onMessage(this: WebSocket, data: Buffer): void {
  const [type, id, action] = JSON.parse(data.toString()) as [number, string, string];
  if (type !== 2) return;
  calls[action] = (calls[action] ?? 0) + 1;
  this.send(JSON.stringify([3, id, answers[action]?.(this.protocol) ?? {}]));
}

function onConnection(socket: WebSocket, request: IncomingMessage): void {
  opened++;
  open++;
  socket.on('message', onMessage);
  socket.on('error', () => {});
  socket.on('close', () => open--);
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
  if (message.kind === 'heartbeat') intervalS = message.intervalS;
  else tell({ kind: 'counts', opened, open, calls });
});
process.on('disconnect', () => process.exit(0));

function tell(message: FromStub): void {
  process.send?.(message);
}
