// A CSMS that we did not write: a server of the npm package ocpp-rpc, checking strictly where it has the schemas.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RPCServer } from 'ocpp-rpc';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayHere, type Json } from './gateway.ts';

describe('an ocpp-rpc server', () => {
  let world: Awaited<ReturnType<typeof gatewayHere>>;
  let server: Json;
  let url: string;
  const problems: unknown[] = [];
  const calls: { identity: string; action: string; params: Json }[] = [];
  /** The latest connection of each charger. */
  const lines = new Map<string, Json>();
  const files = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.end('firmware'));
  });

  beforeAll(async () => {
    world = await gatewayHere();
    server = new RPCServer({ protocols: ['ocpp1.6', 'ocpp2.0.1', 'ocpp2.1'], strictMode: ['ocpp1.6', 'ocpp2.0.1'] });
    server.auth((accept: () => void) => accept());
    server.on('client', (client: Json) => {
      lines.set(client.identity, client);
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
    await new Promise<void>((listening) => files.listen(0, '127.0.0.1', () => listening()));
  });
  afterAll(async () => {
    await world.close();
    await server.close();
    files.close();
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

  it('OCPP 1.6: is answered whatever it asks for', async () => {
    const { client } = world;
    const identity = 'FOREIGN-ASKED';
    const { id } = await client.create({ identity, ocpp_version: '1.6', ws_url: url });
    await client.untilConnected(identity);
    const ask = (action: string, params: Json): Promise<Json> => lines.get(identity).call(action, params);
    const heard = (action: string, wanted: Json = {}, since = 0) =>
      client.until(`${action} ${JSON.stringify(wanted)} is heard`, async () =>
        calls
          .slice(since)
          .some(
            (call) =>
              call.identity === identity &&
              call.action === action &&
              Object.entries(wanted).every(([name, value]) => call.params[name] === value),
          ),
      );
    const inS = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();
    const accepted = { status: 'Accepted' };
    const profile = (chargingProfilePurpose: string, limit: number) => ({
      chargingProfileId: chargingProfilePurpose.length,
      stackLevel: 0,
      chargingProfilePurpose,
      chargingProfileKind: 'Absolute',
      chargingSchedule: {
        startSchedule: inS(-10),
        chargingRateUnit: 'A',
        chargingSchedulePeriod: [{ startPeriod: 0, limit }],
      },
    });

    const { configurationKey } = await ask('GetConfiguration', {});
    expect(configurationKey).toContainEqual({ key: 'NumberOfConnectors', readonly: true, value: '1' });
    expect(await ask('GetConfiguration', { key: ['NoSuchKey'] })).toMatchObject({ unknownKey: ['NoSuchKey'] });
    expect(await ask('ChangeConfiguration', { key: 'MeterValueSampleInterval', value: '1' })).toEqual(accepted);
    const localAuthorizationList = [{ idTag: 'LISTED', idTagInfo: { status: 'Accepted', expiryDate: inS(3_600) } }];
    expect(await ask('SendLocalList', { listVersion: 1, updateType: 'Full', localAuthorizationList })).toEqual(
      accepted,
    );
    expect(await ask('GetLocalListVersion', {})).toEqual({ listVersion: 1 });
    expect(await ask('ClearCache', {})).toEqual(accepted);
    expect(await ask('DataTransfer', { vendorId: 'nobody' })).toEqual({ status: 'UnknownVendorId' });

    const reservation = { connectorId: 1, expiryDate: inS(3_600), idTag: 'LISTED', reservationId: 5 };
    expect(await ask('ReserveNow', reservation)).toEqual(accepted);
    await heard('StatusNotification', { status: 'Reserved' });
    expect(await ask('CancelReservation', { reservationId: 5 })).toEqual(accepted);
    expect(await ask('ChangeAvailability', { connectorId: 0, type: 'Inoperative' })).toEqual(accepted);
    await heard('StatusNotification', { status: 'Unavailable', connectorId: 0 });
    expect(await ask('ChangeAvailability', { connectorId: 0, type: 'Operative' })).toEqual(accepted);
    for (const requestedMessage of [
      'BootNotification',
      'DiagnosticsStatusNotification',
      'FirmwareStatusNotification',
      'Heartbeat',
      'MeterValues',
      'StatusNotification',
    ]) {
      const since = calls.length;
      expect(await ask('TriggerMessage', { requestedMessage })).toEqual(accepted);
      await heard(requestedMessage, {}, since);
    }

    const csChargingProfiles = profile('TxDefaultProfile', 16);
    expect(await ask('SetChargingProfile', { connectorId: 1, csChargingProfiles })).toEqual(accepted);
    expect(await client.command(id, 'plug-connector')).toMatchObject({ status: 'succeeded' });
    const chargingProfile = profile('TxProfile', 10);
    expect(await ask('RemoteStartTransaction', { idTag: 'LISTED', connectorId: 1, chargingProfile })).toEqual(accepted);
    await heard('StatusNotification', { status: 'Charging' });
    expect(await ask('GetCompositeSchedule', { connectorId: 1, duration: 60 })).toMatchObject({
      status: 'Accepted',
      chargingSchedule: { duration: 60, chargingSchedulePeriod: [{ startPeriod: 0 }] },
    });
    expect(await ask('ChangeAvailability', { connectorId: 1, type: 'Inoperative' })).toEqual({ status: 'Scheduled' });
    expect(await ask('ChangeAvailability', { connectorId: 1, type: 'Operative' })).toEqual(accepted);
    expect(await ask('RemoteStopTransaction', { transactionId: 1 })).toEqual(accepted);
    await heard('StopTransaction', { reason: 'Remote' });
    expect(await ask('ClearChargingProfile', {})).toEqual(accepted);
    expect(await ask('UnlockConnector', { connectorId: 1 })).toEqual({ status: 'Unlocked' });

    const before = lines.get(identity);
    expect(await ask('Reset', { type: 'Soft' })).toEqual(accepted);
    await client.until('it is back', async () => lines.get(identity) !== before);
    await client.untilConnected(identity);
    const place = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
    expect(await ask('GetDiagnostics', { location: `${place}/logs` })).toHaveProperty('fileName');
    await heard('DiagnosticsStatusNotification', { status: 'Uploaded' });
    expect(await ask('UpdateFirmware', { location: `${place}/acme-7.8.9.bin`, retrieveDate: inS(-1) })).toEqual({});
    await heard('FirmwareStatusNotification', { status: 'Installing' });
    expect(problems).toEqual([]);
  });
});
