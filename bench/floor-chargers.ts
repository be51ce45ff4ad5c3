// The floor of what chargers do: a process of plain clients that say the same on the wire, told what by the case.

import type { Version } from './bench-case.ts';
import { PlainClient } from './plain-client.ts';
import type { ScriptName } from './script.ts';

export interface FloorSettings {
  readonly version: Version;
  readonly urls: readonly string[];
  readonly chargers: number;
}

export type ToFloor =
  | { readonly kind: 'dial' }
  /** All at once. */
  | { readonly kind: 'say'; readonly script: ScriptName }
  /** Each every so many seconds, evenly spread. */
  | { readonly kind: 'repeat'; readonly script: ScriptName; readonly everyS: number };

/** So many are dialling at a time: memory that many requests at once have taken is not given back. */
const dialling = 100;
const tickMs = 50;
/** As chargers wait by default when their connection is lost. */
const redialAfterMs = 10_000;
const redialSpreadMs = 10_000;

const { version, urls, chargers } = JSON.parse(process.argv[2] ?? '') as FloorSettings;
const clients: Client[] = [];
let dialled = 0;

class Client extends PlainClient {
  readonly number: number;
  isUp = false;

  constructor(number: number) {
    super(urls[number % urls.length] ?? '', version, `BENCH-${number}`);
    this.number = number;
  }

  override done(): void {
    if (this.isUp) return;
    this.isUp = true;
    dialNext();
  }

  override closed(): void {
    setTimeout(redial, redialAfterMs + Math.random() * redialSpreadMs, this.number);
  }
}

class Returning extends Client {
  override opened(): void {
    this.say('reconnect');
  }
}

function dialNext(): void {
  if (dialled < chargers) clients.push(new Client(dialled++));
}

function redial(number: number): void {
  clients[number] = new Returning(number);
}

function repeat(script: ScriptName, everyS: number): void {
  const ticks = Math.round((everyS * 1_000) / tickMs);
  const slots = Array.from({ length: ticks }, (_, slot) => clients.filter((_, index) => index % ticks === slot));
  let tick = 0;
  setInterval(() => {
    // One call at a time, as chargers do it.
    for (const client of slots[tick++ % ticks] ?? []) if (!client.isBusy) client.say(script);
  }, tickMs);
}

process.on('message', (message: ToFloor) => {
  if (message.kind === 'dial') for (let count = 0; count < dialling; count++) dialNext();
  else if (message.kind === 'say') for (const client of clients) client.say(message.script);
  else repeat(message.script, message.everyS);
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
