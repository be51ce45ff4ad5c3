// A client that others wrote, with its own schemas, is satisfied with the built-in CSMS.
import { RPCClient } from 'ocpp-rpc';
import { afterEach, expect, it } from 'vitest';
import { Csms } from './csms.ts';
import { Recorder } from './recorder.ts';

const at = '2026-01-31T12:00:05.000Z';
const opened: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

async function connected(protocol: string) {
  const recorder = new Recorder({ expectBootFirst: true });
  let next = 1;
  const csms = new Csms({
    reserveTransactionIds: async (count) => {
      next += count;
      return next - count;
    },
    now: () => Date.parse(at),
    newMessageId: () => crypto.randomUUID(),
    onFrame: recorder.onFrame,
  });
  opened.push(csms);
  const options = {
    endpoint: `${await csms.listen(0)}/acme`,
    identity: 'CP 1',
    protocols: [protocol],
    strictMode: true,
  };
  const client = new RPCClient({ ...options, reconnect: false } as ConstructorParameters<typeof RPCClient>[0]);
  opened.push(client);
  await client.connect();
  return { csms, recorder, client };
}

it('in 1.6: boot, heartbeat, authorize, a transaction, a remote stop', async () => {
  const { csms, recorder, client } = await connected('ocpp1.6');
  client.handle('RemoteStopTransaction', async ({ params }) => ({
    status: params?.['transactionId'] === 1 ? 'Accepted' : 'Rejected',
  }));
  expect(await client.call('BootNotification', { chargePointVendor: 'SimCo', chargePointModel: 'AC22' })).toEqual({
    status: 'Accepted',
    currentTime: at,
    interval: 300,
  });
  expect(await client.call('Heartbeat', {})).toEqual({ currentTime: at });
  expect(await client.call('Authorize', { idTag: 'TAG' })).toEqual({ idTagInfo: { status: 'Accepted' } });
  expect(
    await client.call('StartTransaction', { connectorId: 1, idTag: 'TAG', meterStart: 100, timestamp: at }),
  ).toEqual({ transactionId: 1, idTagInfo: { status: 'Accepted' } });
  const meterValue = [{ timestamp: at, sampledValue: [{ value: '150' }] }];
  expect(await client.call('MeterValues', { connectorId: 1, transactionId: 1, meterValue })).toEqual({});
  expect(await csms.call('acme', 'CP 1', 'RemoteStopTransaction', { transactionId: 1 })).toEqual({
    status: 'Accepted',
  });
  expect(
    await client.call('StopTransaction', { transactionId: 1, meterStop: 200, timestamp: at, reason: 'Remote' }),
  ).toEqual({});
  await expect(csms.call('acme', 'CP 1', 'ClearCache', {})).rejects.toMatchObject({ code: 'NotImplemented' });
  expect(recorder.violations()).toEqual([]);
});

it('in 2.0.1: boot, heartbeat, authorize, a transaction, a remote stop', async () => {
  const { csms, recorder, client } = await connected('ocpp2.0.1');
  client.handle('RequestStopTransaction', async () => ({ status: 'Accepted' }));
  const chargingStation = { vendorName: 'SimCo', model: 'AC22' };
  expect(await client.call('BootNotification', { reason: 'PowerUp', chargingStation })).toEqual({
    status: 'Accepted',
    currentTime: at,
    interval: 300,
  });
  expect(await client.call('Heartbeat', {})).toEqual({ currentTime: at });
  const idToken = { idToken: 'EXPIRED-1', type: 'ISO14443' };
  expect(await client.call('Authorize', { idToken })).toEqual({ idTokenInfo: { status: 'Expired' } });
  const event = { timestamp: at, transactionInfo: { transactionId: '5f2c0c9e-6f0a-4d6e-9a38-0f6b8f2f7a11' } };
  const good = { idToken: 'TAG', type: 'Central' };
  const started = { ...event, eventType: 'Started', triggerReason: 'Authorized', seqNo: 0, idToken: good };
  expect(await client.call('TransactionEvent', started)).toEqual({ idTokenInfo: { status: 'Accepted' } });
  expect(await csms.call('acme', 'CP 1', 'RequestStopTransaction', { transactionId: 'a' })).toEqual({
    status: 'Accepted',
  });
  const ended = { ...event, eventType: 'Ended', triggerReason: 'RemoteStop', seqNo: 1 };
  expect(await client.call('TransactionEvent', ended)).toEqual({});
  expect(recorder.violations()).toEqual([]);
});
