// A CSMS that we did not write: a server of the npm package ocpp-rpc, checking strictly where it has the schemas.

import { RPCServer } from 'ocpp-rpc';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayHere, type Json } from './gateway.ts';

describe('an ocpp-rpc server', () => {
  let world: Awaited<ReturnType<typeof gatewayHere>>;
  let server: Json;
  let url: string;
  const problems: unknown[] = [];
  const calls: { identity: string; action: string; params: Json }[] = [];

  beforeAll(async () => {
    world = await gatewayHere();
    server = new RPCServer({ protocols: ['ocpp1.6', 'ocpp2.0.1', 'ocpp2.1'], strictMode: ['ocpp1.6', 'ocpp2.0.1'] });
    server.auth((accept: () => void) => accept());
    server.on('client', (client: Json) => {
      client.on('strictValidationFailure', (event: unknown) => problems.push(event));
      client.on('badMessage', (event: unknown) => problems.push(event));
      const currentTime = () => new Date().toISOString();
      const accepted =
        client.protocol === 'ocpp1.6' ? { idTagInfo: { status: 'Accepted' } } : { idTokenInfo: { status: 'Accepted' } };
      let transactionId = 0;
      client.handle(({ method, params }: { method: string; params: Json }) => {
        calls.push({ identity: client.identity, action: method, params });
        if (method === 'BootNotification') return { status: 'Accepted', currentTime: currentTime(), interval: 300 };
        if (method === 'Heartbeat') return { currentTime: currentTime() };
        if (method === 'Authorize') return accepted;
        if (method === 'StartTransaction') return { transactionId: ++transactionId, ...accepted };
        return {};
      });
    });
    const http = await server.listen(0, '127.0.0.1');
    url = `ws://127.0.0.1:${http.address().port}`;
  });
  afterAll(async () => {
    await world.close();
    await server.close();
  });

  it.each(['1.6', '2.0.1', '2.1'])('OCPP %s: accepts a whole visit', async (ocpp_version) => {
    const { client } = world;
    const identity = `FOREIGN-${ocpp_version}`;
    const { id } = await client.create({ identity, ocpp_version, ws_url: url });
    expect(await client.command(id, 'start-session', { id_tag: 'DEADBEEF' })).toMatchObject({ status: 'succeeded' });
    expect(await client.command(id, 'power-update', { power_w: 5_000 })).toMatchObject({ status: 'succeeded' });
    expect(await client.command(id, 'ev-stops-energy')).toMatchObject({ status: 'succeeded' });
    expect(await client.command(id, 'stop-session')).toMatchObject({ status: 'succeeded' });
    expect(problems).toEqual([]);
    const said = calls.filter((call) => call.identity === identity).map((call) => call.action);
    expect(said[0]).toBe('BootNotification');
    expect(
      said.filter((action) => action === 'TransactionEvent').length +
        said.filter((action) => action.endsWith('Transaction')).length,
    ).toBeGreaterThanOrEqual(2);
  });
});
