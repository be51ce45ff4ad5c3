// The description as a file and as a page to read and try it on; the page needs nothing from elsewhere.

import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';

/** Styles are set by script, pictures are inlined: nothing else is allowed in from outside this server. */
export const docsPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'self'",
].join('; ');

/** To be called after the operations have been mounted. */
export async function serveDocs(app: FastifyInstance): Promise<void> {
  app.get('/openapi.json', { schema: { hide: true } }, (_request, reply) =>
    reply.type('application/json').send(app.swagger()),
  );
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    // A string of it would be set by the plugin for its own routes only, errors excepted; ours is set for every answer under /docs.
    staticCSP: false,
    theme: { title: 'Charger Simulation Gateway' },
    uiConfig: { deepLinking: true, displayRequestDuration: true, tryItOutEnabled: true },
  });
}
