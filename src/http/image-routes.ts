// The drawings of the catalog and the galleries: SVGs made here, which browsers may keep.

import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { imageAt, imageContentType } from '../templates/images.ts';
import { mountAsset } from './asset.ts';
import { imageMaxAgeS } from './limits.ts';
import { notFound } from './problem.ts';

interface Drawing {
  readonly svg: string;
  readonly tag: string;
}

/** A drawing opened by itself is a document: it may look as it is drawn, and do nothing. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox";
const slugOfBrand = 'The slug of the brand.';

const kinds = [
  {
    path: '/images/brands/{brand}.svg',
    id: 'getBrandImage',
    tag: 'catalog',
    summary: 'Get the drawing of a brand',
    params: { brand: slugOfBrand },
  },
  {
    path: '/images/models/{brand}/{model}.svg',
    id: 'getModelImage',
    tag: 'catalog',
    summary: 'Get the drawing of a model',
    params: { brand: slugOfBrand, model: 'The slug of the model.' },
  },
  {
    path: '/images/locations/{template}.svg',
    id: 'getLocationTemplateImage',
    tag: 'templates',
    summary: 'Get the drawing of a location template',
    params: { template: 'The slug of the template.' },
  },
];

export function mountImages(app: FastifyInstance): void {
  const drawingAt = keptDrawings();
  for (const kind of kinds) {
    mountAsset(app, {
      ...kind,
      description: 'Where an `image_url` leads. It may be kept: the `ETag` tells whether it has changed.',
      contentType: imageContentType,
      answer: {
        description: 'The drawing.',
        example: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 240"/>',
      },
      isKept: true,
      problems: [404],
      handle({ url, headers }, reply) {
        const drawing = drawingAt(url.split('?', 1)[0] ?? '');
        if (drawing === null) throw notFound('there is no such image');
        reply.headers({
          etag: drawing.tag,
          'cache-control': `public, max-age=${imageMaxAgeS}`,
          'content-security-policy': policy,
        });
        return isKnown(headers['if-none-match'], drawing.tag) ? null : drawing.svg;
      },
    });
  }
}

/** Each is drawn when it is first asked for. There are no more of them than the catalog has entries. */
function keptDrawings(): (path: string) => Drawing | null {
  const drawings = new Map<string, Drawing>();
  return (path) => {
    const kept = drawings.get(path);
    if (kept !== undefined) return kept;
    const svg = imageAt(path);
    if (svg === null) return null;
    const drawing = { svg, tag: `"${createHash('sha256').update(svg).digest('base64url').slice(0, 22)}"` };
    drawings.set(path, drawing);
    return drawing;
  };
}

/** Whether the client names this version among those that it has. */
function isKnown(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((each) => {
    const named = each.trim();
    return named === '*' || named.replace(/^W\//, '') === tag;
  });
}
