// What every link promises, whatever lies between the charger and the CSMS.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Link, LinkListener, LinkRequest } from '../../src/ports/link.ts';

/** A server and a link to it. */
export interface LinkUnderTest {
  readonly link: Link;
  readonly url: string;
  /** How the server answers the requests that come from now on; at first it chooses `ocpp1.6`. */
  answer(next: ServerAnswer): void;
  /** The server's end of the next link that it accepts and that was not asked for before. */
  nextPeer(): Promise<ServerPeer>;
  /** Lets time pass for the link. */
  elapse(ms: number): void;
  close(): Promise<void>;
}

export type ServerAnswer = { readonly protocol: string | null } | { readonly refuse: true };

export interface ServerPeer {
  readonly protocolsAskedFor: readonly string[];
  send(text: string): void;
  close(code: number, reason: string): void;
  drop(): void;
  stopAnsweringPings(): void;
  nextMessage(): Promise<string>;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
}

export type Heard =
  | { readonly kind: 'opened'; readonly protocol: string }
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'closed'; readonly code: number; readonly reason: string };

/** Hands things over in order to those who wait for them. */
export class Mailbox<Item> {
  readonly #items: Item[] = [];
  readonly #takers: ((item: Item) => void)[] = [];

  put(item: Item): void {
    const taker = this.#takers.shift();
    if (taker === undefined) this.#items.push(item);
    else taker(item);
  }

  async take(): Promise<Item> {
    const item = this.#items.shift();
    return item ?? new Promise((taker) => this.#takers.push(taker));
  }

  get size(): number {
    return this.#items.length;
  }
}

/** A charger that only listens. */
export class Listener implements LinkListener {
  readonly heard = new Mailbox<Heard>();

  linkOpened(protocol: string): void {
    this.heard.put({ kind: 'opened', protocol });
  }

  linkMessage(text: string): void {
    this.heard.put({ kind: 'message', text });
  }

  linkClosed(code: number, reason: string): void {
    this.heard.put({ kind: 'closed', code, reason });
  }

  next(): Promise<Heard> {
    return this.heard.take();
  }
}

/** Long enough for anything that is still on its way to arrive. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 30));
}

export function describeLink(name: string, make: () => Promise<LinkUnderTest>): void {
  describe(name, () => {
    let subject: LinkUnderTest;

    beforeEach(async () => {
      subject = await make();
    });

    afterEach(async () => {
      await subject.close();
    });

    const open = (given: Partial<LinkRequest> = {}) => {
      const listener = new Listener();
      const socket = subject.link.open({ url: subject.url, protocols: ['ocpp1.6'], ...given }, listener);
      return { listener, socket, heard: listener.heard };
    };

    const connected = async () => {
      const charger = open();
      const peer = await subject.nextPeer();
      expect(await charger.listener.next()).toEqual({ kind: 'opened', protocol: 'ocpp1.6' });
      return { ...charger, peer };
    };

    const nothingMore = async ({ heard }: { heard: Mailbox<Heard> }) => {
      await settled();
      subject.elapse(120_000);
      await settled();
      expect(heard.size).toBe(0);
    };

    it('says nothing before open has returned', async () => {
      const { heard } = open();
      const impossible = open({ url: 'this is not an address' });
      expect(heard.size + impossible.heard.size).toBe(0);
    });

    it('opens with the sub-protocol that the server chose of those asked for', async () => {
      subject.answer({ protocol: 'ocpp2.0.1' });
      const { listener } = open({ protocols: ['ocpp2.1', 'ocpp2.0.1'] });
      expect((await subject.nextPeer()).protocolsAskedFor).toEqual(['ocpp2.1', 'ocpp2.0.1']);
      expect(await listener.next()).toEqual({ kind: 'opened', protocol: 'ocpp2.0.1' });
    });

    it.each([null, 'ocpp2.1'])(
      'does not open when the server chooses the sub-protocol %s instead',
      async (protocol) => {
        subject.answer({ protocol });
        const charger = open({ protocols: ['ocpp1.6', 'ocpp2.0.1'] });
        const heard = await charger.listener.next();
        expect(heard).toMatchObject({ kind: 'closed', code: 1006 });
        expect(heard).toHaveProperty(
          'reason',
          expect.stringMatching(/sub-protocol.*; asked for ocpp1\.6, ocpp2\.0\.1$/),
        );
        await nothingMore(charger);
      },
    );

    it('closes without having been open when the server refuses', async () => {
      subject.answer({ refuse: true });
      const charger = open();
      expect(await charger.listener.next()).toEqual({
        kind: 'closed',
        code: 1006,
        reason: 'the CSMS answered HTTP 401 (Unauthorized)',
      });
      await nothingMore(charger);
    });

    it('carries messages both ways, whole and in order', async () => {
      const { socket, listener, peer } = await connected();
      const texts = ['[2,"1","Heartbeat",{}]', '', 'ü 日本 🔌', 'x'.repeat(200_000), ...'abcdefgh'];
      for (const text of texts) socket.send(text);
      for (const text of texts) expect(await peer.nextMessage()).toBe(text);
      for (const text of texts) peer.send(text);
      for (const text of texts) expect(await listener.next()).toEqual({ kind: 'message', text });
    });

    it('keeps links apart', async () => {
      const all = [await connected(), await connected(), await connected()];
      for (const [index, { socket, peer }] of all.entries()) {
        socket.send(`charger ${index}`);
        peer.send(`server ${index}`);
      }
      for (const [index, { peer, listener }] of all.entries()) {
        expect(await peer.nextMessage()).toBe(`charger ${index}`);
        expect(await listener.next()).toEqual({ kind: 'message', text: `server ${index}` });
      }
    });

    it('takes a message of one mebibyte and closes with 1009 at a longer one', async () => {
      const charger = await connected();
      const text = 'é'.repeat(512 * 1024);
      charger.peer.send(text);
      expect(await charger.listener.next()).toEqual({ kind: 'message', text });
      charger.peer.send(`${text}x`);
      expect(await charger.listener.next()).toMatchObject({
        kind: 'closed',
        code: 1009,
        reason: expect.stringContaining('1 MiB'),
      });
      expect((await charger.peer.closed).code).toBe(1009);
      await nothingMore(charger);
    });

    it('tells the code and the reason with which the server closes', async () => {
      const charger = await connected();
      charger.peer.send('last words');
      charger.peer.close(1001, '');
      expect(await charger.listener.next()).toEqual({ kind: 'message', text: 'last words' });
      const reason = 'closed by the CSMS with 1001 (going away)';
      expect(await charger.listener.next()).toEqual({ kind: 'closed', code: 1001, reason });
      await nothingMore(charger);

      const other = await connected();
      other.peer.close(4711, 'so long\nand thanks');
      expect(await other.listener.next()).toEqual({
        kind: 'closed',
        code: 4711,
        reason: 'closed by the CSMS with 4711 (so long and thanks)',
      });
    });

    it('tells the server the code and the reason with which the charger closes', async () => {
      const charger = await connected();
      charger.socket.send('last words');
      charger.socket.close(1000, 'switched off');
      charger.socket.close(1001, 'again');
      expect(await charger.peer.nextMessage()).toBe('last words');
      expect(await charger.peer.closed).toEqual({ code: 1000, reason: 'switched off' });
      const reason = 'closed by the charger with 1000 (switched off)';
      expect(await charger.listener.next()).toEqual({ kind: 'closed', code: 1000, reason });
      await nothingMore(charger);
    });

    it('closes all the same with a code or a reason that no close frame can carry', async () => {
      for (const code of [0, 1006, 70_000]) {
        const charger = await connected();
        charger.socket.close(code, 'ä'.repeat(200));
        const { code: told, reason } = await charger.peer.closed;
        expect({ told, reason }).toEqual({ told: 1000, reason: 'ä'.repeat(61) });
        expect(await charger.listener.next()).toMatchObject({ kind: 'closed', code: 1000 });
      }
    });

    it('loses what is on its way when the charger drops the line', async () => {
      const charger = await connected();
      charger.peer.send('too late');
      charger.socket.drop();
      expect((await charger.peer.closed).code).toBe(1006);
      const heard = await charger.listener.next();
      expect(heard).toEqual({ kind: 'closed', code: 1006, reason: 'cut by the charger without a close frame' });
      await nothingMore(charger);
    });

    it('hears nothing more after it was dropped, of what had arrived already neither', async () => {
      const { listener, socket, peer, heard } = await connected();
      listener.linkMessage = (text) => {
        heard.put({ kind: 'message', text });
        socket.drop();
      };
      for (const text of ['one', 'two', 'three']) peer.send(text);
      expect(await listener.next()).toEqual({ kind: 'message', text: 'one' });
      expect(await listener.next()).toMatchObject({ kind: 'closed', code: 1006 });
      await nothingMore({ heard });
    });

    it('closes with 1006 when the line breaks', async () => {
      const charger = await connected();
      charger.peer.drop();
      const reason = 'the connection broke without a close frame';
      expect(await charger.listener.next()).toEqual({ kind: 'closed', code: 1006, reason });
      await nothingMore(charger);
    });

    it.each(['close', 'drop'] as const)('can be given up by %s before it is open', async (how) => {
      const charger = open();
      charger.socket[how](1000, 'changed my mind');
      const reason = 'given up by the charger before it was open';
      expect(await charger.listener.next()).toEqual({ kind: 'closed', code: 1006, reason });
      await nothingMore(charger);
    });

    it('ignores what is asked of it before it is open', async () => {
      const { socket, listener } = open();
      socket.send('too early');
      socket.ping();
      const peer = await subject.nextPeer();
      expect(await listener.next()).toMatchObject({ kind: 'opened' });
      socket.send('in time');
      expect(await peer.nextMessage()).toBe('in time');
    });

    it('ignores what is asked of it after it ended', async () => {
      const charger = await connected();
      charger.peer.close(1000, 'done');
      expect(await charger.listener.next()).toMatchObject({ kind: 'closed' });
      charger.socket.send('too late');
      charger.socket.ping();
      charger.socket.close(1000, 'late');
      charger.socket.drop();
      await nothingMore(charger);
    });

    it('stays open while its pings are answered', async () => {
      const { socket, peer, heard } = await connected();
      for (let times = 0; times < 3; times++) {
        socket.ping();
        await settled();
        subject.elapse(60_000);
      }
      socket.send('still here');
      expect(await peer.nextMessage()).toBe('still here');
      expect(heard.size).toBe(0);
    });

    it('closes when a ping is not answered within 10 s', async () => {
      const charger = await connected();
      charger.peer.stopAnsweringPings();
      charger.socket.ping();
      await settled();
      charger.socket.ping();
      subject.elapse(11_000);
      const reason = 'no answer to a ping within 10 s';
      expect(await charger.listener.next()).toEqual({ kind: 'closed', code: 1006, reason });
      expect((await charger.peer.closed).code).toBe(1006);
      await nothingMore(charger);
    });
  });
}
