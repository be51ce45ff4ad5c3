// Every error that a client sees is made here: one shape, and nothing of the inside.

import type { Socket } from 'node:net';
import type { ConnectionError, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type FailureCode, failureCodes, isFailure } from '../errors.ts';
import { bodyLimitBytes } from './limits.ts';
import { HttpProblem, invalid, notFound, unavailable } from './problem.ts';

type Translation = () => HttpProblem;

const tooLarge: Translation = () => new HttpProblem(413, `the body is larger than ${bodyLimitBytes / 1024 / 1024} MiB`);
const wrongMediaType: Translation = () =>
  new HttpProblem(415, 'send the body with the header "Content-Type: application/json"');
const notJson: Translation = () => invalid([{ field: 'body', message: 'must be JSON' }], 'the body is not valid JSON');
const noBody: Translation = () => invalid([{ field: 'body', message: 'is required' }], 'the body is empty');
const cutShort: Translation = () =>
  invalid([{ field: 'body', message: 'must be as long as Content-Length says' }], 'the body is not complete');
const noSuchPath: Translation = () => notFound('there is nothing under this path');

/** What the web framework finds wrong by itself. */
const frameworkProblems: Readonly<Record<string, Translation>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: tooLarge,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: wrongMediaType,
  FST_ERR_CTP_INVALID_JSON_BODY: notJson,
  FST_ERR_CTP_EMPTY_JSON_BODY: noBody,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: cutShort,
  FST_ERR_BAD_URL: noSuchPath,
  FST_ERR_MAX_PARAM_LENGTH: noSuchPath,
  FST_STATIC_FORBIDDEN_PATH: noSuchPath,
};

/** Failures that pass; all others are errors inside the gateway. */
const passingFailures: readonly FailureCode[] = [
  'no_answer',
  'process_restarting',
  'not_running',
  'store_closed',
  'store_unreachable',
  'broker_unreachable',
  'fenced',
  'limit_reached',
];

function problemOf(error: unknown): HttpProblem | null {
  if (error instanceof HttpProblem) return error;
  if (isFailure(error)) {
    return passingFailures.includes(error.code) ? unavailable(failureCodes[error.code]) : null;
  }
  const { code, statusCode, name } = error as Partial<FastifyError>;
  const translation = frameworkProblems[code ?? ''];
  if (translation !== undefined) return translation();
  return name === 'SyntaxError' && statusCode === 400 ? notJson() : null;
}

export function answerProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = problemOf(error);
  if (problem === null) {
    request.log.error({ err: error }, 'a request failed inside the gateway');
    return reply.code(500).type('application/json').send({
      detail: 'an internal error happened; the log tells more under this request_id',
      request_id: request.id,
    });
  }
  return reply
    .code(problem.status)
    .headers(problem.headers)
    .type('application/json')
    .send({ detail: problem.message, ...(problem.violations === null ? {} : { errors: problem.violations }) });
}

/** What the HTTP parser finds wrong before there is a request: the status line and a sentence. */
const parserProblems: Readonly<Record<string, readonly [line: string, sentence: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'the headers of the request are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request did not arrive in time'],
};

/** Answers bytes that are not HTTP, on the bare socket. */
export function answerMalformed(error: ConnectionError, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [line, detail] = parserProblems[error.code] ?? ['400 Bad Request', 'this is not a valid HTTP request'];
  const body = JSON.stringify({ detail });
  const headers = [
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ];
  socket.end([`HTTP/1.1 ${line}`, ...headers, '', body].join('\r\n'));
}

interface KnownRoute {
  readonly method: string;
  readonly pattern: RegExp;
}

/** A parameter may have an ending: `:brand.svg`. */
function partPattern(part: string): string {
  const ending = part.replace(/^:\w+/, '');
  return `${ending === part ? '' : '[^/]+'}${RegExp.escape(ending)}`;
}

const patternOf = (url: string): RegExp =>
  new RegExp(
    `^${url
      .split('/')
      .map((part) => (part === '*' ? '.*' : partPattern(part)))
      .join('/')}$`,
  );

/** Answers what no route takes: 405 where another method would do, 404 elsewhere. Needs to be there before the routes. */
export function answerUnknownRoutes(app: FastifyInstance): void {
  const routes: KnownRoute[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) routes.push({ method: each, pattern: patternOf(url) });
  });
  app.setNotFoundHandler((request) => {
    const [path = ''] = request.url.split('?', 1);
    const methods = new Set(routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method));
    if (methods.size === 0) throw noSuchPath();
    const allow = [...methods].sort().join(', ');
    throw new HttpProblem(405, `${request.method} is not possible here; possible: ${allow}`, { headers: { allow } });
  });
}
