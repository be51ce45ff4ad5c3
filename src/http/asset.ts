// What is served beside the operations: text that is not JSON, open to all who find it, and described with the operations.

import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import Type from 'typebox';
import { problemAnswer } from './openapi.ts';
import { closed } from './schema.ts';

export interface Asset {
  /** `/images/brands/{brand}.svg` */
  readonly path: string;
  /** For generated clients: unique. */
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** What the parameters in the path are. */
  readonly params?: Readonly<Record<string, string>>;
  readonly contentType: string;
  readonly answer: { readonly description: string; readonly example: string };
  /** Whether clients that have it already are told so. */
  readonly isKept?: boolean;
  /** Error statuses beyond those that every asset has. */
  readonly problems: readonly number[];
  /** The text, or null when the client has it already. */
  handle(request: FastifyRequest, reply: FastifyReply): Promise<string | null> | string | null;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How a route that is no operation is described; others are not. */
    described?: FastifySchema;
    /** Its path, as the description has it. */
    template?: string;
  }
}

const noQuery = closed({});

export function mountAsset(app: FastifyInstance, asset: Asset): void {
  app.get(
    asset.path.replace(/\{(\w+)\}/g, ':$1'),
    { schema: { querystring: noQuery }, config: { described: described(asset), template: asset.path } },
    async (request, reply) => {
      const text = await asset.handle(request, reply);
      if (text === null) return reply.code(304).send();
      return reply.type(asset.contentType).send(text);
    },
  );
}

function described(asset: Asset): FastifySchema {
  const { id, tag, summary, description, params = {}, contentType, answer, isKept = false, problems } = asset;
  const [mediaType = contentType] = contentType.split(';', 1);
  const statuses = [...new Set([...problems, 422, 500, 503])].sort();
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: `${description}\n\nNeeds no token.`,
    security: [],
    params: Type.Object(
      Object.fromEntries(Object.entries(params).map(([name, told]) => [name, Type.String({ description: told })])),
    ),
    response: {
      200: {
        description: answer.description,
        content: { [mediaType]: { schema: Type.String(), example: answer.example } },
      },
      ...(isKept ? { 304: { type: 'null', 'x-response-description': 'The client has it already.' } } : {}),
      ...Object.fromEntries(statuses.map((status) => [status, problemAnswer(status)])),
    },
  };
}
