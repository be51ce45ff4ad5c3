// Requests sent again under the same key: answered as the first time, done once, also when everything was killed in between.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, GatewayProcess, startCsms, temporaryFolder, token } from './gateway.ts';
import { type Answer, send } from './interface.ts';

/** A request that is sent again and again, and another one that is not the same. */
interface Repeated {
  readonly path: string;
  readonly body: object | null;
  readonly other: { readonly path?: string; readonly body?: object };
}

const operator = { name: 'Sunny Charging', country_code: 'NL', party_id: 'SUN' };

describe('a request with an Idempotency-Key', () => {
  const folder = temporaryFolder();
  const gateway = new GatewayProcess(folder.path);
  let csms: Awaited<ReturnType<typeof startCsms>>;
  let client: Client;
  let bearer: string;

  beforeAll(async () => {
    csms = await startCsms();
    bearer = await token();
    client = await (await gateway.start()).client();
  });
  afterAll(async () => {
    await gateway.end('SIGKILL');
    await csms.close();
    folder.remove();
  });

  const post = (key: string, path: string, body: object | null): Promise<Answer> =>
    send(gateway.url, {
      method: 'POST',
      path,
      headers: {
        authorization: `Bearer ${bearer}`,
        'idempotency-key': key,
        ...(body === null ? {} : { 'content-type': 'application/json' }),
      },
      text: body === null ? undefined : JSON.stringify(body),
    });

  it('gives the first answer again, also after kill -9, is not done again, and is refused for anything else', async () => {
    const cpoPath = `/ocpi/cpos/${(await client.fetch('POST', '/ocpi/cpos', operator)).body.id}`;
    const { id: charger_id, identity } = await client.create({ identity: 'HELD', ws_url: csms.url });
    await client.untilConnected(identity);
    const target = { charger_id };
    const requests: Readonly<Record<string, Repeated>> = {
      charger: { path: '/ocpp/chargers', body: { ws_url: csms.url }, other: { body: { identity: 'TWICE' } } },
      cpo: { path: '/ocpi/cpos', body: operator, other: { body: { ...operator, name: 'Moon' } } },
      location: {
        path: `${cpoPath}/locations`,
        body: { template: 'home-duo', ws_url: csms.url },
        other: { body: { template: 'two-car-garage' } },
      },
      command: {
        path: '/ocpp/commands/plug-connector',
        body: { target, event: { ev: { soc_percent: 50, battery_kwh: 40 } } },
        other: { path: '/ocpp/commands/unplug-connector', body: { target, event: {} } },
      },
      restart: {
        path: `/ocpp/simulators/${identity}/restart`,
        body: null,
        other: { path: `/ocpp/simulators/${identity}/stop` },
      },
    };
    const firsts = new Map<string, Answer>();
    for (const [key, { path, body }] of Object.entries(requests)) firsts.set(key, await post(key, path, body));
    expect([...firsts.values()].map(({ status }) => status)).toEqual([202, 201, 202, 202, 202]);

    const repeatAll = async (): Promise<void> => {
      for (const [key, { path, body, other }] of Object.entries(requests)) {
        const again = await post(key, path, body);
        expect(again, key).toMatchObject({ status: firsts.get(key)?.status, text: firsts.get(key)?.text });
        expect(again.headers['location'], key).toBe(firsts.get(key)?.headers['location']);
        const refused = await post(key, other.path ?? path, other.body ?? body);
        expect(refused.status, key).toBe(422);
        expect(refused.body.errors[0].field, key).toBe('Idempotency-Key');
      }
    };
    await repeatAll();
    // The order in which fields are sent makes no difference.
    const event = { ev: { battery_kwh: 40, soc_percent: 50 } };
    const { text } = await post('command', '/ocpp/commands/plug-connector', { event, target });
    expect(text).toBe(firsts.get('command')?.text);
    await gateway.end('SIGKILL');
    client = await (await gateway.start()).client();
    await repeatAll();

    expect((await client.get('/ocpp/chargers')).total).toBe(4);
    expect((await client.get('/ocpi/cpos')).total).toBe(2);
    expect((await client.get(`${cpoPath}/locations`)).total).toBe(1);
    const plugged = firsts.get('command')?.body.results[0].command.id;
    expect(await client.get(`/ocpp/commands/${plugged}?wait_s=10`)).toMatchObject({ event_type: 'plug_connector' });
    await client.untilConnected(identity);
    expect(await client.live(identity)).toMatchObject({ runtime: { desired: 'running' } });
  });

  it('is done once when many come at the same time', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post('at-once', '/ocpp/chargers', { identity: 'AT-ONCE', autostart: false })),
    );
    const done = answers.filter(({ status }) => status === 202);
    expect(done.length).toBeGreaterThan(0);
    expect(new Set(done.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ status }) => ![202, 409].includes(status))).toEqual([]);
    expect((await client.get('/ocpp/chargers?q=AT-ONCE')).total).toBe(1);
  });

  it('may be sent again after it has failed', async () => {
    expect((await post('second-try', '/ocpp/chargers', { identity: 'AT-ONCE' })).status).toBe(400);
    const { id } = (await client.get('/ocpp/chargers?q=AT-ONCE')).data[0];
    expect((await client.fetch('DELETE', `/ocpp/chargers/${id}`)).status).toBe(204);
    expect((await post('second-try', '/ocpp/chargers', { identity: 'AT-ONCE' })).status).toBe(202);
  });
});
