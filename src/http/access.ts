// Lets callers in: a genuine token, then the right that the operation names. Runs before a body is read.

import type { FastifyRequest } from 'fastify';
import { type Caller, decide } from '../auth/decide.ts';
import type { Scope } from '../auth/scopes.ts';
import { forbidden, unauthorized } from './problem.ts';
import type { TokenVerifier } from './token-verifier.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null in operations that need no token. */
    caller: Caller | null;
  }
}

/** A hook for operations that need this scope. */
export const requireScope = (verifyToken: TokenVerifier, scope: Scope) => async (request: FastifyRequest) => {
  const decision = decide(await genuineClaims(verifyToken, request), scope);
  if (!('allowed' in decision)) throw forbidden(decision.sentence);
  request.caller = decision.allowed;
};

/** A hook for what lies among the operations without being one: who has no token does not learn that. */
export const requireToken = (verifyToken: TokenVerifier) => async (request: FastifyRequest) => {
  await genuineClaims(verifyToken, request);
};

async function genuineClaims(verifyToken: TokenVerifier, request: FastifyRequest) {
  const { authorization } = request.headers;
  if (authorization === undefined) {
    throw unauthorized('a bearer token is required: send the header "Authorization: Bearer <token>"');
  }
  const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
  if (token === undefined) throw unauthorized('the Authorization header must read "Bearer <token>"');
  const verdict = await verifyToken(token);
  if ('rejected' in verdict) throw unauthorized(verdict.rejected);
  return verdict.claims;
}
