// The floor: a process of plain WebSocket clients that do what chargers must do on the wire, and nothing else.

import { WebSocket } from 'ws';
import type { Version } from './bench-case.ts';
import { bootCall, subprotocolOf } from './boot-script.ts';

export interface FloorSettings {
  readonly version: Version;
  readonly urls: readonly string[];
  readonly chargers: number;
  /** Null: none are sent. */
  readonly heartbeatS: number | null;
}

/** So many are dialling at a time: memory that many requests at once have taken is not given back. */
const dialling = 100;
const tickMs = 50;

const { version, urls, chargers, heartbeatS } = JSON.parse(process.argv[2] ?? '') as FloorSettings;
const periodTicks = Math.round(((heartbeatS ?? 0) * 1_000) / tickMs);
const slots: Charger[][] = Array.from({ length: periodTicks }, () => []);
let tick = 0;
let dialled = 0;

class Charger extends WebSocket {
  readonly identity: string;
  calls = 0;
  isUp = false;

  constructor(number: number) {
    const identity = `FLOOR-${number}`;
    super(`${urls[number % urls.length]}/${identity}`, [subprotocolOf(version)], { perMessageDeflate: false });
    this.identity = identity;
    this.on('open', this.say);
    this.on('message', this.hear);
    this.on('error', fail);
  }

  say(): void {
    const call = bootCall(version, this.calls, this.identity, new Date().toISOString());
    if (call !== null) this.call(call.action, call.payload);
    else this.up();
  }

  call(action: string, payload: unknown): void {
    this.send(JSON.stringify([2, String(++this.calls), action, payload]));
  }

  hear(data: WebSocket.RawData): void {
    const [type, id] = JSON.parse(data.toString()) as [number, string];
    if (type !== 3 || id !== String(this.calls)) throw new Error(`unexpected answer: ${data.toString()}`);
    if (!this.isUp) this.say();
  }

  up(): void {
    this.isUp = true;
    slots[tick % periodTicks]?.push(this);
    dialNext();
  }
}

function dialNext(): void {
  if (dialled < chargers) new Charger(dialled++);
}

function beat(): void {
  tick++;
  for (const charger of slots[tick % periodTicks] ?? []) charger.call('Heartbeat', {});
}

function fail(error: Error): void {
  throw error;
}

process.on('message', () => {
  for (let count = 0; count < dialling; count++) dialNext();
  if (heartbeatS !== null) setInterval(beat, tickMs);
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
