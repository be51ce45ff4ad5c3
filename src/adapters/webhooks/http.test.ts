// Checks how messages are carried: signed, in time, to where they may go, and without following anybody elsewhere.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Receiver } from '../../../test/webhook-receiver.ts';
import type { WebhookMessage } from '../../ports/webhooks.ts';
import { SystemClock } from '../clock/system.ts';
import { VirtualClock } from '../clock/virtual.ts';
import { HttpCourier, type HttpCourierOptions } from './http.ts';

const secret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDUCLKPd1zF+Q=';
/** The machine may be busy. */
const patiently = { timeout: 9_000 };
const couriers: HttpCourier[] = [];

function courierWith(options: Partial<HttpCourierOptions> = {}): HttpCourier {
  const courier = new HttpCourier({
    clock: new SystemClock(),
    allowPrivate: true,
    userAgent: 'chargesim/test',
    ...options,
  });
  couriers.push(courier);
  return courier;
}

const messageTo = (url: string): WebhookMessage => ({
  url,
  secret,
  id: '000001-0000000001',
  atMs: Date.now(),
  body: '{"id":"000001-0000000001","data":{"text":"ü☕"}}',
});

describe('a message', () => {
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await new Receiver().start();
    receiver.secret = secret;
  });
  afterEach(async () => {
    for (const courier of couriers.splice(0)) courier.close();
    await receiver.stop();
  });

  it('comes as it is, signed so that others can check it', async () => {
    const message = messageTo(receiver.url);
    expect(await courierWith().deliver(message)).toEqual({ kind: 'answered', status: 204 });
    expect(receiver.received).toMatchObject([{ id: message.id, event: JSON.parse(message.body), isGenuine: true }]);
    expect(receiver.received[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'chargesim/test',
      'webhook-timestamp': String(Math.floor(message.atMs / 1000)),
    });
  });

  it('is found wrong by the receiver when it was signed with something else', async () => {
    await courierWith().deliver({ ...messageTo(receiver.url), secret: 'whsec_AAAA' });
    expect(receiver.received[0]?.isGenuine).toBe(false);
  });

  it.each([302, 307, 410, 500])('answered %i is not sent anywhere else', async (status) => {
    receiver.answer = () => status;
    expect(await courierWith().deliver(messageTo(receiver.url))).toEqual({ kind: 'answered', status });
    expect(receiver.received).toHaveLength(1);
  });

  it('that is not answered within 15 s has failed', async () => {
    const clock = new VirtualClock();
    receiver.answer = () => null;
    const delivered = courierWith({ clock }).deliver(messageTo(receiver.url));
    await vi.waitUntil(() => receiver.received.length === 1, patiently);
    clock.advance(15_000);
    expect(await delivered).toEqual({ kind: 'failed', error: 'the receiver did not answer within 15 s' });
  });

  it('to nobody has failed, in words', async () => {
    const { url } = receiver;
    await receiver.stop();
    const courier = courierWith({
      lookup: ((_: string, __: object, found: (error: Error) => void) =>
        found(Object.assign(new Error('no such host'), { code: 'ENOTFOUND' }))) as never,
    });
    expect(await courier.deliver(messageTo(url))).toEqual({
      kind: 'failed',
      error: 'the receiver refused the connection',
    });
    expect(await courier.deliver(messageTo('https://nobody.example/hook'))).toEqual({
      kind: 'failed',
      error: 'the host name of the receiver is not known',
    });
  });

  it('goes over the same connection as the one before', async () => {
    const courier = courierWith();
    for (let times = 0; times < 5; times += 1) await courier.deliver(messageTo(receiver.url));
    expect(new Set(receiver.received.map(({ port }) => port)).size).toBe(1);
  });

  it('under way is given up when everything is closed', async () => {
    receiver.answer = () => null;
    const courier = courierWith();
    const delivered = courier.deliver(messageTo(receiver.url));
    await vi.waitUntil(() => receiver.received.length === 1, patiently);
    courier.close();
    expect(await delivered).toMatchObject({ kind: 'failed' });
  });
});

describe('a receiver that', () => {
  let server: Server;
  const listen = async (handle: Parameters<typeof createServer>[1]) => {
    server = createServer(handle);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  };
  afterEach(async () => {
    for (const courier of couriers.splice(0)) courier.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('closes a kept connection in the moment of the next message gets it over a new one', async () => {
    let requests = 0;
    const url = await listen((request, response) => {
      requests += 1;
      if (requests === 2) request.socket.destroy();
      else response.end();
    });
    const courier = courierWith();
    for (let times = 0; times < 2; times += 1) {
      expect(await courier.deliver(messageTo(url))).toEqual({ kind: 'answered', status: 200 });
    }
    expect(requests).toBe(3);
  });

  it('closes without an answer has failed', async () => {
    const url = await listen((request) => request.socket.destroy());
    expect(await courierWith().deliver(messageTo(url))).toEqual({
      kind: 'failed',
      error: 'the receiver closed the connection without an answer',
    });
  });

  it('answers without end is heard no further than its status', async () => {
    let closed = false;
    const url = await listen((_, response) => {
      response.on('close', () => {
        closed = true;
      });
      const write = (): void => {
        while (!response.closed && response.write('x'.repeat(10_000)));
        if (!response.closed) response.once('drain', write);
      };
      write();
    });
    expect(await courierWith().deliver(messageTo(url))).toEqual({ kind: 'answered', status: 200 });
    await vi.waitUntil(() => closed, patiently);
  });
});

describe('an address', () => {
  const outside = courierWith({ allowPrivate: false });
  const inside = courierWith();

  it.each([
    'https://example.com/hook?key=1',
    'http://example.com:8080',
    'https://93.184.216.34/',
    'https://[2606:4700::1111]/',
    'https://localhost.example.com/',
    'https://172.32.0.1/',
  ])('such as %s may be anybody’s', (url) => {
    expect(outside.refusal(url)).toBeNull();
  });

  it.each([
    'http://127.0.0.1/',
    'http://127.9.9.9:8080/',
    'http://localhost/',
    'http://LOCALHOST.:80/',
    'http://a.localhost/',
    'http://0.0.0.0/',
    'http://0/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://10.1.2.3/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://169.254.169.254/latest/meta-data',
    'http://100.64.0.1/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://[::]/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[fd00::1]/',
    'http://[fe80::1]/',
  ])('such as %s is refused, unless private ones are allowed', async (url) => {
    const sentence = 'must not lead to this machine or into a private network';
    expect(outside.refusal(url)).toBe(sentence);
    expect(await outside.deliver(messageTo(url))).toEqual({ kind: 'failed', error: `the address ${sentence}` });
    expect(inside.refusal(url)).toBeNull();
  });

  it.each([
    ['nonsense', 'must be an http:// or https:// address'],
    ['ftp://example.com', 'must be an http:// or https:// address'],
    ['https://user@example.com', 'must not contain a user name or password'],
    ['https://:word@example.com', 'must not contain a user name or password'],
    ['https://example.com/#part', 'must not contain a fragment'],
  ])('such as %s is always refused', (url, sentence) => {
    for (const courier of [outside, inside]) expect(courier.refusal(url)).toContain(sentence);
  });

  it('is looked at again when its name has been looked up: names can be made to lead anywhere', async () => {
    const receiver = await new Receiver().start();
    const leadsTo = (addresses: readonly object[]) =>
      courierWith({
        allowPrivate: false,
        lookup: ((_: string, __: object, found: (...found: unknown[]) => void) => found(null, addresses)) as never,
      });
    const url = `http://hook.example:${new URL(receiver.url).port}/`;
    const here = { address: '127.0.0.1', family: 4 };
    expect(await leadsTo([here, { address: '::1', family: 6 }]).deliver(messageTo(url))).toEqual({
      kind: 'failed',
      error: 'the address must not lead to this machine or into a private network',
    });
    expect(receiver.received).toEqual([]);
    const allowed = new HttpCourier({
      clock: new SystemClock(),
      allowPrivate: true,
      userAgent: 'test',
      lookup: ((_: string, __: object, found: (...found: unknown[]) => void) => found(null, [here])) as never,
    });
    expect(await allowed.deliver(messageTo(url))).toEqual({ kind: 'answered', status: 204 });
    allowed.close();
    await receiver.stop();
  });
});
