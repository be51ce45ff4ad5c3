// One line per request in the log. Only the path: queries and headers may hold what is nobody's business.

import type { FastifyReply, FastifyRequest } from 'fastify';

/** Asked every few seconds by whoever watches over the gateway: only of interest when they fail. */
const quietPaths = new Set(['/healthz', '/readyz', '/metrics']);

const pathOf = ({ url }: FastifyRequest): string => url.split('?', 1)[0] ?? '';

export function logAccess(request: FastifyRequest, reply: FastifyReply): void {
  const path = pathOf(request);
  const { method } = request;
  const status = reply.statusCode;
  const ms = Math.round(reply.elapsedTime * 10) / 10;
  const level = quietPaths.has(path) && status < 400 ? 'debug' : 'info';
  request.log[level]({ method, path, status, ms }, `${method} ${path} ${status} in ${ms} ms`);
}

/** The client has gone before the answer. */
export function logAbort(request: FastifyRequest): void {
  const path = pathOf(request);
  request.log.info({ method: request.method, path, status: null }, `${request.method} ${path} given up by the client`);
}
