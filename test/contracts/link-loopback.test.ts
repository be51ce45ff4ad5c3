// What links within the process do beyond the promises of a link: they run the same way every time, at the pace of a virtual clock.

import { expect, it } from 'vitest';
import { VirtualClock } from '../../src/adapters/clock/virtual.ts';
import { LoopbackLink, type LoopbackPeer } from '../../src/adapters/link/loopback.ts';
import type { LinkListener } from '../../src/ports/link.ts';

function tell(story: string[], name: string): LinkListener {
  return {
    linkOpened: (protocol) => story.push(`${name} opened with ${protocol}`),
    linkMessage: (text) => story.push(`${name} hears ${text}`),
    linkClosed: (code) => story.push(`${name} closed with ${code}`),
  };
}

const request = { url: 'ws://csms.test/CP-1', protocols: ['ocpp1.6'] };

it('delivers at the pace of the timer that it is given', () => {
  const clock = new VirtualClock();
  const story: string[] = [];
  const echo = (_request: unknown, peer: LoopbackPeer) => {
    peer.onMessage = (text) => peer.send(`${text}, after ${clock.nowMs()} ms`);
    return { protocol: 'ocpp1.6' };
  };
  const link = new LoopbackLink(echo, (run) => clock.at(clock.nowMs() + 100, run));
  const socket = link.open(request, tell(story, 'charger'));
  clock.advance(99);
  expect(story).toEqual([]);
  clock.advance(1);
  socket.send('hello');
  socket.send('world');
  clock.advance(199);
  expect(story).toEqual(['charger opened with ocpp1.6']);
  clock.advance(1);
  expect(story.slice(1)).toEqual(['charger hears hello, after 200 ms', 'charger hears world, after 200 ms']);
});

it('keeps the order of a link even where its deliveries are run in another', () => {
  const waiting: (() => void)[] = [];
  const story: string[] = [];
  const greeting = (_request: unknown, peer: LoopbackPeer) => {
    for (const text of ['one', 'two', 'three']) peer.send(text);
    return { protocol: 'ocpp1.6' };
  };
  new LoopbackLink(greeting, (run) => waiting.unshift(run)).open(request, tell(story, 'charger'));
  while (waiting.length > 0) waiting.shift()?.();
  expect(story).toEqual([
    'charger opened with ocpp1.6',
    'charger hears one',
    'charger hears two',
    'charger hears three',
  ]);
});

it('tells the same story every time', () => {
  const stories = [1, 2].map(() => {
    const waiting: (() => void)[] = [];
    const story: string[] = [];
    const server = (_request: unknown, peer: LoopbackPeer) => {
      peer.onMessage = (text) => {
        story.push(`server hears ${text}`);
        if (text === 'bye') peer.close(1000, 'bye');
        else peer.send('yes');
      };
      peer.onClose = (code) => story.push(`server closed with ${code}`);
      return { protocol: 'ocpp1.6' };
    };
    const link = new LoopbackLink(server, (run) => waiting.push(run));
    const sockets = ['a', 'b', 'c'].map((name) => link.open(request, tell(story, name)));
    for (let turn = 0; waiting.length > 0; turn++) {
      waiting.shift()?.();
      sockets[turn % 3]?.send(turn < 6 ? `turn ${turn}` : 'bye');
    }
    return story;
  });
  expect(stories[0]).toEqual(stories[1]);
  expect(stories[0]?.filter((line) => line === 'server closed with 1000')).toHaveLength(3);
});
