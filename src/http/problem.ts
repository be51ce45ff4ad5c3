// What goes wrong with a request: a status, a sentence for people and, of invalid input, the fields.

import Type from 'typebox';
import { bodyLimitBytes } from './limits.ts';

export interface Violation {
  /** `event.power_w`; the name of a query parameter; `body` for the body as a whole. */
  readonly field: string;
  /** Goes on where the field's name ends: `must be >= 0`. */
  readonly message: string;
}

interface ProblemOptions extends ErrorOptions {
  readonly violations?: readonly Violation[];
  readonly headers?: Readonly<Record<string, string>>;
}

export class HttpProblem extends Error {
  readonly status: number;
  readonly violations: readonly Violation[] | null;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, sentence: string, options: ProblemOptions = {}) {
    super(sentence, options);
    this.name = 'HttpProblem';
    this.status = status;
    this.violations = options.violations ?? null;
    this.headers = options.headers ?? {};
  }
}

export const unauthorized = (sentence: string) =>
  new HttpProblem(401, sentence, { headers: { 'www-authenticate': 'Bearer' } });
export const forbidden = (sentence: string) => new HttpProblem(403, sentence);
export const notFound = (sentence: string) => new HttpProblem(404, sentence);
/** What the request asks for contradicts what is stored. */
export const contradiction = (sentence: string) => new HttpProblem(400, sentence);
export const unavailable = (sentence: string) => new HttpProblem(503, sentence, { headers: { 'retry-after': '1' } });

export function invalid(violations: readonly Violation[], sentence?: string): HttpProblem {
  const [first, ...more] = violations;
  const told = first === undefined ? 'the request is not valid' : `${first.field} ${first.message}`;
  const rest = more.length === 0 ? '' : ` (and ${more.length} more: see errors)`;
  return new HttpProblem(422, sentence ?? `${told}${rest}`, { violations });
}

export const httpErrorResponse = Type.Object(
  {
    detail: Type.String({ description: 'What was wrong, in one sentence.' }),
    errors: Type.Optional(
      Type.Array(Type.Object({ field: Type.String(), message: Type.String() }), {
        description: 'Only with 422: each field that was wrong.',
      }),
    ),
    request_id: Type.Optional(Type.String({ description: 'Only with 500: what the log calls this request.' })),
  },
  { title: 'HttpErrorResponse' },
);

interface Meaning {
  readonly description: string;
  readonly example: Type.Static<typeof httpErrorResponse>;
}

/** What each status means, in every operation that can answer it. */
export const meanings: Readonly<Record<number, Meaning>> = {
  400: {
    description: 'The request contradicts what is stored.',
    example: { detail: 'the identity CP-1 is already in use' },
  },
  401: {
    description: 'The bearer token is missing or not valid.',
    example: { detail: 'a bearer token is required: send the header "Authorization: Bearer <token>"' },
  },
  403: {
    description: 'The token lacks a required claim or the scope of this operation.',
    example: { detail: 'the token lacks the scope commands:write' },
  },
  404: {
    description: 'What the path or the target names does not exist in this tenant.',
    example: { detail: 'charger 019a8b1e-6c3f-7d20-b7a5-0c9d5b1e7f42 does not exist' },
  },
  409: {
    description: 'The first request with this Idempotency-Key is still being worked on.',
    example: { detail: 'the first request with this Idempotency-Key is still being worked on' },
  },
  413: {
    description: `The body is larger than ${bodyLimitBytes / 1024 / 1024} MiB.`,
    example: { detail: 'the body is larger than 8 MiB' },
  },
  415: {
    description: 'The body is not sent as application/json.',
    example: { detail: 'send the body with the header "Content-Type: application/json"' },
  },
  422: {
    description: 'The input does not have the right shape.',
    example: {
      detail: 'event.power_w must be >= 0',
      errors: [{ field: 'event.power_w', message: 'must be >= 0' }],
    },
  },
  429: {
    description:
      'The tenant makes more requests than it may, where a rate limit is set, or has too many event streams open: `Retry-After` says when to try again.',
    example: { detail: 'this tenant makes more requests than the 50 per second that it may' },
  },
  500: {
    description: 'An error inside the gateway.',
    example: {
      detail: 'an internal error happened; the log tells more under this request_id',
      request_id: '019a8b1e-6c3f-7d20-b7a5-0c9d5b1e7f42',
    },
  },
  503: {
    description: 'Not possible at the moment: try again.',
    example: { detail: 'the gateway is shutting down' },
  },
};
