// Lets callers in: a genuine token, then the right that the operation names. Runs before a body is read.

import type { FastifyRequest, onRequestHookHandler } from 'fastify';
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
export function requireScope(verifyToken: TokenVerifier, scope: Scope): onRequestHookHandler {
  // The claims of a token that is known are always the same object.
  const callers = new WeakMap<Claims, Caller>();
  const callerOf = (claims: Claims): Caller => {
    const known = callers.get(claims);
    if (known !== undefined) return known;
    const decision = decide(claims, scope);
    if (!('allowed' in decision)) throw forbidden(decision.sentence);
    callers.set(claims, decision.allowed);
    return decision.allowed;
  };
  return (request, _, done) => {
    const letIn = (verdict: Verdict): void => {
      request.caller = callerOf(claimsOf(verdict));
    };
    try {
      const verdict = verifyToken(bearerOf(request));
      if (verdict instanceof Promise) {
        verdict.then(letIn).then(() => done(), done);
        return;
      }
      letIn(verdict);
    } catch (error) {
      done(error as Error);
      return;
    }
    done();
  };
}

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
