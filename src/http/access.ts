// Lets callers in: a genuine token, then the right that the operation names. Runs before a body is read.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, type Claims, decide } from '../auth/decide.ts';
import type { Scope } from '../auth/scopes.ts';
import { forbidden, unauthorized } from './problem.ts';
import type { TokenVerifier, Verdict } from './token-verifier.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null in operations that need no token. */
    caller: Caller | null;
  }
}

/** A hook for operations that need this scope. With a callback: most tokens are known already, and nobody is waited for. */
export const requireScope =
  (verifyToken: TokenVerifier, scope: Scope) =>
  (request: FastifyRequest, _: FastifyReply, done: (error?: Error) => void): void => {
    const decideOn = (verdict: Verdict): void => {
      const decision = decide(claimsOf(verdict), scope);
      if (!('allowed' in decision)) throw forbidden(decision.sentence);
      request.caller = decision.allowed;
    };
    try {
      const verdict = verifyToken(bearerOf(request));
      if (verdict instanceof Promise) {
        verdict.then(decideOn).then(() => done(), done);
        return;
      }
      decideOn(verdict);
    } catch (error) {
      done(error as Error);
      return;
    }
    done();
  };

/** A hook for what lies among the operations without being one: who has no token does not learn that. */
export const requireToken = (verifyToken: TokenVerifier) => async (request: FastifyRequest) => {
  claimsOf(await verifyToken(bearerOf(request)));
};

function bearerOf({ headers: { authorization } }: FastifyRequest): string {
  if (authorization === undefined) {
    throw unauthorized('a bearer token is required: send the header "Authorization: Bearer <token>"');
  }
  const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
  if (token === undefined) throw unauthorized('the Authorization header must read "Bearer <token>"');
  return token;
}

function claimsOf(verdict: Verdict): Claims {
  if ('rejected' in verdict) throw unauthorized(verdict.rejected);
  return verdict.claims;
}
