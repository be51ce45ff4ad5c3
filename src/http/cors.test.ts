// Checks which web pages may call, and that none may by default.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Front, frontSettings, startFront } from '../../test/http-front.ts';

const preflight = (origin: string) => ({
  token: null,
  headers: {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization,content-type,idempotency-key',
  },
});
const startWith = (corsOrigins: readonly string[]) => startFront({ settings: { ...frontSettings, corsOrigins } });
const page = 'https://console.example.com';

describe('by default', () => {
  let front: Front;
  beforeAll(async () => {
    front = await startWith([]);
  });
  afterAll(() => front.close());

  it('no page of another origin may call', async () => {
    const { headers } = await front.call('GET', '/ocpp/chargers', { headers: { origin: page } });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect(headers).not.toHaveProperty('vary');
    expect((await front.call('OPTIONS', '/ocpp/chargers', preflight(page))).status).toBe(401);
    expect((await front.call('OPTIONS', '/healthz', preflight(page))).status).toBe(405);
  });
});

describe('where some origins are configured', () => {
  let front: Front;
  beforeAll(async () => {
    front = await startWith([page, 'http://localhost:5173']);
  });
  afterAll(() => front.close());

  it('their pages may send tokens, bodies and keys', async () => {
    const { status, body, headers } = await front.call('OPTIONS', '/ocpp/chargers', preflight(page));
    expect({ status, body }).toEqual({ status: 204, body: '' });
    expect(headers).toMatchObject({
      'access-control-allow-origin': page,
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE',
      'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key, Last-Event-ID',
      'access-control-max-age': '600',
      vary: 'Origin',
    });
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
  });

  it.each(['/ocpp/chargers', '/ocpp/nothing', '/nothing', '/ocpp/chargers?page=0', '/ocpp/chargers/%zz', '/healthz'])(
    'their pages may read the answer to %s, and where it says to go',
    async (url) => {
      const { headers } = await front.call('GET', url, { headers: { origin: page } });
      expect(headers['access-control-allow-origin']).toBe(page);
      expect(headers['access-control-expose-headers']).toBe('Location, Retry-After, X-Request-Id');
    },
  );

  it('a page without a token may read that it needs one', async () => {
    const { status, headers } = await front.call('GET', '/ocpp/chargers', { token: null, headers: { origin: page } });
    expect(status).toBe(401);
    expect(headers['access-control-allow-origin']).toBe(page);
  });

  it.each(['https://evil.example.com', `${page}.evil.example.com`, 'null'])('pages of %s may not', async (origin) => {
    const { headers } = await front.call('GET', '/healthz', { headers: { origin } });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    expect(headers['vary']).toBe('Origin');
    expect((await front.call('OPTIONS', '/healthz', preflight(origin))).status).toBe(405);
  });

  it('an OPTIONS that is no question of a browser is answered as ever', async () => {
    expect((await front.call('OPTIONS', '/healthz', { headers: { origin: page } })).status).toBe(405);
  });
});

describe('where all origins are', () => {
  it('any page may call, and answers may be kept for all', async () => {
    const front = await startWith(['*']);
    const { headers } = await front.call('GET', '/healthz', { headers: { origin: 'https://any.example.com' } });
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(headers).not.toHaveProperty('vary');
    expect((await front.call('OPTIONS', '/ocpi/cpos', preflight('https://any.example.com'))).status).toBe(204);
    await front.close();
  });
});
