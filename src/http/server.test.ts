// Checks what every operation has in common: who gets in, how errors look, which headers answers carry.
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Front, startFront, tokenOf } from '../../test/http-front.ts';
import { VirtualClock } from '../adapters/clock/virtual.ts';
import { Failure } from '../errors.ts';

let front: Front;
beforeAll(async () => {
  front = await startFront();
});
afterAll(() => front.close());

const operations: readonly (readonly [method: string, url: string, scope: string])[] = [
  ['GET', '/ocpp/chargers', 'chargers:read'],
  ['POST', '/ocpp/chargers', 'chargers:write'],
  ['GET', '/ocpp/chargers/x', 'chargers:read'],
  ['PUT', '/ocpp/chargers/x', 'chargers:write'],
  ['DELETE', '/ocpp/chargers/x', 'chargers:write'],
  ['GET', '/ocpp/chargers/x/provisioning', 'chargers:read'],
  ['GET', '/ocpp/locations/x/chargers', 'chargers:read'],
  ['GET', '/ocpp/simulators/x', 'chargers:read'],
  ['GET', '/ocpp/simulators/x/logs', 'chargers:read'],
  ['POST', '/ocpp/simulators/x/start', 'chargers:write'],
  ['POST', '/ocpp/simulators/x/stop', 'chargers:write'],
  ['POST', '/ocpp/simulators/x/restart', 'chargers:write'],
  ['GET', '/ocpi/cpos', 'locations:read'],
  ['POST', '/ocpi/cpos', 'locations:write'],
  ['GET', '/ocpi/cpos/x', 'locations:read'],
  ['DELETE', '/ocpi/cpos/x', 'locations:write'],
  ['GET', '/ocpi/cpos/x/locations', 'locations:read'],
  ['POST', '/ocpi/cpos/x/locations', 'locations:write'],
  ['GET', '/ocpi/cpos/x/locations/x', 'locations:read'],
  ['DELETE', '/ocpi/cpos/x/locations/x', 'locations:write'],
  ['GET', '/ocpi/cpos/x/locations/x/provisioning', 'locations:read'],
  ['GET', '/ocpp/commands/x', 'commands:read'],
  ['POST', '/ocpp/commands/ev-stops-energy', 'commands:write'],
  ['POST', '/ocpp/commands/power-update', 'commands:write'],
  ['POST', '/ocpp/commands/no-such-command', 'commands:write'],
];

describe.each(operations)('%s %s', (method, url, scope) => {
  const withBody = method === 'POST' || method === 'PUT' ? { body: 'not even JSON' } : {};

  it('answers 401 without a token, before it looks at anything else', async () => {
    const { status, body, headers } = await front.call(method, `${url}?unknown=1`, { ...withBody, token: null });
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toBe('Bearer');
    expect(Object.keys(body)).toEqual(['detail']);
  });

  it('answers 403 to a token without its scope, before it looks at the input', async () => {
    const token = await tokenOf('demo', 'catalog:read');
    const { status, body } = await front.call(method, `${url}?unknown=1`, { ...withBody, token });
    expect(status).toBe(403);
    expect(body).toEqual({ detail: `the token lacks the scope ${scope}` });
  });

  it('is content with its own scope', async () => {
    const token = await tokenOf('demo', scope);
    const { status } = await front.call(method, url, { ...withBody, token });
    expect([200, 404, 422]).toContain(status);
  });
});

describe('tokens', () => {
  it.each([
    ['Bearer', 'the Authorization header must read "Bearer <token>"'],
    ['Basic abc', 'the Authorization header must read "Bearer <token>"'],
    ['Bearer a b', 'the Authorization header must read "Bearer <token>"'],
    ['Bearer abc', 'the bearer token is not valid'],
    ['Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.', 'the bearer token is not valid'],
  ])('%s is refused', async (authorization, detail) => {
    const reply = await front.call('GET', '/ocpp/chargers', { token: null, headers: { authorization } });
    expect(reply).toMatchObject({ status: 401, body: { detail }, headers: { 'www-authenticate': 'Bearer' } });
  });

  it('are taken whatever the case of the scheme', async () => {
    const authorization = `bearer ${await tokenOf('demo')}`;
    const { status } = await front.call('GET', '/ocpp/chargers', { token: null, headers: { authorization } });
    expect(status).toBe(200);
  });
});

describe('what no route takes', () => {
  it('is 404 where nothing is', async () => {
    expect(await front.call('GET', '/nothing/here')).toMatchObject({
      status: 404,
      body: { detail: 'there is nothing under this path' },
    });
  });

  it('needs no token outside of the operations', async () => {
    expect((await front.call('GET', '/nothing', { token: null })).status).toBe(404);
  });

  it('needs a token among the operations', async () => {
    expect((await front.call('GET', '/ocpp/nothing', { token: null })).status).toBe(401);
    expect((await front.call('GET', '/ocpp/nothing')).status).toBe(404);
    expect((await front.call('DELETE', '/ocpp/chargers', { token: null })).status).toBe(401);
  });

  it.each([
    ['DELETE', '/ocpp/chargers', 'GET, HEAD, POST'],
    ['PATCH', '/ocpp/chargers/some-id?x=1', 'DELETE, GET, HEAD, PUT'],
    ['GET', '/ocpp/simulators/x/start', 'POST'],
    ['OPTIONS', '/ocpp/chargers', 'GET, HEAD, POST'],
    ['POST', '/healthz', 'GET, HEAD'],
    ['DELETE', '/ocpp/commands/power-update', 'GET, HEAD, POST'],
  ])('is 405 for %s %s, with what is possible', async (method, url, allow) => {
    const { status, body, headers } = await front.call(method, url);
    expect(status).toBe(405);
    expect(headers['allow']).toBe(allow);
    expect(body).toEqual({ detail: `${method} is not possible here; possible: ${allow}` });
  });

  it.each(['/ocpp/chargers/%zz', `/ocpp/chargers/${'x'.repeat(300)}`])('is 404 for the odd path %s', async (url) => {
    const { status, body, headers } = await front.call('GET', url);
    expect(status).toBe(404);
    expect(Object.keys(body)).toEqual(['detail']);
    expect(headers['x-content-type-options']).toBe('nosniff');
  });
});

describe('bodies', () => {
  const post = (body: unknown, headers = {}) => front.call('POST', '/ocpp/chargers', { body, headers });

  it.each([
    ['{"security":{"profile":0,"prototype":1}}', 'security.prototype'],
    ['{"features":[{"constructor":1}]}', 'features[0].constructor'],
  ])('with names that mean something to JavaScript are 422: %s', async (body, field) => {
    const { status, body: told } = await front.call('POST', '/ocpp/chargers', { body });
    expect(status).toBe(422);
    expect(told.errors).toEqual([{ field, message: 'is not known here' }]);
  });

  it('of endless lists within lists are 422', async () => {
    const { id } = (await front.call('POST', '/ocpp/chargers', { body: {} })).body;
    const event = `{"action":"Heartbeat","payload":{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`;
    const body = `{"target":{"charger_id":"${id}"},"event":${event}}`;
    const headers = { 'idempotency-key': 'deep' };
    expect((await front.call('POST', '/ocpp/commands/proxy-message', { body, headers })).status).toBe(422);
  });

  it.each(['{"identity":', 'hello', '{"__proto__":{"x":1}}'])('that are not JSON are 422: %s', async (body) => {
    expect(await post(body)).toMatchObject({
      status: 422,
      body: { detail: 'the body is not valid JSON', errors: [{ field: 'body', message: 'must be JSON' }] },
    });
  });

  it.each(['[]', '"text"', '7'])('that are no objects are 422: %s', async (body) => {
    expect(await post(body)).toMatchObject({
      status: 422,
      body: { detail: 'body must be object', errors: [{ field: 'body', message: 'must be object' }] },
    });
  });

  it('that are empty, null or missing are 422', async () => {
    for (const body of ['', 'null', undefined]) {
      const { status, body: answer } = await post(body);
      expect(status).toBe(422);
      expect(answer.errors).toEqual([{ field: 'body', message: 'is required' }]);
    }
  });

  it.each(['text/plain', 'application/xml', 'application/x-www-form-urlencoded'])(
    'sent as %s are 415',
    async (contentType) => {
      expect(await post('{}', { 'content-type': contentType })).toMatchObject({
        status: 415,
        body: { detail: 'send the body with the header "Content-Type: application/json"' },
      });
    },
  );

  it('may name their character set', async () => {
    expect((await post('{}', { 'content-type': 'application/json; charset=utf-8' })).status).toBe(202);
  });

  it('over 8 MiB are 413', async () => {
    expect(await post(`{"name":"${'x'.repeat(8 * 1024 * 1024)}"}`)).toMatchObject({
      status: 413,
      body: { detail: 'the body is larger than 8 MiB' },
    });
  });
});

describe('query parameters', () => {
  const list = (query: string) => front.call('GET', `/ocpp/chargers?${query}`);

  it.each([
    ['page=0', 'page', 'must be >= 1'],
    ['page=1.5', 'page', 'must be integer'],
    ['page=1e1', 'page', 'must be integer'],
    ['page=two', 'page', 'must be integer'],
    ['limit=101', 'limit', 'must be <= 100'],
    ['limit=0', 'limit', 'must be >= 1'],
    ['ocpp_version=1.5', 'ocpp_version', 'must be one of 1.6, 2.0.1, 2.1'],
    ['status=asleep', 'status', 'must be one of running, stopped'],
    ['page=1&page=2', 'page', 'must be given only once'],
    [
      'pgae=1',
      'pgae',
      'is not known here; known: page, limit, location_id, ocpp_version, status, provisioning_status, q',
    ],
    [
      '__proto__=1',
      '__proto__',
      'is not known here; known: page, limit, location_id, ocpp_version, status, provisioning_status, q',
    ],
  ])('%s is 422', async (query, field, message) => {
    expect(await list(query)).toMatchObject({
      status: 422,
      body: { detail: `${field} ${message}`, errors: [{ field, message }] },
    });
  });

  it('that are empty are as good as none', async () => {
    const { status, body } = await list('page=&limit=&ocpp_version=&status=&q=');
    expect(status).toBe(200);
    expect(body).toMatchObject({ page: 1, limit: 20 });
  });

  it('are refused where there are none, on every method', async () => {
    expect((await front.call('GET', '/ocpp/chargers/x?verbose=1')).body.errors).toEqual([
      { field: 'verbose', message: 'is not known here; known: nothing' },
    ]);
    expect((await front.call('POST', '/ocpp/chargers?dry_run=1', { body: {} })).status).toBe(422);
  });
});

describe('errors inside the gateway', () => {
  it('say nothing of the inside, and can be found in the log', async () => {
    const broken = await startFront({
      ready: async () => {
        throw new Error('SELECT secret FROM /etc/passwd');
      },
    });
    const { status, body } = await broken.call('GET', '/readyz');
    expect(status).toBe(500);
    expect(Object.keys(body)).toEqual(['detail', 'request_id']);
    expect(JSON.stringify(body)).not.toContain('passwd');
    expect(broken.log.some((line) => line.includes(body.request_id) && line.includes('SELECT secret'))).toBe(true);
    await broken.close();
  });

  it('that pass are 503', async () => {
    const busy = await startFront({
      ready: async () => {
        throw new Failure('store_closed');
      },
    });
    expect(await busy.call('GET', '/readyz')).toMatchObject({ status: 503, body: { detail: 'the store is closed' } });
    await busy.close();
  });
});

describe('probes', () => {
  it('need no token', async () => {
    expect(await front.call('GET', '/healthz', { token: null })).toMatchObject({
      status: 200,
      body: { status: 'ok', version: '1.2.3' },
    });
    expect((await front.call('GET', '/readyz', { token: null })).status).toBe(200);
  });

  it('do not wait for a gateway that cannot tell whether it is ready', async () => {
    const clock = new VirtualClock(Date.now());
    const asked = Promise.withResolvers<void>();
    const stuck = await startFront({
      clock,
      ready: () => {
        asked.resolve();
        return new Promise<null>(() => {});
      },
    });
    const reply = stuck.call('GET', '/readyz', { token: null });
    await asked.promise;
    clock.advance(3_000);
    expect(await reply).toMatchObject({
      status: 503,
      body: { detail: 'the gateway cannot tell in time whether it is ready' },
    });
    await stuck.close();
  });

  it('tell why the gateway is not ready', async () => {
    front.ready = 'the fleet processes are starting';
    const reply = await front.call('GET', '/readyz', { token: null });
    front.ready = null;
    expect(reply).toMatchObject({ status: 503, body: { detail: 'the fleet processes are starting' } });
  });
});

describe('every answer', () => {
  it.each(['/ocpp/chargers', '/nothing', '/healthz', '/ocpp/chargers?page=0'])(
    '%s tells browsers to guess, keep and frame nothing',
    async (url) => {
      const { headers } = await front.call('GET', url);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      });
      expect(headers['content-type']).toBe('application/json; charset=utf-8');
      expect(headers).not.toHaveProperty('x-powered-by');
      expect(headers).not.toHaveProperty('access-control-allow-origin');
    },
  );

  it('is one readable line in the log, without the token', async () => {
    front.log.length = 0;
    const { headers } = await front.call('GET', '/ocpp/chargers?q=private');
    expect(front.log).toHaveLength(1);
    const line = JSON.parse(front.log[0] ?? '');
    expect(line).toMatchObject({
      level: 30,
      method: 'GET',
      path: '/ocpp/chargers',
      status: 200,
      request_id: headers['x-request-id'],
    });
    expect(line.msg).toMatch(/^GET \/ocpp\/chargers 200 in [\d.]+ ms$/);
    expect(front.log[0]).not.toContain('private');
    expect(front.log[0]).not.toContain('Bearer');
  });
});

describe('on the wire', () => {
  let listening: Front;
  let port: number;
  beforeAll(async () => {
    listening = await startFront();
    await listening.app.listen({ host: '127.0.0.1', port: 0 });
    ({ port } = listening.app.server.address() as AddressInfo);
  });
  afterAll(() => listening.close());

  const say = async (text: string): Promise<string> => {
    const socket = connect(port, '127.0.0.1');
    socket.end(text);
    return (await socket.toArray()).join('');
  };

  it('bytes that are not HTTP are answered in the same shape', async () => {
    const answer = await say('HELLO there\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toMatch(/\r\n\r\n\{"detail":"this is not a valid HTTP request"\}$/);
  });

  it('headers that are too large are too', async () => {
    const answer = await say(`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 .*\r\n/);
    expect(answer).toMatch(/\{"detail":"the headers of the request are too large"\}$/);
  });

  it('a path that leaves its folder is 404', async () => {
    const answer = await say('GET /docs/static/../../../package.json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    expect(answer).toMatch(/\{"detail":"there is nothing under this path"\}$/);
  });

  it('a client that gives up is noted', async () => {
    const { body: charger } = await listening.call('POST', '/ocpp/chargers', { body: {} });
    const { body: queued } = await listening.call('POST', '/ocpp/commands/plug-connector', {
      body: { target: { charger_id: charger.id }, event: {} },
    });
    const gaveUp = new AbortController();
    const waiting = fetch(`http://127.0.0.1:${port}/ocpp/commands/${queued.results[0].command.id}?wait_s=30`, {
      headers: { authorization: `Bearer ${await tokenOf('demo')}` },
      signal: gaveUp.signal,
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    gaveUp.abort();
    await expect(waiting).rejects.toThrow();
    await vi.waitFor(() => expect(listening.log.join('')).toContain('given up by the client'));
  });
});

describe('a server that closes', () => {
  it('lets go of those who wait', async () => {
    const closing = await startFront();
    const { body: charger } = await closing.call('POST', '/ocpp/chargers', { body: {} });
    const { body: queued } = await closing.call('POST', '/ocpp/commands/plug-connector', {
      body: { target: { charger_id: charger.id }, event: {} },
    });
    const waiting = closing.call('GET', `/ocpp/commands/${queued.results[0].command.id}?wait_s=30`);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const closed = closing.app.close();
    expect(await waiting).toMatchObject({ status: 200, body: { status: 'queued' } });
    await closed;
    await closing.store.close();
  });
});
