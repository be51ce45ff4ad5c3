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

/** A bolt. */
const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0f766e"/><path d="M18 4 8 18h7l-1 10 10-14h-7z" fill="#fff"/></svg>';

/** To be called after the operations have been mounted. */
export async function serveDocs(app: FastifyInstance): Promise<void> {
  app.get('/openapi.json', { schema: { hide: true } }, (_request, reply) =>
    reply.type('application/json').send(app.swagger()),
  );
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    // A string of it would be set by the plugin for its own routes only, errors excepted; ours is set for every answer under /docs.
    staticCSP: false,
    theme: {
      title: 'Charger Simulation Gateway',
      favicon: [{ filename: 'icon.svg', rel: 'icon', sizes: 'any', type: 'image/svg+xml', content: icon }],
    },
    uiConfig: {
      // Without the bar of the plugin's makers, whose field for another address the policy above would make useless.
      layout: 'BaseLayout',
      deepLinking: true,
      displayRequestDuration: true,
      tryItOutEnabled: true,
      filter: true,
      defaultModelsExpandDepth: 0,
    },
  });
}
