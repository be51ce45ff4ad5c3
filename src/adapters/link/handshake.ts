// How a WebSocket is opened (RFC 6455, section 4.1): what is asked, and what the answer is worth.

import { hash } from 'node:crypto';
import { unescape as unescaped } from 'node:querystring';
import type { Distrust, LinkRequest } from '../../ports/link.ts';
import { handshakeReason, httpReason, notHttp, notWebSocket } from './reasons.ts';

/** What an answer is held against. */
export interface Asked {
  readonly address: URL;
  readonly key: string;
  readonly protocols: readonly string[];
}

export type Answer =
  | { readonly kind: 'unfinished' }
  /** Frames begin after `headLength` bytes. */
  | { readonly kind: 'accepted'; readonly protocol: string; readonly headLength: number }
  | { readonly kind: 'refused'; readonly reason: string; readonly distrust?: Distrust | undefined };

const MAX_HEAD_LENGTH = 16 * 1024;

/** Null: not the address of a WebSocket. */
export function webSocketAddress(url: string): URL | null {
  const address = URL.parse(url);
  if (address === null || address.hash !== '') return null;
  return /^(?:ws|http)s?:$/.test(address.protocol) ? address : null;
}

export function isSecure({ protocol }: URL): boolean {
  return protocol === 'wss:' || protocol === 'https:';
}

export function upgradeRequest({ address, key, protocols }: Asked, basicAuth: LinkRequest['basicAuth']): string {
  const credentials = basicAuth ?? credentialsIn(address);
  const authorization = credentials === undefined ? '' : `Authorization: Basic ${encoded(credentials)}\r\n`;
  return (
    `GET ${address.pathname}${address.search} HTTP/1.1\r\nHost: ${address.host}\r\n${authorization}` +
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
    `Sec-WebSocket-Key: ${key}\r\nSec-WebSocket-Protocol: ${protocols.join(',')}\r\n\r\n`
  );
}

/** `head` is what has come so far, a character for each byte; the answer begins at `start`. */
export function readAnswer(head: string, asked: Asked, start = 0): Answer {
  const lineEnd = head.indexOf('\n', start);
  const isHttp = 'HTTP/1.'.startsWith(head.slice(start, start + 7)) && (lineEnd === -1 || head[lineEnd - 1] === '\r');
  if (!isHttp) return refused(notHttp(asked.address));
  const end = head.indexOf('\r\n\r\n', start);
  const headLength = end === -1 ? head.length : end + 4;
  if (headLength > MAX_HEAD_LENGTH) return refused(notWebSocket('its answer has a head of more than 16 KiB'));
  if (end === -1) return { kind: 'unfinished' };
  const [statusLine = '', ...lines] = head.slice(start, end).split('\r\n');
  const status = Number(/^HTTP\/1\.\d (\d{3})(?: |$)/.exec(statusLine)?.[1] ?? 0);
  const headers = headersIn(lines);
  if (status < 100 || headers === null) return refused(notHttp(asked.address));
  if (status === 101) return answerOf(headers, asked, headLength);
  // Below 200: word that the answer proper will come later.
  if (status < 200) return readAnswer(head, asked, headLength);
  return refused(httpReason(status), status === 401 || status === 403 ? 'by CSMS' : undefined);
}

type Headers = ReadonlyMap<string, string>;

function answerOf(headers: Headers, { key, protocols }: Asked, headLength: number): Answer {
  const protocol = headers.get('sec-websocket-protocol') ?? null;
  if (headers.get('upgrade')?.toLowerCase() !== 'websocket') return refused(notWebSocket('invalid Upgrade header'));
  if (!/(?:^|,)\s*upgrade\s*(?:,|$)/i.test(headers.get('connection') ?? '')) {
    return refused(notWebSocket('invalid Connection header'));
  }
  if (headers.get('sec-websocket-accept') !== acceptOf(key)) {
    return refused(notWebSocket('invalid Sec-WebSocket-Accept header'));
  }
  if (headers.has('sec-websocket-extensions')) {
    return refused(notWebSocket('it chose an extension, and none was asked for'));
  }
  if (protocol === null || !protocols.includes(protocol)) return refused(handshakeReason(protocol, protocols));
  return { kind: 'accepted', protocol, headLength };
}

/** By their names in small letters; null when a line is none. */
function headersIn(lines: readonly string[]): Headers | null {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    if (colon < 1 || /\s/.test(name)) return null;
    const value = line.slice(colon + 1).trim();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return headers;
}

/** Section 4.2.2, point 5.4. */
function acceptOf(key: string): string {
  return hash('sha1', `${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`, 'base64');
}

function credentialsIn({ username, password }: URL): LinkRequest['basicAuth'] {
  if (username === '' && password === '') return undefined;
  return { user: unescaped(username), password: unescaped(password) };
}

function encoded({ user, password }: NonNullable<LinkRequest['basicAuth']>): string {
  return Buffer.concat([Buffer.from(`${user}:`), Buffer.from(password)]).toString('base64');
}

function refused(reason: string, distrust?: Distrust): Answer {
  return { kind: 'refused', reason, distrust };
}
