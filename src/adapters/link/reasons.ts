// Why a link ended, in words for people. Never a password: neither that of the request nor one in the address.

import type { Distrust } from '../../ports/link.ts';
import { MAX_UNSENT_BYTES, OPEN_WITHIN_MS, PONG_WITHIN_MS } from './limits.ts';

type NetworkError = NodeJS.ErrnoException & { readonly address?: string };

/** The CSMS sent what may not be; the code is the one to close with then. */
export type Breach = readonly [code: number, reason: string];

export const TOO_LONG: Breach = [1009, 'the CSMS sent a message of more than 1 MiB'];
export const NOT_UTF8: Breach = [1007, 'the CSMS sent text that is not UTF-8'];

export function breachOf(words: string): Breach {
  return [1002, `the CSMS broke the WebSocket protocol: ${words}`];
}

export const reasons = {
  badAddress: 'the address is not that of a WebSocket',
  abandoned: 'given up by the charger before it was open',
  notOpened: `not open within ${OPEN_WITHIN_MS / 1_000} s`,
  cut: 'cut by the charger without a close frame',
  lost: 'the connection broke without a close frame',
  noPong: `no answer to a ping within ${PONG_WITHIN_MS / 1_000} s`,
  noCloseFrame: 'closed by the charger; the CSMS did not answer the close frame',
  unread: `the CSMS does not read: more than ${MAX_UNSENT_BYTES / 1024 / 1024} MiB wait to be sent`,
} as const;

export function httpReason(status: number): string {
  // Taken when it is needed, and as it is: an import would run everything in it that is loaded lazily.
  const { STATUS_CODES } = process.getBuiltinModule('node:http');
  return `the CSMS answered HTTP ${status} (${STATUS_CODES[status] ?? 'unknown status'})`;
}

export function notHttp(address: URL): string {
  return `the answer of ${shown(address)} is not HTTP`;
}

export function notWebSocket(words: string): string {
  return `the CSMS did not open a WebSocket: ${oneLine(words)}`;
}

/** `chosen` is the sub-protocol that the server chose: none, or one that was not asked for. */
export function handshakeReason(chosen: string | null, asked: readonly string[]): string {
  const choice = chosen === null ? 'no sub-protocol' : `the sub-protocol ${oneLine(chosen)} that was not asked for`;
  return `the CSMS chose ${choice}; asked for ${asked.join(', ')}`;
}

/** The connection never came about. */
export function whyNotOpened(error: NetworkError, address: URL): string {
  if (isPortTaken(error)) return 'no free local port towards the CSMS';
  const known = networkReasons[error.code ?? ''];
  if (known !== undefined) return known(address);
  if (error.code === 'EADDRNOTAVAIL') return `the source address ${error.address} is not of this machine`;
  if (/EPROTO|CERT|SSL|TLS|SIGNATURE/.test(error.code ?? '')) return `TLS failed: ${oneLine(error.message)}`;
  return notWebSocket(error.message);
}

export function hungUp(address: URL): string {
  return `connection reset by ${shown(address)} before it was open`;
}

/** What TLS says of certificates: the alerts of the other side are its distrust, everything else is ours. */
export function whoDistrusts({ code = '' }: NodeJS.ErrnoException): Distrust | undefined {
  if (/ALERT.*(?:CERTIFICATE|UNKNOWN_CA)/.test(code)) return 'by CSMS';
  return /CERT|SIGNATURE|ISSUER/.test(code) ? 'of CSMS' : undefined;
}

/** Another link to the same CSMS has the port. Binding to an address that is not of this machine gives the same code. */
export function isPortTaken(error: NodeJS.ErrnoException): boolean {
  return error.code === 'EADDRINUSE' || (error.code === 'EADDRNOTAVAIL' && error.syscall === 'connect');
}

/** After a close frame; `text` is what stood in it. */
export function whyClosed(by: 'CSMS' | 'charger', code: number, text: string): string {
  if (code === 1005) return `closed by the ${by} without a code`;
  const words = oneLine(text) || closeNames[code];
  return `closed by the ${by} with ${code}${words === undefined ? '' : ` (${words})`}`;
}

const networkReasons: Readonly<Record<string, (address: URL) => string>> = {
  ECONNREFUSED: (address) => `connection refused at ${shown(address)}`,
  ECONNRESET: hungUp,
  EPIPE: hungUp,
  ETIMEDOUT: (address) => `no answer from ${shown(address)}`,
  EHOSTUNREACH: (address) => `no route to the host ${address.hostname}`,
  ENETUNREACH: (address) => `no route to the host ${address.hostname}`,
  ENOTFOUND: (address) => `no address is known for the host ${address.hostname}`,
  EAI_AGAIN: (address) => `the address of the host ${address.hostname} could not be found out`,
  EMFILE: () => 'this process has no file descriptor left',
  ENFILE: () => 'this machine has no file descriptor left',
};

const closeNames: Readonly<Record<number, string>> = {
  1000: 'normal closure',
  1001: 'going away',
  1002: 'protocol error',
  1003: 'unsupported data',
  1007: 'invalid text',
  1008: 'policy violation',
  1009: 'message too big',
  1010: 'extension missing',
  1011: 'internal error',
  1012: 'service restart',
  1013: 'try again later',
  1014: 'bad gateway',
};

/** An address without credentials, path and query: those may hold secrets. */
function shown(address: URL): string {
  return `${address.protocol}//${address.host}`;
}

function oneLine(text: string): string {
  return text
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, 200);
}
