// Who knocks, and in which version of OCPP: read from the HTTP request that asks for a WebSocket.

import type { WebSocketServer } from 'ws';
import type { Dialect } from '../ocpp/dialect.ts';
import { loadDialect } from '../ocpp/dialects.ts';
import type { AnswerTable } from './answer.ts';
import { answers21, answers201 } from './answers2.ts';
import { answers16 } from './answers16.ts';

/** What an HTTP server's `upgrade` event brings. */
export type Upgrade = Parameters<WebSocketServer['handleUpgrade']>;

/** A version of OCPP as the CSMS speaks it. */
export interface Language {
  readonly dialect: Dialect;
  readonly answers: AnswerTable;
}

export interface Address {
  readonly org: string;
  readonly identity: string;
}

const languages: Readonly<Record<string, { readonly version: string; readonly answers: AnswerTable }>> = {
  'ocpp1.6': { version: '1.6', answers: answers16 },
  'ocpp2.0.1': { version: '2.0.1', answers: answers201 },
  'ocpp2.1': { version: '2.1', answers: answers21 },
};

export const protocols: readonly string[] = Object.keys(languages);

export async function loadLanguage(protocol: string): Promise<Language> {
  const row = languages[protocol];
  if (row === undefined) throw new Error(`bug: ${protocol} is not spoken here`);
  return { dialect: await loadDialect(row.version), answers: row.answers };
}

/** The first of the client's offers that is spoken here. */
export function pickProtocol(offers: Iterable<string>): string | undefined {
  return [...offers].find((offer) => protocols.includes(offer));
}

export function offersOf(request: Upgrade[0]): readonly string[] {
  return (request.headers['sec-websocket-protocol'] ?? '').split(',').map((offer) => offer.trim());
}

export const pathOf = (request: Upgrade[0]): string => (request.url ?? '').split('?', 1)[0] ?? '';

/** Null when the path is not `{base}/{org}/{identity}`, both percent-encoded. */
export function addressOf(request: Upgrade[0], base: string): Address | null {
  const path = pathOf(request);
  if (!path.startsWith(`${base}/`)) return null;
  const parts = path.slice(base.length + 1).split('/');
  const [org, identity] = parts.map(decoded);
  return parts.length === 2 && org && identity ? { org, identity } : null;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** One key for both names, whatever characters they are made of. */
export const keyOf = ({ org, identity }: Address): string => `${org.length}:${org}${identity}`;
