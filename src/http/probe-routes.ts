// Whether the gateway is up, and whether it can do its work.

import Type from 'typebox';
import type { HttpDependencies } from './dependencies.ts';
import { readinessTimeoutMs } from './limits.ts';
import { type Mount, mount } from './operation.ts';
import { unavailable } from './problem.ts';
import { within } from './within.ts';

const health = Type.Object(
  { status: Type.String({ description: '`ok`' }), version: Type.String({ description: 'Of the program.' }) },
  { title: 'Health' },
);

const readinessBody = Type.Object(
  {
    ...health.properties,
    partitions: Type.Optional(
      Type.Integer({ description: 'Only of a process that runs a part of a shared fleet: how many of its 256 parts.' }),
    ),
  },
  { title: 'Readiness' },
);

export function mountProbes(on: Mount, { ready, share, clock, version }: HttpDependencies): void {
  const ok = { status: 'ok', version };

  mount(on, {
    method: 'GET',
    path: '/healthz',
    id: 'getHealth',
    tag: 'service',
    summary: 'Ask whether the process is up',
    description: 'Answers as long as the process lives.',
    scope: null,
    answer: { status: 200, description: 'It is up.', schema: health, example: ok },
    problems: [503],
    handle: () => ok,
  });

  mount(on, {
    method: 'GET',
    path: '/readyz',
    id: 'getReadiness',
    tag: 'service',
    summary: 'Ask whether the gateway can do its work',
    description: 'Answers 200 when the store and the queue can be reached and the fleet processes live.',
    scope: null,
    answer: { status: 200, description: 'It can.', schema: readinessBody, example: ok },
    problems: [503],
    async handle() {
      const reason = await within(
        clock,
        readinessTimeoutMs,
        ready(),
        'the gateway cannot tell in time whether it is ready',
      );
      if (reason !== null) throw unavailable(reason);
      return share === undefined ? ok : { ...ok, partitions: share().partitions };
    },
  });
}
