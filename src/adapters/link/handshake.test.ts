// Checks what is asked of a server, and which of its answers open a WebSocket.

import { describe, expect, it } from 'vitest';
import { type Asked, isSecure, readAnswer, upgradeRequest, webSocketAddress } from './handshake.ts';

/** Key and answer are those of the example in RFC 6455, 1.3. */
const key = 'dGhlIHNhbXBsZSBub25jZQ==';
const accept = 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=';
const asked: Asked = { address: new URL('ws://csms.test/ocpp/CP-1'), key, protocols: ['ocpp2.1', 'ocpp2.0.1'] };

const proper: Readonly<Record<string, string>> = {
  Upgrade: 'websocket',
  Connection: 'Upgrade',
  'Sec-WebSocket-Accept': accept,
  'Sec-WebSocket-Protocol': 'ocpp2.0.1',
};

function head(given: Readonly<Record<string, string | undefined>> = {}, status = 'HTTP/1.1 101 Switching Protocols') {
  const headers = Object.entries({ ...proper, ...given }).filter(([, value]) => value !== undefined);
  return [status, ...headers.map(([name, value]) => `${name}: ${value}`), '', ''].join('\r\n');
}

describe('the request', () => {
  const requestTo = (url: string, basicAuth?: { user: string; password: string | Uint8Array }) =>
    upgradeRequest({ ...asked, address: new URL(url) }, basicAuth).split('\r\n');

  it('asks for a WebSocket in the words of RFC 6455', () => {
    expect(requestTo('ws://csms.test/ocpp/CP%201?a=b&c')).toEqual([
      'GET /ocpp/CP%201?a=b&c HTTP/1.1',
      'Host: csms.test',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${key}`,
      'Sec-WebSocket-Protocol: ocpp2.1,ocpp2.0.1',
      '',
      '',
    ]);
  });

  it.each([
    ['ws://csms.test:80/', 'csms.test'],
    ['ws://csms.test:443/', 'csms.test:443'],
    ['wss://csms.test:443/', 'csms.test'],
    ['wss://csms.test:80/', 'csms.test:80'],
    ['ws://[::1]:8080/', '[::1]:8080'],
    ['ws://CSMS.test', 'csms.test'],
  ])('to %s names the host %s', (url, host) => {
    expect(requestTo(url)[1]).toBe(`Host: ${host}`);
  });

  it('shows the credentials that it was given, or else those of the address', () => {
    const basic = (text: string) => `Authorization: Basic ${Buffer.from(text).toString('base64')}`;
    expect(requestTo('ws://csms.test/', { user: 'CP-1', password: 'grün' })).toContain(basic('CP-1:grün'));
    expect(requestTo('ws://a:b%3Ac@csms.test/')).toContain(basic('a:b:c'));
    expect(requestTo('ws://a:b@csms.test/', { user: 'CP-1', password: 'x' })).toContain(basic('CP-1:x'));
    expect(requestTo('ws://csms.test/').filter((line) => line.startsWith('Authorization'))).toEqual([]);
  });
});

describe('an address', () => {
  it.each([
    ['ws://csms.test/CP-1', false],
    ['http://csms.test/CP-1', false],
    ['wss://csms.test/CP-1', true],
    ['https://csms.test/CP-1', true],
  ])('%s is that of a WebSocket', (url, secure) => {
    const address = webSocketAddress(url);
    expect(address !== null && isSecure(address)).toBe(secure);
  });

  it.each(['', 'csms.test', 'ftp://csms.test', 'ws://csms.test/#x', 'ws://', 'xws://csms.test'])(
    '"%s" is not',
    (url) => {
      expect(webSocketAddress(url)).toBeNull();
    },
  );
});

describe('an answer', () => {
  it('opens the WebSocket with the sub-protocol that was chosen', () => {
    const accepted = { kind: 'accepted', protocol: 'ocpp2.0.1' };
    const answer = head();
    expect(readAnswer(answer, asked)).toEqual({ ...accepted, headLength: answer.length });
    expect(readAnswer(`${answer}\x81\x02hi`, asked)).toEqual({ ...accepted, headLength: answer.length });
    const other = head({ Upgrade: 'WebSocket', Connection: 'keep-alive, upgrade', Server: '', Date: 'today: now' });
    expect(readAnswer(other, asked)).toMatchObject(accepted);
    expect(readAnswer(other.replaceAll(': ', ':'), asked)).toMatchObject(accepted);
    expect(
      readAnswer(
        other
          .toLowerCase()
          .replace('http', 'HTTP')
          .replace(/accept: .*/, `accept: ${accept}`),
        asked,
      ),
    ).toMatchObject(accepted);
  });

  it('is waited for until its head is whole', () => {
    const answer = head();
    for (let length = 0; length < answer.length; length++) {
      expect(readAnswer(answer.slice(0, length), asked)).toEqual({ kind: 'unfinished' });
    }
  });

  it('may be announced', () => {
    const early = 'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n';
    expect(readAnswer(early, asked)).toEqual({ kind: 'unfinished' });
    const both = early + head();
    expect(readAnswer(both, asked)).toEqual({ kind: 'accepted', protocol: 'ocpp2.0.1', headLength: both.length });
  });

  it.each([
    ['is not HTTP', 'SSH-2.0-OpenSSH_9.2\r\n', 'the answer of ws://csms.test is not HTTP'],
    ['ends its lines its own way', head().replaceAll('\r\n', '\n'), 'the answer of ws://csms.test is not HTTP'],
    ['has no status', 'HTTP/1.1 ok\r\n\r\n', 'the answer of ws://csms.test is not HTTP'],
    ['is HTTP with lines that are none', head({ 'a b': 'c' }), 'the answer of ws://csms.test is not HTTP'],
    ['has a status of its own', head({}, 'HTTP/1.1 404'), 'the CSMS answered HTTP 404 (Not Found)'],
    ['upgrades nothing', head({ Upgrade: undefined }), 'the CSMS did not open a WebSocket: invalid Upgrade header'],
    [
      'upgrades to something else',
      head({ Upgrade: 'h2c' }),
      'the CSMS did not open a WebSocket: invalid Upgrade header',
    ],
    ['does not switch', head({ Connection: 'close' }), 'the CSMS did not open a WebSocket: invalid Connection header'],
    [
      'is that to another key',
      head({ 'Sec-WebSocket-Accept': accept.toLowerCase() }),
      'the CSMS did not open a WebSocket: invalid Sec-WebSocket-Accept header',
    ],
    [
      'chooses an extension',
      head({ 'Sec-WebSocket-Extensions': 'permessage-deflate' }),
      'the CSMS did not open a WebSocket: it chose an extension, and none was asked for',
    ],
    [
      'chooses no sub-protocol',
      head({ 'Sec-WebSocket-Protocol': undefined }),
      'the CSMS chose no sub-protocol; asked for ocpp2.1, ocpp2.0.1',
    ],
    [
      'chooses two sub-protocols',
      head({ 'sec-websocket-protocol': 'ocpp2.1' }),
      'the CSMS chose the sub-protocol ocpp2.0.1, ocpp2.1 that was not asked for; asked for ocpp2.1, ocpp2.0.1',
    ],
    [
      'is announced for ever',
      'HTTP/1.1 102 Processing\r\n\r\n'.repeat(1_000),
      'the CSMS did not open a WebSocket: its answer has a head of more than 16 KiB',
    ],
    [
      'never ends',
      `HTTP/1.1 101 Switching Protocols\r\nX: ${'x'.repeat(16 * 1024)}`,
      'the CSMS did not open a WebSocket: its answer has a head of more than 16 KiB',
    ],
  ])('that %s is refused', (_name, answer, reason) => {
    expect(readAnswer(answer, asked)).toMatchObject({ kind: 'refused', reason });
  });

  it.each([
    [401, 'by CSMS'],
    [403, 'by CSMS'],
    [404, undefined],
    [503, undefined],
  ])('of HTTP %i tells who distrusts whom: %s', (status, distrust) => {
    expect(readAnswer(head({}, `HTTP/1.1 ${status} No`), asked)).toHaveProperty('distrust', distrust);
  });
});
