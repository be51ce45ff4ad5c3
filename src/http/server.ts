// The front of the gateway: an HTTP server that accepts, checks, enqueues and reads, and never runs a charger.

import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify';
import { requireToken } from './access.ts';
import { logAbort, logAccess } from './access-log.ts';
import { answerMalformed, answerProblem, answerUnknownRoutes } from './answer-problems.ts';
import { mountCatalog } from './catalog-routes.ts';
import { mountChargerChanges } from './charger-change-routes.ts';
import { mountChargers } from './charger-routes.ts';
import { mountCommands } from './command-routes.ts';
import { cors } from './cors.ts';
import { mountCpos } from './cpo-routes.ts';
import type { HttpDependencies } from './dependencies.ts';
import { serveDocs } from './docs.ts';
import { mountEvents } from './event-routes.ts';
import { Idempotency } from './idempotency.ts';
import { mountImages } from './image-routes.ts';
import { bodyLimitBytes, longestParameter, requestTimeoutMs } from './limits.ts';
import { mountLocations } from './location-routes.ts';
import { metrics } from './metrics.ts';
import { mountMetrics } from './metrics-route.ts';
import { describeInterface } from './openapi.ts';
import type { Mount } from './operation.ts';
import { mountProbes } from './probe-routes.ts';
import { unavailable } from './problem.ts';
import { rateLimit } from './rate-limit.ts';
import { setResponseHeaders } from './response-headers.ts';
import { mountRuntimes } from './runtime-routes.ts';
import { mountSimulators } from './simulator-routes.ts';
import { mountTemplates } from './template-routes.ts';
import { validatorCompiler } from './validation.ts';
import { mountWebhooks } from './webhook-routes.ts';

/** All of them, or only those by which a process that runs chargers is watched. */
export type Routes = 'all' | 'probes';

/** In the place of the framework's own, which are not even loaded then: they were a tenth of the start. */
const ownCompilers = {
  compilersFactory: {
    buildValidator: () => validatorCompiler,
    // What is answered was made by views of the right type, and this is as fast as what is compiled from a schema.
    buildSerializer: () => () => JSON.stringify,
  },
  // The framework's types know no other validators than its own.
} as unknown as NonNullable<FastifyServerOptions['schemaController']>;

export async function buildServer(given: HttpDependencies, routes: Routes = 'all'): Promise<FastifyInstance> {
  const { settings } = given;
  const measures = metrics(given);
  const deps = { ...given, queue: measures.counted(given.queue) };
  const otherOrigins = cors(settings.corsOrigins);
  const setHeaders = (request: FastifyRequest, reply: FastifyReply): void => {
    setResponseHeaders(request, reply);
    otherOrigins.setHeaders(request, reply);
  };
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
      setHeaders(request, reply);
      answerProblem(error, request, reply);
    },
    clientErrorHandler: answerMalformed,
    schemaController: ownCompilers,
  });

  app.setErrorHandler(answerProblem);
  app.removeContentTypeParser('text/plain');
  takeEmptyBodies(app);
  app.decorateRequest('caller', null);

  // With callbacks: a promise for each of them would cost more than what they do.
  app.addHook('onRequest', (request, reply, done) => {
    setHeaders(request, reply);
    if (closing.signal.aborted) done(unavailable('the gateway is shutting down'));
    else if (otherOrigins.isPreflight(request, reply)) reply.code(204).send();
    else done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    logAccess(request, reply);
    measures.countRequest(request, reply);
    done();
  });
  app.addHook('onRequestAbort', async (request) => logAbort(request));
  app.addHook('preClose', async () => closing.abort());

  const isOperation = (url: string): boolean => /^\/oc(?:pp|pi)(?=[/?]|$)/.test(url);
  const checkToken = requireToken(deps.verifyToken);
  app.addHook('onRequest', (request, _, done) => {
    if (routes === 'all' && request.is404 && isOperation(request.url)) checkToken(request).then(() => done(), done);
    else done();
  });
  if (settings.rateLimit !== null) {
    const count = rateLimit({ perSecond: settings.rateLimit, clock: deps.clock });
    // Once the caller is known, and before the body is read.
    app.addHook('preParsing', async ({ caller }) => {
      if (caller !== null) count(caller.org);
    });
  }
  answerUnknownRoutes(app);

  await describeInterface(app, { publicUrl: () => deps.defaults.publicUrl() });
  const mount: Mount = {
    app,
    verifyToken: deps.verifyToken,
    idempotency: new Idempotency(deps),
    closing: closing.signal,
  };
  mountProbes(mount, deps);
  if (settings.metrics !== 'off') mountMetrics(app, measures, settings.metrics);
  if (routes === 'probes') return app;
  mountChargers(mount, deps);
  mountChargerChanges(mount, deps);
  mountSimulators(mount, deps);
  mountRuntimes(mount, deps);
  mountCommands(mount, deps);
  mountCpos(mount, deps);
  mountLocations(mount, deps);
  mountCatalog(mount, deps);
  mountTemplates(mount, deps);
  mountEvents(mount, deps);
  mountWebhooks(mount, deps);
  mountImages(app);
  await serveDocs(app);
  return app;
}

/** Many clients name a content type whether or not they send a body: where none is asked for, an empty one is as good as none. */
function takeEmptyBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text: string, done) => {
    const { operation } = request.routeOptions.config;
    if (text === '' && operation !== undefined && operation.body === undefined) done(null, undefined);
    else parse(request, text, done);
  });
}
