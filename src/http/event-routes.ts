// What happens to chargers, as a stream of server-sent events.

import type { FastifyReply } from 'fastify';
import Type from 'typebox';
import { eventTypes } from '../events/event.ts';
import { chargerOf } from './charger-routes.ts';
import type { HttpDependencies } from './dependencies.ts';
import { eventExample } from './event-schema.ts';
import { streamEvents } from './event-stream.ts';
import { clockToleranceS, mostStreams } from './limits.ts';
import { type Mount, mount } from './operation.ts';
import { HttpProblem, invalid, notFound } from './problem.ts';
import { closed, cursorPattern, text, word } from './schema.ts';

const mediaType = 'text/event-stream';
const resumeHeader = 'Last-Event-ID';
const validPlace = new RegExp(cursorPattern);

const query = closed({
  charger_id: Type.Optional(text(64, { description: 'Only events of this charger.' })),
  location_id: Type.Optional(text(64, { description: 'Only events of this location.' })),
  type: Type.Optional(
    Type.Array(word(eventTypes), {
      description: 'Only events of these types: separated by commas, or by naming the parameter several times.',
    }),
  ),
});

const example = `retry: 2000
id: 000001-00000000a7

id: ${eventExample.id}
event: ${eventExample.type}
data: ${JSON.stringify(eventExample)}

`;

export function mountEvents(on: Mount, { store, feed, clock }: HttpDependencies): void {
  const open = new Map<string, number>();

  mount(on, {
    method: 'GET',
    path: '/ocpp/events',
    id: 'streamEvents',
    tag: 'events',
    summary: 'Follow what happens',
    description: `Server-sent events, from now on or, with \`${resumeHeader}\`, from behind the event named; clients that know the format come back by themselves after a break, and miss nothing that is still kept. Where something is no longer kept the first message is \`stream.missed\`, and the stream goes on with the oldest event. A stream that the gateway ends has a last message \`stream.ended\` that says why: the client took nothing for 30 s, events were forgotten before it took them, its token has expired, or the gateway shuts down. One tenant may have ${mostStreams} streams open.`,
    scope: 'events:read',
    query,
    headers: { [resumeHeader]: 'The id of the last event that the client has seen.' },
    answer: { status: 200, description: 'The events, as they happen.', mediaType, example },
    problems: [404],
    async handle({ caller: { org, expiresAtS }, query: { charger_id, location_id, type = [] }, reply }) {
      const given = placeOf(reply);
      if (charger_id !== undefined) await chargerOf(store, org, charger_id);
      if (location_id !== undefined && (await store.location(org, location_id)) === null) {
        throw notFound(`location ${location_id} does not exist`);
      }
      const newest = await feed.newest();
      // Of an event that this gateway cannot have told of, nothing is known: not where it would be either.
      const isStrange = given !== null && given > newest;
      const streams = open.get(org) ?? 0;
      if (streams >= mostStreams) throw tooManyStreams();
      open.set(org, streams + 1);
      try {
        const response = beginStream(reply);
        if (reply.request.method === 'HEAD') return void response.end();
        await streamEvents({
          feed,
          clock,
          response,
          interest: { org, types: type, chargerId: charger_id ?? null, locationId: location_id ?? null },
          after: isStrange ? '' : (given ?? newest),
          hasMissed: isStrange,
          endsAtMs: (expiresAtS + clockToleranceS) * 1000,
          closing: on.closing,
        });
      } finally {
        const left = (open.get(org) ?? 1) - 1;
        if (left === 0) open.delete(org);
        else open.set(org, left);
      }
    },
  });
}

/** Null: from now on. */
function placeOf({ request }: FastifyReply): string | null {
  const given = request.headers[resumeHeader.toLowerCase()];
  if (given === undefined || given === '') return null;
  if (typeof given === 'string' && validPlace.test(given)) return given;
  throw invalid([{ field: resumeHeader, message: 'must be the id of an event' }]);
}

/** From here on the answer is not the framework's any more. */
function beginStream(reply: FastifyReply) {
  const { raw } = reply.hijack();
  raw.shouldKeepAlive = false;
  return raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': mediaType,
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  });
}

const tooManyStreams = (): HttpProblem =>
  new HttpProblem(429, `this tenant has ${mostStreams} event streams open, as many as it may`, {
    headers: { 'retry-after': '5' },
  });
