// Checks what Prometheus reads: which figures there are, who may read them, and that their labels cannot grow without end.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Front, frontSettings, startFront } from '../../test/http-front.ts';
import { VirtualClock } from '../adapters/clock/virtual.ts';
import type { Ask, FleetCensus } from '../ports/ask.ts';

let front: Front;
let clock: VirtualClock;
let census: () => Promise<FleetCensus>;
const figures = (framesIn: number, framesOut: number): FleetCensus => ({
  processes: { alive: 1, expected: 2 },
  running: 12,
  connected: 11,
  framesIn,
  framesOut,
});

beforeAll(async () => {
  census = async () => figures(100, 200);
  clock = new VirtualClock(Date.now());
  front = await startFront({ clock, ask: { census: () => census() } as unknown as Ask });
});
afterAll(() => front.close());

const read = async (): Promise<string> => String((await front.call('GET', '/metrics', { token: null })).body);
/** The value of one line; undefined when there is none. */
const figure = (text: string, line: string): number | undefined => {
  const found = text.split('\n').find((each) => each.startsWith(`${line} `));
  return found === undefined ? undefined : Number(found.slice(line.length + 1));
};

describe('the metrics', () => {
  it('are text that Prometheus understands', async () => {
    const { status, headers, body } = await front.call('GET', '/metrics', { token: null });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    for (const line of String(body).trim().split('\n')) {
      expect(line).toMatch(/^(?:# (?:HELP|TYPE) \w+ .+|\w+(?:\{.*\})? (?:[-\d.e+]+|Nan|\+Inf)|)$/);
    }
  });

  it('tell how the process is doing', async () => {
    const text = await read();
    expect(figure(text, 'process_resident_memory_bytes')).toBeGreaterThan(1_000_000);
    expect(figure(text, 'process_cpu_seconds_total')).toBeGreaterThan(0);
    expect(figure(text, 'nodejs_eventloop_lag_p99_seconds')).toBeGreaterThanOrEqual(0);
    expect(figure(text, 'chargesim_info{version="1.2.3"}')).toBe(1);
  });

  it('tell how the fleet is doing', async () => {
    const text = await read();
    expect(figure(text, 'chargesim_fleet_up')).toBe(1);
    expect(figure(text, 'chargesim_fleet_processes')).toBe(1);
    expect(figure(text, 'chargesim_fleet_processes_expected')).toBe(2);
    expect(figure(text, 'chargesim_chargers_running')).toBe(12);
    expect(figure(text, 'chargesim_chargers_connected')).toBe(11);
    expect(figure(text, 'chargesim_ocpp_frames_total{direction="in"}')).toBe(100);
    expect(figure(text, 'chargesim_ocpp_frames_total{direction="out"}')).toBe(200);
  });

  it('never count backwards, also when a fleet process starts to count anew', async () => {
    const framesOut = async (out: number) => {
      census = async () => figures(100, out);
      return figure(await read(), 'chargesim_ocpp_frames_total{direction="out"}');
    };
    expect(await framesOut(250)).toBe(250);
    expect(await framesOut(80)).toBe(250);
    expect(await framesOut(90)).toBe(260);
  });

  it.each([
    ['fails', () => Promise.reject(new Error('no'))],
    ['does not answer', () => new Promise<FleetCensus>(() => {})],
  ])('are told without the fleet when it %s', async (_, silence) => {
    const asked = Promise.withResolvers<void>();
    census = () => {
      asked.resolve();
      return silence();
    };
    const reading = read();
    await asked.promise;
    clock.advance(2_000);
    const text = await reading;
    expect(figure(text, 'chargesim_fleet_up')).toBe(0);
    expect(figure(text, 'chargesim_chargers_running')).toBeUndefined();
    expect(figure(text, 'process_cpu_seconds_total')).toBeGreaterThan(0);
    census = async () => figures(100, 90);
    expect(figure(await read(), 'chargesim_chargers_running')).toBe(12);
  });

  it('count requests by the pattern of their path', async () => {
    await front.call('GET', '/ocpp/chargers/one-id');
    await front.call('GET', '/ocpp/chargers/other-id');
    for (const url of ['/one-secret', '/other-secret', '/ocpp/one-secret']) await front.call('GET', url);
    await front.call('GET', '/images/brands/abb.svg');
    const text = await read();
    const requests = 'chargesim_http_requests_total';
    expect(figure(text, `${requests}{method="GET",route="/ocpp/chargers/{charger_id}",status="404"}`)).toBe(2);
    expect(figure(text, `${requests}{method="GET",route="none",status="404"}`)).toBe(3);
    expect(text).toMatch(/route="\/images\/brands\/\{brand\}\.svg"/);
    expect(text).not.toMatch(/secret|one-id|other-id/);
    const durations = 'chargesim_http_request_duration_seconds';
    expect(figure(text, `${durations}_count{method="GET",route="/ocpp/chargers/{charger_id}"}`)).toBe(2);
  });

  it('count commands that were accepted', async () => {
    const { body: charger } = await front.call('POST', '/ocpp/chargers', { body: {} });
    for (const id of [charger.id, 'unknown', charger.id]) {
      await front.call('POST', '/ocpp/commands/plug-connector', { body: { target: { charger_id: id }, event: {} } });
    }
    expect(figure(await read(), 'chargesim_commands_accepted_total{event_type="plug_connector"}')).toBe(2);
  });

  it('are all told in the document for operators', async () => {
    const names = [...(await read()).matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name);
    const document = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
    const own = names.filter((name) => name.startsWith('chargesim_'));
    expect(own.length).toBeGreaterThan(8);
    expect(own.filter((name) => !document.includes(`\`${name}\``))).toEqual([]);
  });
});

describe('readers of the metrics', () => {
  const readFrom = async (metrics: 'open' | 'loopback' | 'off', remoteAddress: string, headers = {}) => {
    const served = await startFront({
      ask: { census: () => census() } as unknown as Ask,
      settings: { ...frontSettings, metrics },
    });
    const answer = await served.app.inject({ method: 'GET', url: '/metrics', remoteAddress, headers });
    await served.close();
    return answer;
  };

  it.each(['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1'])('are on the same machine: %s', async (address) => {
    expect((await readFrom('loopback', address)).statusCode).toBe(200);
  });

  it.each([
    ['10.0.0.1', {}],
    ['::ffff:10.0.0.1', {}],
    ['fe80::1', {}],
    ['127.0.0.1', { 'x-forwarded-for': '10.0.0.1' }],
    ['127.0.0.1', { forwarded: 'for=10.0.0.1' }],
  ])('are not elsewhere: %s %j', async (address, headers) => {
    const answer = await readFrom('loopback', address, headers);
    expect(answer.statusCode).toBe(403);
    expect(answer.json()).toEqual({ detail: 'the metrics are for clients on the same machine, unless METRICS=open' });
  });

  it('are everybody where they are open, and nobody where they are off', async () => {
    expect((await readFrom('open', '10.0.0.1')).statusCode).toBe(200);
    expect((await readFrom('off', '127.0.0.1')).statusCode).toBe(404);
  });
});
