// The front of the gateway: an HTTP server that accepts, checks, enqueues and reads, and never runs a charger.

import fastify, { type FastifyInstance, LogController } from 'fastify';
import { requireToken } from './access.ts';
import { logAbort, logAccess } from './access-log.ts';
import { answerMalformed, answerProblem, answerUnknownRoutes } from './answer-problems.ts';
import { mountChargers } from './charger-routes.ts';
import { mountCommands } from './command-routes.ts';
import type { HttpDependencies } from './dependencies.ts';
import { serveDocs } from './docs.ts';
import { bodyLimitBytes, longestParameter, requestTimeoutMs } from './limits.ts';
import { describeInterface } from './openapi.ts';
import type { Mount } from './operation.ts';
import { mountProbes } from './probe-routes.ts';
import { unavailable } from './problem.ts';
import { setResponseHeaders } from './response-headers.ts';
import { mountSimulators } from './simulator-routes.ts';
import { validatorCompiler } from './validation.ts';

export async function buildServer(deps: HttpDependencies): Promise<FastifyInstance> {
  const closing = new AbortController();
  const app = fastify({
    loggerInstance: deps.logger,
    // Our own line per request says more; whatever else is logged for a request bears its id.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: () => deps.newId(),
    bodyLimit: bodyLimitBytes,
    requestTimeout: requestTimeoutMs,
    // Answered by the hook below instead, in our own shape.
    return503OnClosing: false,
    routerOptions: { maxParamLength: longestParameter },
    frameworkErrors: (error, request, reply) => {
      setResponseHeaders(request, reply);
      answerProblem(error, request, reply);
    },
    clientErrorHandler: answerMalformed,
  });

  app.setValidatorCompiler(validatorCompiler);
  app.setErrorHandler(answerProblem);
  app.removeContentTypeParser('text/plain');
  app.decorateRequest('caller', null);

  app.addHook('onRequest', async (request, reply) => {
    setResponseHeaders(request, reply);
    if (closing.signal.aborted) throw unavailable('the gateway is shutting down');
  });
  app.addHook('onResponse', async (request, reply) => logAccess(request, reply));
  app.addHook('onRequestAbort', async (request) => logAbort(request));
  app.addHook('preClose', async () => closing.abort());

  const isOperation = (url: string): boolean => /^\/oc(?:pp|pi)(?=[/?]|$)/.test(url);
  const checkToken = requireToken(deps.verifyToken);
  app.addHook('onRequest', async (request) => {
    if (request.is404 && isOperation(request.url)) await checkToken(request);
  });
  answerUnknownRoutes(app);

  await describeInterface(app, { publicUrl: () => deps.defaults.publicUrl() });
  const mount: Mount = { app, verifyToken: deps.verifyToken, closing: closing.signal };
  mountProbes(mount, deps);
  mountChargers(mount, deps);
  mountSimulators(mount, deps);
  mountCommands(mount, deps);
  await serveDocs(app);
  return app;
}
