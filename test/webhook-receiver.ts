// A receiver of webhooks for tests: writes down what comes, checks the signatures with code that is not ours, and answers as told.

import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { EventResource } from '../src/events/event.ts';

export interface Received {
  /** The `webhook-id`. */
  readonly id: string;
  readonly event: EventResource;
  readonly headers: IncomingMessage['headers'];
  /** Of the sender: tells connections apart. */
  readonly port: number | undefined;
  /** Whether the signature is good. */
  readonly isGenuine: boolean;
}

export class Receiver {
  readonly received: Received[] = [];
  /** What its messages are signed with. */
  secret: string | null = null;
  /** The status of the answer; null: none ever comes. */
  answer: (message: Received) => number | null | Promise<number | null> = () => 204;
  #server: Server | null = null;
  #port = 0;

  /** Again, after a stop, under the same address. */
  async start(): Promise<this> {
    const server = createServer((request, response) => {
      void this.#take(request).then(async (message) => {
        const status = await this.answer(message);
        if (status !== null) response.writeHead(status, status < 400 ? { location: '/elsewhere' } : {}).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/hook?key=1`;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }

  get ids(): readonly string[] {
    return this.received.map(({ id }) => id);
  }

  /** The numbers in the data of the events, by charger, in the order of their coming. */
  numbersByCharger(): Readonly<Record<string, readonly unknown[]>> {
    const chargers = Map.groupBy(this.received, ({ event }) => event.charger_id);
    return Object.fromEntries([...chargers].map(([id, of]) => [id, of.map(({ event }) => event.data['number'])]));
  }

  async #take(request: IncomingMessage): Promise<Received> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const { headers, socket } = request;
    const message = { id: String(headers['webhook-id']), event: JSON.parse(body), headers, port: socket.remotePort };
    const received = { ...message, isGenuine: this.#isGenuine(body, headers) };
    this.received.push(received);
    return received;
  }

  #isGenuine(body: string, headers: IncomingMessage['headers']): boolean {
    if (this.secret === null) return false;
    try {
      new Webhook(this.secret).verify(body, headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  }
}
