// Where Prometheus reads: open to this machine or to everybody.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { mountAsset } from './asset.ts';
import type { Metrics } from './metrics.ts';
import { forbidden } from './problem.ts';

const example = '# HELP chargesim_chargers_running Chargers that run.\nchargesim_chargers_running 12\n';

export function mountMetrics(app: FastifyInstance, metrics: Metrics, readers: 'open' | 'loopback'): void {
  mountAsset(app, {
    path: '/metrics',
    id: 'getMetrics',
    tag: 'service',
    summary: 'Read the metrics',
    description: `For Prometheus, in its text format. ${readers === 'open' ? 'Open to everybody.' : 'Open to clients on the same machine.'}`,
    contentType: metrics.contentType,
    answer: { description: 'The metrics.', example },
    problems: [403],
    handle(request) {
      if (readers === 'loopback' && !isLocal(request)) {
        throw forbidden('the metrics are for clients on the same machine, unless METRICS=open');
      }
      return metrics.text();
    },
  });
}

/** A proxy on this machine brings clients from elsewhere, and says so. */
const isLocal = ({ socket: { remoteAddress = '' }, headers }: FastifyRequest): boolean =>
  /^(?:(?:::ffff:)?127\.\d+\.\d+\.\d+|::1)$/.test(remoteAddress) &&
  headers['x-forwarded-for'] === undefined &&
  headers.forwarded === undefined;
