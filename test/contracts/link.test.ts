// The promises of a link, kept over the network and within the process.

import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { VirtualClock } from '../../src/adapters/clock/virtual.ts';
import { LoopbackLink, type LoopbackPeer } from '../../src/adapters/link/loopback.ts';
import { WebSocketLink } from '../../src/adapters/link/websocket.ts';
import type { Link, LinkRequest } from '../../src/ports/link.ts';
import { authority, certificateFor } from '../certificates.ts';
import { describeLink, type LinkUnderTest, Mailbox, type ServerAnswer, type ServerPeer } from './link-contract.ts';

const root = authority('CSMS root');
const certificate = certificateFor('csms', { issuer: root, addresses: ['127.0.0.1'] });

async function overTheNetwork(isSecure: boolean): Promise<LinkUnderTest> {
  let answer: ServerAnswer = { protocol: 'ocpp1.6' };
  const peers = new Mailbox<ServerPeer>();
  const http = isSecure ? createSecureServer({ cert: certificate.certificate, key: certificate.key }) : createServer();
  const server = new WebSocketServer({
    server: http,
    autoPong: false,
    verifyClient: (_info, decide) => decide(!('refuse' in answer), 401),
    handleProtocols: () => ('protocol' in answer && answer.protocol) || false,
  });
  server.on('connection', (socket, request) => peers.put(networkPeer(socket, request)));
  await new Promise<void>((listening) => http.listen(0, '127.0.0.1', listening));
  const clock = new VirtualClock();
  const link = new WebSocketLink({ clock });
  const trusting: Link = {
    open: (request, listener) => link.open({ ...request, tls: { ca: root.certificate } }, listener),
  };
  return {
    link: isSecure ? trusting : link,
    url: `${isSecure ? 'wss' : 'ws'}://127.0.0.1:${(http.address() as AddressInfo).port}/ocpp/CP-1`,
    answer: (next) => {
      answer = next;
    },
    nextPeer: () => peers.take(),
    elapse: (ms) => clock.advance(ms),
    close: async () => {
      for (const socket of server.clients) socket.terminate();
      http.closeAllConnections();
      await new Promise((closed) => http.close(closed));
    },
  };
}

function networkPeer(socket: WebSocket, request: IncomingMessage): ServerPeer {
  const messages = new Mailbox<string>();
  let answersPings = true;
  socket.on('message', (data) => messages.put(data.toString()));
  socket.on('error', () => {});
  socket.on('ping', () => {
    if (answersPings) socket.pong();
  });
  return {
    protocolsAskedFor: (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim()),
    send: (text) => socket.send(text),
    close: (code, reason) => socket.close(code, reason),
    drop: () => socket.terminate(),
    stopAnsweringPings: () => {
      answersPings = false;
    },
    nextMessage: () => messages.take(),
    closed: new Promise((resolve) => {
      socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
    }),
  };
}

async function withinTheProcess(): Promise<LinkUnderTest> {
  let answer: ServerAnswer = { protocol: 'ocpp1.6' };
  const peers = new Mailbox<ServerPeer>();
  const link = new LoopbackLink((request, peer) => {
    if ('refuse' in answer) return { refuse: 'the CSMS answered HTTP 401 (Unauthorized)' };
    peers.put(loopbackPeer(peer, request));
    return answer;
  });
  return {
    link,
    url: 'ws://csms.test/ocpp/CP-1',
    answer: (next) => {
      answer = next;
    },
    nextPeer: () => peers.take(),
    elapse: () => {},
    close: async () => {},
  };
}

function loopbackPeer(peer: LoopbackPeer, request: LinkRequest): ServerPeer {
  const messages = new Mailbox<string>();
  peer.onMessage = (text) => messages.put(text);
  return {
    protocolsAskedFor: request.protocols,
    send: (text) => peer.send(text),
    close: (code, reason) => peer.close(code, reason),
    drop: () => peer.drop(),
    stopAnsweringPings: () => {
      peer.answersPings = false;
    },
    nextMessage: () => messages.take(),
    closed: new Promise((resolve) => {
      peer.onClose = (code, reason) => resolve({ code, reason });
    }),
  };
}

describeLink('a link over the network', () => overTheNetwork(false));
describeLink('a link over the network, encrypted', () => overTheNetwork(true));
describeLink('a link within the process', withinTheProcess);
