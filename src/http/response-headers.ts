// Headers that every answer carries: browsers shall guess, keep and frame nothing of it.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { docsPolicy } from './docs.ts';

const common = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };
const ofData = {
  ...common,
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};
const ofDocs = { ...common, 'content-security-policy': docsPolicy };

const isDocs = (url: string): boolean => /^\/docs(?=[/?#]|$)/.test(url);

export function setResponseHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(isDocs(request.url) ? ofDocs : ofData);
  reply.header('x-request-id', request.id);
}
