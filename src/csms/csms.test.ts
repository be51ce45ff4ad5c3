// Who may connect to the built-in CSMS, how its answers look, and how it lets go.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { BareClient } from './bare-client.ts';
import { Csms, type CsmsOptions } from './csms.ts';
import { Recorder } from './recorder.ts';

const at = '2026-01-31T12:00:05.000Z';
const boot16 = { chargePointVendor: 'SimCo', chargePointModel: 'AC22' };
const boot2 = { reason: 'PowerUp', chargingStation: { vendorName: 'SimCo', model: 'AC22' } };
const start = { connectorId: 1, idTag: 'TAG', meterStart: 0, timestamp: at };

const opened: Csms[] = [];
const servers: Server[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((csms) => csms.close()));
  for (const server of servers.splice(0)) server.close();
});

async function csmsWith(options: Partial<CsmsOptions> = {}) {
  const recorder = new Recorder();
  let messageCount = 0;
  const csms = new Csms({
    reserveTransactionIds: async () => 1,
    now: () => Date.parse(at),
    newMessageId: () => `csms-${++messageCount}`,
    onFrame: recorder.onFrame,
    ...options,
  });
  opened.push(csms);
  return { csms, recorder, url: `${await csms.listen(0)}/acme` };
}

describe('connecting', () => {
  it.each([
    ['1.6', 'ocpp1.6', boot16],
    ['2.0.1', 'ocpp2.0.1', boot2],
    ['2.1', 'ocpp2.1', boot2],
  ])('works in OCPP %s', async (version, protocol, boot) => {
    const { csms, url } = await csmsWith({ heartbeatIntervalS: 42 });
    const client = await BareClient.connect(`${url}/CP-1`, protocol);
    expect(client.socket.protocol).toBe(protocol);
    const payload = { status: 'Accepted', currentTime: at, interval: 42 };
    expect(await client.call('BootNotification', boot)).toEqual({ payload });
    expect(csms.connected('acme')).toEqual([{ org: 'acme', identity: 'CP-1', version, sinceMs: Date.parse(at) }]);
    expect(csms.connected('other')).toEqual([]);
  });

  it('picks the first of the offers that is known here', async () => {
    const { url } = await csmsWith();
    const client = await BareClient.connect(`${url}/CP-1`, ['ocpp9', 'ocpp2.0', 'ocpp2.0.1', 'ocpp1.6']);
    expect(client.socket.protocol).toBe('ocpp2.0.1');
  });

  it.each([[['ocpp2.0']], [[]]])('is refused with 400 when %j is offered', async (offers) => {
    const { url } = await csmsWith();
    const sentence = '400 Offer one of the sub-protocols ocpp1.6, ocpp2.0.1, ocpp2.1.';
    await expect(BareClient.connect(`${url}/CP-1`, offers)).rejects.toThrow(sentence);
  });

  it.each(['', '/', '/CP-1/more', '/%E0%A4%A'])('is refused with 404 at the address %j', async (path) => {
    const { url } = await csmsWith();
    await expect(BareClient.connect(`${url}${path}`, 'ocpp1.6')).rejects.toThrow(
      '404 The address of a charger here is /csms/{org}/{identity}.',
    );
  });

  it('reads a percent-encoded identity, and keeps orgs apart', async () => {
    const { csms, url } = await csmsWith();
    await BareClient.connect(`${url}/CP%2001%2Fa%C3%A9?token=1`, 'ocpp1.6');
    await BareClient.connect(`${url.replace('acme', 'a%2Fb')}/CP`, 'ocpp1.6');
    await BareClient.connect(`${url.replace('acme', 'a')}/b%2FCP`, 'ocpp1.6');
    expect(csms.connected().map(({ org, identity }) => [org, identity])).toEqual([
      ['acme', 'CP 01/aé'],
      ['a/b', 'CP'],
      ['a', 'b/CP'],
    ]);
  });

  it('is refused with 503 when all places are taken, unless it takes the place of its former self', async () => {
    const { csms, url } = await csmsWith({ maxConnections: 2 });
    const first = await BareClient.connect(`${url}/CP-1`, 'ocpp1.6');
    await BareClient.connect(`${url}/CP-2`, 'ocpp2.1');
    const third = BareClient.connect(`${url}/CP-3`, 'ocpp1.6');
    await expect(third).rejects.toThrow('503 The CSMS serves 2 chargers at most.');
    await BareClient.connect(`${url}/CP-1`, 'ocpp1.6');
    await first.closed;
    csms.disconnect('acme', 'CP-2', 'drop');
    expect(await BareClient.connect(`${url}/CP-3`, 'ocpp1.6')).toBeDefined();
  });

  it('admits no more than it has places for, even when all knock at once', async () => {
    const { csms, url } = await csmsWith({ maxConnections: 3 });
    const all = Array.from({ length: 10 }, (_, index) => BareClient.connect(`${url}/CP-${index}`, 'ocpp2.0.1'));
    const admitted = (await Promise.allSettled(all)).filter((result) => result.status === 'fulfilled');
    expect(admitted).toHaveLength(3);
    expect(csms.connected()).toHaveLength(3);
  });

  it('a second time closes the first connection with a reason', async () => {
    const { csms, url } = await csmsWith();
    const former = await BareClient.connect(`${url}/CP-1`, 'ocpp1.6');
    const newer = await BareClient.connect(`${url}/CP-1`, 'ocpp2.1');
    expect(await former.closed).toEqual({ code: 1008, reason: 'replaced by a newer connection of the same identity' });
    expect(await newer.call('Heartbeat')).toEqual({ payload: { currentTime: at } });
    expect(csms.connected().map((charger) => charger.version)).toEqual(['2.1']);
  });

  it('without booting is served all the same', async () => {
    const { csms, recorder, url } = await csmsWith();
    await (await BareClient.connect(`${url}/CP-1`, 'ocpp1.6')).call('BootNotification', boot16);
    csms.disconnect('acme', 'CP-1', 'drop');
    const client = await BareClient.connect(`${url}/CP-1`, 'ocpp1.6');
    const stop = { transactionId: 7, meterStop: 0, timestamp: at };
    expect(await client.call('StopTransaction', stop)).toEqual({ payload: {} });
    expect(recorder.violations()).toEqual([]);
  });

  it('works beside others on a server that exists already', async () => {
    const csms = new Csms({ reserveTransactionIds: async () => 1, now: Date.now, newMessageId: () => 'unused' });
    opened.push(csms);
    const server = createServer();
    servers.push(server);
    const left: (string | undefined)[] = [];
    server.on('upgrade', (request, socket, head) => {
      if (csms.handleUpgrade(request, socket, head)) return;
      left.push(request.url);
      socket.end('HTTP/1.1 418 Not here\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = await BareClient.connect(`${url}/csms/acme/CP-1`, 'ocpp1.6');
    expect(await client.call('BootNotification', boot16)).toHaveProperty('payload.status', 'Accepted');
    await expect(BareClient.connect(`${url}/events`, 'ocpp1.6')).rejects.toThrow('418');
    await expect(BareClient.connect(`${url}/csms-too/acme/CP-1`, 'ocpp1.6')).rejects.toThrow('418');
    expect(left).toEqual(['/events', '/csms-too/acme/CP-1']);
  });
});

describe('1.6 transactions', () => {
  it('never get a number twice, not even from the next CSMS with the same counter', async () => {
    let next = 1;
    const reserveTransactionIds = async (count: number) => {
      next += count;
      return next - count;
    };
    const numbers: unknown[] = [];
    for (const name of ['first', 'second']) {
      const { csms, url } = await csmsWith({ reserveTransactionIds });
      const client = await BareClient.connect(`${url}/${name}`, 'ocpp1.6');
      for (let count = 0; count < 3; count += 1) {
        const reply = await client.call('StartTransaction', start);
        numbers.push('payload' in reply && reply.payload['transactionId']);
      }
      await csms.close();
    }
    expect(numbers).toEqual([1, 2, 3, 1001, 1002, 1003]);
  });

  it('get an error while no number can be had, and the next one is served', async () => {
    let failures = 1;
    const { recorder, url } = await csmsWith({
      reserveTransactionIds: async () => {
        failures -= 1;
        if (failures >= 0) throw new Error('the disk is full');
        return 5;
      },
    });
    const client = await BareClient.connect(`${url}/CP-1`, 'ocpp1.6');
    expect(await client.call('StartTransaction', start)).toMatchObject({ error: 'InternalError' });
    expect(recorder.violations()).toMatchObject([{ direction: 'out', problem: 'the disk is full' }]);
    expect(await client.call('StartTransaction', start)).toHaveProperty('payload.transactionId', 5);
  });
});

describe('other answers', () => {
  it('can be given by action: a payload, an error, silence, or the usual one', async () => {
    const seen: string[] = [];
    const { recorder, url } = await csmsWith({
      answers: {
        BootNotification: () => ({ status: 'Pending', currentTime: at, interval: 5 }),
        Authorize: async () => ({ error: 'SecurityError', description: 'not you' }),
        DataTransfer: () => null,
        Heartbeat: (_payload, charger) => {
          seen.push(`${charger.org}/${charger.identity} in ${charger.version}`);
          return undefined;
        },
      },
    });
    const client = await BareClient.connect(`${url}/CP-1`, 'ocpp1.6');
    expect(await client.call('BootNotification', boot16)).toHaveProperty('payload.status', 'Pending');
    expect(await client.call('Authorize', { idTag: 'TAG' })).toMatchObject({
      error: 'SecurityError',
      description: 'not you',
    });
    client.send([2, 'silent', 'DataTransfer', { vendorId: 'x' }]);
    expect(await client.call('Heartbeat')).toEqual({ payload: { currentTime: at } });
    expect(seen).toEqual(['acme/CP-1 in 1.6']);
    expect(recorder.frames('CP-1').filter((frame) => !frame.valid)).toEqual([]);
  });

  it('that do not fit their schema are sent all the same, and reported', async () => {
    const { recorder, url } = await csmsWith({ answers: { Heartbeat: () => ({ currentTime: 'noon' }) } });
    const client = await BareClient.connect(`${url}/CP-1`, 'ocpp2.1');
    expect(await client.call('Heartbeat')).toEqual({ payload: { currentTime: 'noon' } });
    expect(recorder.violations()).toMatchObject([
      { direction: 'out', problem: 'currentTime must match format "date-time"' },
    ]);
  });

  it('that throw become an InternalError', async () => {
    const { url } = await csmsWith({
      answers: {
        Heartbeat: () => {
          throw new Error('broken');
        },
      },
    });
    const client = await BareClient.connect(`${url}/CP-1`, 'ocpp2.0.1');
    expect(await client.call('Heartbeat')).toMatchObject({ error: 'InternalError' });
  });
});

describe('letting go', () => {
  it('of one charger closes its connection or cuts it', async () => {
    const { csms, url } = await csmsWith();
    const client = await BareClient.connect(`${url}/CP-1`, 'ocpp1.6');
    expect(csms.disconnect('acme', 'CP-1', 'close', 4001)).toBe(true);
    expect(csms.connected()).toEqual([]);
    expect(await client.closed).toEqual({ code: 4001, reason: 'disconnected by the CSMS' });
    const other = await BareClient.connect(`${url}/CP-1`, 'ocpp1.6');
    expect(csms.disconnect('acme', 'CP-1', 'drop')).toBe(true);
    expect((await other.closed).code).toBe(1006);
    expect(csms.disconnect('acme', 'CP-1', 'drop')).toBe(false);
  });

  it('of all closes them with 1001 and serves nobody after', async () => {
    const { csms, url } = await csmsWith();
    const clients = await Promise.all(
      ['CP-1', 'CP-2'].map((identity) => BareClient.connect(`${url}/${identity}`, 'ocpp1.6')),
    );
    await csms.close();
    for (const client of clients) expect((await client.closed).code).toBe(1001);
    expect(csms.connected()).toEqual([]);
    await expect(BareClient.connect(`${url}/CP-1`, 'ocpp1.6')).rejects.toThrow('ECONNREFUSED');
  });

  it('does not wait for ever for a charger that does not answer the close frame', async () => {
    const { csms, url } = await csmsWith({ closeTimeoutMs: 50 });
    const client = await BareClient.connect(`${url}/CP-1`, 'ocpp1.6');
    client.socket.pause();
    await csms.close();
    client.socket.resume();
    expect((await client.closed).code).toBe(1001);
  });

  it('forgets a charger that leaves by itself', async () => {
    const { csms, url } = await csmsWith();
    const client = await BareClient.connect(`${url}/CP-1`, 'ocpp1.6');
    client.socket.close();
    await expect.poll(() => csms.connected()).toEqual([]);
  });
});
