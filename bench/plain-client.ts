// A plain WebSocket client that says what a charger says, and does nothing else: what the floor is made of.

import { WebSocket } from 'ws';
import type { Version } from './bench-case.ts';
import { type Call, type ScriptName, type Speaker, scriptOf, subprotocolOf } from './script.ts';

/** As long as the ids of chargers are. */
const idOf = (calls: number): string => `00000000-0000-4000-8000-${String(calls).padStart(12, '0')}`;

export class PlainClient extends WebSocket implements Speaker {
  readonly version: Version;
  readonly identity: string;
  transactionId = 0;
  #script: ReturnType<typeof scriptOf> = [];
  #line = 0;
  #calls = 0;
  /** Whether what it said has still to be answered. */
  isBusy = false;

  constructor(url: string, version: Version, identity: string) {
    super(`${url}/${identity}`, [subprotocolOf(version)], { perMessageDeflate: false });
    this.version = version;
    this.identity = identity;
    this.on('open', this.opened);
    this.on('message', this.hear);
    this.on('close', this.closed);
    this.on('error', fail);
  }

  opened(): void {
    this.say('boot');
  }

  /** What it had to say is said, and all of it has been answered. */
  done(): void {}

  closed(): void {}

  say(name: ScriptName): void {
    this.#script = scriptOf(this.version, name);
    this.#line = 0;
    this.#sayNext();
  }

  #sayNext(): void {
    const line = this.#script[this.#line++];
    this.isBusy = line !== undefined;
    if (line === undefined) this.done();
    else this.#call(line(this, new Date().toISOString()));
  }

  #call({ action, payload }: Call): void {
    this.send(JSON.stringify([2, idOf(++this.#calls), action, payload]));
  }

  hear(data: WebSocket.RawData): void {
    const [type, id, answer] = JSON.parse(data.toString()) as [number, string, { readonly transactionId?: number }];
    if (type !== 3 || id !== idOf(this.#calls)) throw new Error(`unexpected answer: ${data.toString()}`);
    if (answer.transactionId !== undefined) this.transactionId = answer.transactionId;
    this.#sayNext();
  }
}

function fail(error: Error): void {
  throw error;
}
