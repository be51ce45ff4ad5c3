// Lets web pages of other origins call: none, those that are configured, or all. Tokens come in a header, so cookies are never asked for.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { preflightMaxAgeS } from './limits.ts';

export interface Cors {
  /** On every answer, also on those to malformed requests. */
  setHeaders(request: FastifyRequest, reply: FastifyReply): void;
  /** Whether a browser only asks if its page may send what it wants to; the headers to answer that are set. */
  isPreflight(request: FastifyRequest, reply: FastifyReply): boolean;
}

const ofPreflight = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE',
  'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key, Last-Event-ID',
  'access-control-max-age': String(preflightMaxAgeS),
};
const readable = 'Location, Retry-After, X-Request-Id';

export function cors(origins: readonly string[]): Cors {
  const all = origins.includes('*');
  const allowed = new Set(origins);
  const isAllowed = (origin: string | undefined): origin is string =>
    origin !== undefined && (all || allowed.has(origin));

  return {
    setHeaders({ headers: { origin } }, reply) {
      if (allowed.size === 0) return;
      // What is kept for one origin must not be given to another.
      if (!all) reply.header('vary', 'Origin');
      if (!isAllowed(origin)) return;
      reply.header('access-control-allow-origin', all ? '*' : origin);
      reply.header('access-control-expose-headers', readable);
    },
    isPreflight({ method, headers }, reply) {
      if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return false;
      if (!isAllowed(headers.origin)) return false;
      reply.headers(ofPreflight);
      return true;
    },
  };
}
