// A charger's end of the line with nothing behind it: sends frames as told and hands out what arrives. For tests.

import { type RawData, WebSocket } from 'ws';
import { callText, type Payload, readFrame } from '../ocpp/frame.ts';

export type Reply =
  | { readonly payload: Payload }
  | { readonly error: string; readonly description: string; readonly id: string };

export class BareClient {
  readonly socket: WebSocket;
  /** Resolves when the connection is over. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  readonly #arrived: string[] = [];
  readonly #waiting: ((text: string) => void)[] = [];
  #callCount = 0;

  constructor(socket: WebSocket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => {
      socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
    });
    socket.on('error', () => undefined);
    socket.on('message', (data: RawData) => {
      const text = data.toString();
      const next = this.#waiting.shift();
      if (next === undefined) this.#arrived.push(text);
      else next(text);
    });
  }

  /** Rejects with the HTTP status and the sentence when the server refuses. */
  static connect(url: string, protocols: string | string[]): Promise<BareClient> {
    const client = new BareClient(new WebSocket(url, protocols, { perMessageDeflate: false }));
    return new Promise((resolve, reject) => {
      client.socket.on('open', () => resolve(client));
      client.socket.on('error', reject);
      client.socket.on('unexpected-response', (_request, response) => {
        let body = '';
        response.on('data', (chunk) => {
          body += chunk;
        });
        response.on('end', () => reject(new Error(`${response.statusCode} ${body.trim()}`)));
      });
    });
  }

  /** The next frame that nobody has read yet. */
  next(): Promise<string> {
    const text = this.#arrived.shift();
    if (text !== undefined) return Promise.resolve(text);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Sends a frame, or any text or bytes, and reads the next frame as the answer. */
  async exchange(frame: unknown): Promise<Reply> {
    this.send(frame);
    const answer = readFrame(await this.next());
    if (answer.kind === 'result') return { payload: answer.payload as Payload };
    if (answer.kind === 'error') return { error: answer.code, description: answer.description, id: answer.id };
    throw new Error(`a ${answer.kind} came instead of an answer`);
  }

  call(action: string, payload: unknown = {}): Promise<Reply> {
    this.#callCount += 1;
    return this.exchange(callText(`call-${this.#callCount}`, action, payload));
  }

  send(frame: unknown): void {
    this.socket.send(typeof frame === 'string' || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame));
  }
}
