// Links over TLS: whom the charger trusts, and how it shows who it is.

import type { IncomingMessage } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { VirtualClock } from '../../src/adapters/clock/virtual.ts';
import { WebSocketLink } from '../../src/adapters/link/websocket.ts';
import type { Distrust, LinkListener, LinkRequest } from '../../src/ports/link.ts';
import { authority, certificateFor } from '../certificates.ts';

const root = authority('CSMS root');
const other = authority('Another root');
const server = certificateFor('csms', { issuer: root, addresses: ['127.0.0.1'] });
const charger = certificateFor('CP-1', { issuer: root });

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

async function csms(options: ServerOptions = {}, refuse?: (request: IncomingMessage) => number | null) {
  const https = createServer({ cert: server.certificate, key: server.key, ...options });
  const sockets = new WebSocketServer({
    server: https,
    handleProtocols: () => 'ocpp1.6',
    verifyClient: ({ req }, decide) => {
      const status = refuse?.(req) ?? null;
      decide(status === null, status ?? undefined);
    },
  });
  const names: string[] = [];
  const headers: (string | undefined)[] = [];
  sockets.on('connection', (_socket, request) => {
    const { subject } = (request.socket as TLSSocket).getPeerCertificate();
    names.push(String(subject?.CN));
    headers.push(request.headers.authorization);
  });
  https.on('tlsClientError', () => {});
  await new Promise<void>((listening) => https.listen(0, '127.0.0.1', () => listening()));
  cleanUps.push(() => {
    for (const socket of sockets.clients) socket.terminate();
    https.closeAllConnections();
    https.close();
  });
  return { url: `wss://127.0.0.1:${(https.address() as AddressInfo).port}/ocpp/CP-1`, names, headers };
}

type Heard = { readonly opened: true } | { readonly reason: string; readonly distrust: Distrust | undefined };

function dial(url: string, more: Partial<LinkRequest> = {}): Promise<Heard> {
  return new Promise((resolve) => {
    const listener: LinkListener = {
      linkOpened: () => resolve({ opened: true }),
      linkMessage: () => {},
      linkClosed: (_code, reason, distrust) => resolve({ reason, distrust }),
    };
    const socket = new WebSocketLink({ clock: new VirtualClock() }).open(
      { url, protocols: ['ocpp1.6'], ...more },
      listener,
    );
    cleanUps.push(() => socket.drop());
  });
}

describe('a CSMS over TLS', () => {
  it('is trusted by the root that the charger was given', async () => {
    const { url } = await csms();
    expect(await dial(url, { tls: { ca: root.certificate } })).toEqual({ opened: true });
    expect(await dial(url, { tls: { ca: `${other.certificate}\n${root.certificate}` } })).toEqual({ opened: true });
  });

  it.each([
    ['without a root', {}, undefined],
    ['by another root', {}, other.certificate],
    ['for another host', { addresses: ['csms.example.com'] }, root.certificate],
    ['after its time', { addresses: ['127.0.0.1'], validTo: new Date(Date.UTC(2021, 0, 1)) }, root.certificate],
  ])('is not trusted %s', async (_, wishes, ca) => {
    const shown = Object.keys(wishes).length === 0 ? server : certificateFor('csms', { issuer: root, ...wishes });
    const { url } = await csms({ cert: shown.certificate, key: shown.key });
    const heard = await dial(url, { tls: ca === undefined ? {} : { ca } });
    expect(heard).toEqual({ reason: expect.stringMatching(/^TLS failed: /), distrust: 'of CSMS' });
  });

  it('gets the password in the header, as text or as bytes', async () => {
    const { url, headers } = await csms();
    const tls = { ca: root.certificate };
    await dial(url, { tls, basicAuth: { user: 'CP-1', password: 'grün' } });
    await dial(url, { tls, basicAuth: { user: 'CP-1', password: Uint8Array.of(0, 255, 58) } });
    const sent = headers.map((header) => Buffer.from(header?.replace('Basic ', '') ?? '', 'base64'));
    expect(sent).toEqual([Buffer.from('CP-1:grün'), Buffer.from('CP-1:\x00\xff:', 'latin1')]);
  });

  it('that does not know the password is told apart from one that is not there', async () => {
    const { url } = await csms({}, () => 401);
    expect(await dial(url, { tls: { ca: root.certificate } })).toEqual({
      reason: 'the CSMS answered HTTP 401 (Unauthorized)',
      distrust: 'by CSMS',
    });
    const gone = await dial('wss://127.0.0.1:1/ocpp/CP-1');
    expect(gone).toMatchObject({ distrust: undefined });
  });

  it('sees the certificate of the charger, and lets nobody in without one', async () => {
    const { url, names } = await csms({ requestCert: true, rejectUnauthorized: true, ca: root.certificate });
    const tls = { ca: root.certificate };
    const own = { cert: charger.certificate, key: charger.key };
    expect(await dial(url, { tls: { ...tls, ...own } })).toEqual({ opened: true });
    expect(names).toEqual(['CP-1']);
    const stranger = certificateFor('CP-1', { issuer: other });
    for (const shown of [{}, { cert: stranger.certificate, key: stranger.key }]) {
      expect(await dial(url, { tls: { ...tls, ...shown } })).toHaveProperty('reason');
    }
  });

  it('that speaks an old TLS only is not spoken to', async () => {
    const { url } = await csms({
      minVersion: 'TLSv1.1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT:@SECLEVEL=0',
    });
    expect(await dial(url, { tls: { ca: root.certificate } })).toMatchObject({
      reason: expect.stringMatching(/^TLS failed: /),
    });
  });
});
