// Checks the drawings: found where `image_url` leads, without a token, kept by browsers, and harmless.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Front, startFront } from '../../test/http-front.ts';

let front: Front;
let images: readonly string[];
beforeAll(async () => {
  front = await startFront();
  const read = async (url: string) => (await front.call('GET', url)).body.data;
  const brands = await read('/ocpp/catalog/brands?limit=100');
  const models = await Promise.all(
    brands.map(({ id }: { id: string }) => read(`/ocpp/catalog/brands/${id}/models?limit=100`)),
  );
  images = [...brands, ...models.flat(), ...(await read('/ocpp/templates/locations'))].map(
    ({ image_url }) => image_url,
  );
});
afterAll(() => front.close());

const get = (url: string, headers = {}) => front.call('GET', url, { token: null, headers });
const pathOf = (url: string) => url.replace('http://127.0.0.1:8080', '');

describe('the drawings', () => {
  it('are there for every brand, model and location template, open to all', async () => {
    expect(images.length).toBeGreaterThan(160);
    expect(new Set(images).size).toBe(images.length);
    for (const image of images) {
      const { status, body, headers } = await get(pathOf(image));
      expect(status, image).toBe(200);
      expect(headers['content-type'], image).toBe('image/svg+xml; charset=utf-8');
      expect(String(body), image).toMatch(/^<svg [\s\S]*<\/svg>\s*$/);
      expect(String(body), image).not.toMatch(/<script|javascript:|\son\w+=|<foreignObject|href="(?!#)/i);
    }
  });

  it('may be kept, do nothing, and are guessed to be nothing else', async () => {
    const { headers } = await get(pathOf(images[0] ?? ''));
    expect(headers).toMatchObject({
      etag: expect.stringMatching(/^"[\w-]{22}"$/),
      'cache-control': 'public, max-age=86400',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    });
  });

  it('are not sent again to those who have them', async () => {
    const path = pathOf(images[0] ?? '');
    const { headers } = await get(path);
    const etag = String(headers['etag']);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const answer = await get(path, { 'if-none-match': known });
      expect(answer).toMatchObject({ status: 304, body: '' });
      expect(answer.headers).toMatchObject({ etag, 'cache-control': 'public, max-age=86400' });
      expect(answer.headers).not.toHaveProperty('content-type');
    }
    expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('answer HEAD with the same headers and no body', async () => {
    const path = pathOf(images[0] ?? '');
    const { status, body, headers } = await front.call('HEAD', path, { token: null });
    expect({ status, body }).toEqual({ status: 200, body: '' });
    expect(headers['etag']).toBe((await get(path)).headers['etag']);
  });

  it.each([
    '/images/brands/nobody.svg',
    '/images/models/nobody/x.svg',
    '/images/locations/nowhere.svg',
    '/images/brands/nobody.png',
    '/images/brands/..%2f..%2fpackage.svg',
    '/images/cars/x.svg',
    '/images',
  ])('are 404 where there is none: %s', async (url) => {
    const { status, body, headers } = await get(url);
    expect(status).toBe(404);
    expect(Object.keys(body)).toEqual(['detail']);
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it('know no query and no other method', async () => {
    const path = pathOf(images[0] ?? '');
    expect((await get(`${path}?size=2`)).status).toBe(422);
    expect(await front.call('DELETE', path)).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
  });
});
