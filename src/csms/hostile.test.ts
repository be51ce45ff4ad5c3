// What the CSMS says to frames that are wrong, and what it survives.
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { BareClient } from './bare-client.ts';
import { Connection } from './connection.ts';
import { Csms } from './csms.ts';
import { loadLanguage } from './handshake.ts';
import { Recorder } from './recorder.ts';

const at = '2026-01-31T12:00:05Z';
const boot2 = { reason: 'PowerUp', chargingStation: { vendorName: 'SimCo', model: 'AC22' } };
const status16 = { connectorId: 1, errorCode: 'NoError', status: 'Available' };
const start16 = { connectorId: 1, idTag: 'TAG', meterStart: 0, timestamp: at };
const meter2 = { evseId: 1, meterValue: [] };

const opened: Csms[] = [];
afterEach(() => Promise.all(opened.splice(0).map((csms) => csms.close())));

async function open() {
  const recorder = new Recorder();
  const csms = new Csms({
    reserveTransactionIds: async () => 1,
    now: Date.now,
    newMessageId: () => 'unused',
    closeTimeoutMs: 200,
    onFrame: recorder.onFrame,
  });
  opened.push(csms);
  return { csms, recorder, url: await csms.listen(0) };
}

async function connected(protocol: string) {
  const { csms, recorder, url } = await open();
  return { csms, recorder, client: await BareClient.connect(`${url}/acme/CP-1`, protocol) };
}

const wrong16: readonly (readonly [what: string, frame: unknown, code: string, id: string])[] = [
  ['text that is no JSON', '{broken', 'FormationViolation', '-1'],
  ['something that is no array', '{"a":1}', 'FormationViolation', '-1'],
  ['an array without an id', '[2]', 'FormationViolation', '-1'],
  ['an id that is too long', [2, 'x'.repeat(37), 'Heartbeat', {}], 'FormationViolation', '-1'],
  ['a call without a payload', [2, 'a', 'Heartbeat'], 'FormationViolation', 'a'],
  ['bytes instead of text', Buffer.from('[2,"a","Heartbeat",{}]'), 'FormationViolation', '-1'],
  ['an unknown message type', [7, 'a', 'Heartbeat', {}], 'GenericError', 'a'],
  ['an unknown action', [2, 'a', 'Dance', {}], 'NotImplemented', 'a'],
  ['an action that every object has', [2, 'a', 'constructor', {}], 'NotImplemented', 'a'],
  ['an action of the other direction', [2, 'a', 'Reset', { type: 'Soft' }], 'NotSupported', 'a'],
  ['an unknown field', [2, 'a', 'Heartbeat', { extra: 1 }], 'FormationViolation', 'a'],
  ['a missing field', [2, 'a', 'Authorize', {}], 'ProtocolError', 'a'],
  ['a wrong type', [2, 'a', 'Authorize', { idTag: 7 }], 'TypeConstraintViolation', 'a'],
  ['a text that is too long', [2, 'a', 'Authorize', { idTag: 'x'.repeat(21) }], 'TypeConstraintViolation', 'a'],
  ['a payload that is no object', [2, 'a', 'Heartbeat', null], 'FormationViolation', 'a'],
  ['a bad time', [2, 'a', 'StartTransaction', { ...start16, timestamp: 'noon' }], 'TypeConstraintViolation', 'a'],
  [
    'an unknown word',
    [2, 'a', 'StatusNotification', { ...status16, status: 'No' }],
    'PropertyConstraintViolation',
    'a',
  ],
];

const wrong2: typeof wrong16 = [
  ['text that is no JSON', '{broken', 'RpcFrameworkError', '-1'],
  ['bytes instead of text', Buffer.from('[2,"a","Heartbeat",{}]'), 'RpcFrameworkError', '-1'],
  ['an unknown message type', [7, 'a', 'Heartbeat', {}], 'MessageTypeNotSupported', 'a'],
  ['an unknown action', [2, 'a', 'StartTransaction', {}], 'NotImplemented', 'a'],
  ['an action of the other direction', [2, 'a', 'ClearCache', {}], 'NotSupported', 'a'],
  ['an unknown field', [2, 'a', 'Heartbeat', { extra: 1 }], 'FormatViolation', 'a'],
  ['a missing field', [2, 'a', 'Authorize', {}], 'ProtocolError', 'a'],
  ['too few elements', [2, 'a', 'MeterValues', meter2], 'OccurrenceConstraintViolation', 'a'],
  ['a wrong type', [2, 'a', 'BootNotification', { ...boot2, chargingStation: 1 }], 'TypeConstraintViolation', 'a'],
  ['an unknown word', [2, 'a', 'BootNotification', { ...boot2, reason: 'Fun' }], 'PropertyConstraintViolation', 'a'],
];

describe.each([
  ['ocpp1.6', wrong16],
  ['ocpp2.0.1', wrong2],
  ['ocpp2.1', wrong2],
])('in %s', (protocol, wrong) => {
  it.each(wrong)('%s is answered and reported', async (_what, frame, error, id) => {
    const { recorder, client } = await connected(protocol);
    expect(await client.exchange(frame)).toMatchObject({ error, id, description: expect.stringMatching(/./) });
    expect(recorder.violations().map(({ direction }) => direction)).toContain('in');
    expect(recorder.frames('CP-1').map(({ valid }) => valid)).toEqual([false, true]);
    expect(await client.call('Heartbeat')).toHaveProperty('payload.currentTime');
  });

  it.each([
    ['an answer to nothing', [3, 'a', {}]],
    ['an error to nothing', [4, 'a', 'GenericError', '', {}]],
    ['a broken answer', [3, 'a']],
    ['a broken error', [4, 'a']],
  ])('%s is reported but not answered', async (_what, frame) => {
    const { recorder, client } = await connected(protocol);
    client.send(frame);
    expect(await client.call('Heartbeat')).toHaveProperty('payload.currentTime');
    expect(recorder.frames('CP-1').map(({ valid }) => valid)).toEqual([false, true, true]);
  });
});

describe('messages that want no answer', () => {
  const stream = { id: 1, pending: 0, basetime: at, data: [{ t: 0, v: '230' }] };

  it('are heard from a 2.1 charger', async () => {
    const { recorder, client } = await connected('ocpp2.1');
    client.send([6, 'a', 'NotifyPeriodicEventStream', stream]);
    client.send([5, 'b', 'FormatViolation', 'your answer was bad', {}]);
    await client.call('Heartbeat');
    expect(recorder.calls('CP-1', 'NotifyPeriodicEventStream')).toMatchObject([{ id: 'a', payload: stream }]);
    expect(recorder.violations()).toEqual([]);
  });

  it.each([
    ['a payload that does not fit', [6, 'a', 'NotifyPeriodicEventStream', { ...stream, data: [] }]],
    ['an action that wants an answer', [6, 'a', 'Heartbeat', {}]],
    ['no action', [6, 'a']],
  ])('are reported when they have %s', async (_what, frame) => {
    const { recorder, client } = await connected('ocpp2.1');
    client.send(frame);
    await client.call('Heartbeat');
    expect(recorder.frames('CP-1').map(({ valid }) => valid)).toEqual([false, true, true]);
  });

  it('are refused when they are called', async () => {
    const { client } = await connected('ocpp2.1');
    expect(await client.call('NotifyPeriodicEventStream', stream)).toMatchObject({ error: 'NotSupported' });
  });

  it('are not known before 2.1', async () => {
    const { client } = await connected('ocpp2.0.1');
    const frame = [6, 'a', 'NotifyPeriodicEventStream', stream];
    expect(await client.exchange(frame)).toMatchObject({ error: 'MessageTypeNotSupported' });
  });
});

describe('the CSMS survives', () => {
  it('a flood of broken frames from one charger, while another is served', async () => {
    const { recorder, url } = await open();
    const flooder = await BareClient.connect(`${url}/acme/FLOOD`, 'ocpp1.6');
    const other = await BareClient.connect(`${url}/acme/CP-2`, 'ocpp1.6');
    for (let count = 0; count < 5000; count += 1) flooder.send('{broken');
    expect(await other.call('Heartbeat')).toHaveProperty('payload.currentTime');
    for (let count = 0; count < 5000; count += 1) await flooder.next();
    expect(await flooder.call('Heartbeat')).toHaveProperty('payload.currentTime');
    expect(recorder.frames('FLOOD').filter(({ valid }) => !valid)).toHaveLength(5000);
  });

  it('a charger that asks and asks but never reads, by not listening to it until it does', async () => {
    const happened: string[] = [];
    const sent: (() => void)[] = [];
    const wire = {
      readyState: 1,
      bufferedAmount: 0,
      send: (_text: string, done?: () => void) => {
        happened.push('send');
        if (done !== undefined) sent.push(done);
      },
      pause: () => happened.push('pause'),
      resume: () => happened.push('resume'),
      close: () => undefined,
      terminate: () => undefined,
    };
    const desk = { heartbeatIntervalS: 300, nowMs: Date.now, takeTransactionId: () => 1 };
    const house = { desk, overrides: {}, newMessageId: () => 'x', onFrame: undefined, gone: () => undefined };
    const charger = { org: 'acme', identity: 'CP-1', number: 1 };
    const connection = new Connection(charger, await loadLanguage('ocpp1.6'), house, wire);
    connection.hear('[2,"1","Heartbeat",{}]');
    wire.bufferedAmount = 1_048_576;
    connection.hear('[2,"2","Heartbeat",{}]');
    expect(happened).toEqual(['send', 'pause', 'send']);
    for (const done of sent) done();
    expect(happened).toEqual(['send', 'pause', 'send', 'resume']);
  });

  it('a message of more than a megabyte, by closing with 1009', async () => {
    const { csms, recorder, client } = await connected('ocpp1.6');
    client.send(`[2,"a","Heartbeat",{"x":"${'x'.repeat(1_048_576)}"}]`);
    expect((await client.closed).code).toBe(1009);
    expect(recorder.violations()).toMatchObject([{ text: '', problem: 'Max payload size exceeded' }]);
    await expect.poll(() => csms.connected()).toEqual([]);
  });

  it('a payload as deep as fits', async () => {
    const { recorder, client } = await connected('ocpp1.6');
    const deep = `[2,"a","Heartbeat",{"x":${'['.repeat(500_000)}${']'.repeat(500_000)}}]`;
    expect(await client.exchange(deep)).toMatchObject({ error: 'FormationViolation', id: 'a' });
    expect(await client.exchange('['.repeat(1_000_000))).toMatchObject({ error: 'FormationViolation', id: '-1' });
    expect(recorder.violations()).toHaveLength(2);
  });

  it('text that is no UTF-8, by closing with 1007', async () => {
    const { client } = await connected('ocpp1.6');
    client.socket.send(Buffer.from([0xff, 0xfe]), { binary: false });
    expect((await client.closed).code).toBe(1007);
  });

  it('a line that is cut, half closed, or never becomes a WebSocket', async () => {
    const { csms, url } = await open();
    const { port } = new URL(url);
    const upgrade = [
      'GET /csms/acme/CP-1 HTTP/1.1',
      `Host: 127.0.0.1:${port}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Protocol: ocpp1.6',
      '\r\n',
    ].join('\r\n');
    const ended = (text: string, after: 'end' | 'destroy') =>
      new Promise<string>((resolve) => {
        const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
        let heard = '';
        socket.on('data', (chunk) => {
          heard += chunk;
          socket[after]();
        });
        socket.on('error', () => undefined);
        socket.on('close', () => resolve(heard));
        socket.write(text);
        if (text === '') socket.end();
      });
    expect(await ended(upgrade, 'end')).toContain('101 Switching Protocols');
    expect(await ended(upgrade, 'destroy')).toContain('101 Switching Protocols');
    expect(await ended('nonsense\r\n\r\n', 'end')).toContain('400 Bad Request');
    await ended('', 'end');
    await expect.poll(() => csms.connected()).toEqual([]);
    const client = await BareClient.connect(`${url}/acme/CP-1`, 'ocpp1.6');
    expect(await client.call('Heartbeat')).toHaveProperty('payload.currentTime');
  });

  it('a charger that reconnects without end', async () => {
    const { csms, url } = await open();
    for (let count = 0; count < 50; count += 1) await BareClient.connect(`${url}/acme/CP-1`, 'ocpp1.6');
    expect(csms.connected()).toHaveLength(1);
  });
});
