// The CPU time of an event with many readers of the event stream, beside the same with none: chargers are plugged in and out.

import type { Bench } from '../bench.ts';
import type { BenchCase } from '../bench-case.ts';
import { type Gateway, Installation } from '../gateway.ts';
import { locationId } from '../stock.ts';
import { Stub } from '../stub.ts';

const readers = 20;
const rounds = 5;
/** A tenth of the fleet: 1 000 chargers unless told otherwise. */
const share = 10;
/** Each round every charger is plugged in and out: a status each time, whatever else is told. */
const fewestEvents = 2 * rounds;

export const cpuPerEvent: BenchCase = {
  name: 'cpu-per-event',
  unit: 'µs',
  limit: null,
  deadlineMs: 300_000,
  floor: (bench) => eventUs(bench, 0),
  measure: (bench) => eventUs(bench, readers),
};

async function eventUs(bench: Bench, count: number): Promise<number> {
  const chargers = Math.ceil(bench.sizes.chargers / share);
  const stub = await Stub.start(bench);
  const installation = new Installation(bench, 'events');
  await installation.stock(stub, '1.6', chargers);
  const gateway = await installation.start();
  const leaving = new AbortController();
  const streams = await Promise.all(
    Array.from({ length: count }, () => follow(gateway, AbortSignal.any([leaving.signal, bench.signal]))),
  );
  await plugInAndOut(bench, gateway);
  bench.stage(`${rounds} rounds of events of ${chargers} chargers to ${count} readers`);
  for (const stream of streams) stream.events = 0;
  const cpuMs = await bench.cpuMsDuring(gateway.child, async () => {
    for (let round = 0; round < rounds; round++) await plugInAndOut(bench, gateway);
    await bench.sleep(bench.sizes.quietMs);
  });
  const heard = new Set(streams.map(({ events }) => events));
  leaving.abort();
  if (count > 0 && (heard.size !== 1 || Math.min(...heard) < chargers * fewestEvents)) {
    throw new Error(`the readers heard ${[...heard].join(', ')} events each`);
  }
  return (cpuMs * 1_000) / (chargers * fewestEvents);
}

async function plugInAndOut(bench: Bench, gateway: Gateway): Promise<void> {
  for (const name of ['plug-connector', 'unplug-connector']) {
    const { results } = await gateway.command(name, { location_id: locationId }, {});
    const last = results.at(-1)?.command.id;
    await bench.until(async () => {
      const { status } = (await gateway.get(`/ocpp/commands/${last}`)) as { readonly status: string };
      if (status === 'failed') throw new Error(`${name} has failed`);
      return status === 'succeeded';
    });
  }
}

interface Stream {
  events: number;
}

async function follow(gateway: Gateway, signal: AbortSignal): Promise<Stream> {
  const response = await fetch(`${gateway.url}/ocpp/events`, { headers: gateway.authorization, signal });
  if (response.status !== 200 || response.body === null) throw new Error(`no events: HTTP ${response.status}`);
  const stream: Stream = { events: 0 };
  void count(stream, response.body).catch(() => {});
  return stream;
}

async function count(stream: Stream, body: ReadableStream<Uint8Array>): Promise<void> {
  const marker = '\nevent: ';
  let rest = '';
  for await (const bytes of body) {
    const text = rest + Buffer.from(bytes).toString('latin1');
    stream.events += text.split(marker).length - 1;
    // The marker may be cut in two: one that is whole is not kept.
    rest = text.slice(-(marker.length - 1));
  }
}
