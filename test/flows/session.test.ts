// One visit, from the HTTP call to the frames that the CSMS receives, the same in all three versions.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayHere, type Json, startCsms } from './gateway.ts';

const versions = ['1.6', '2.0.1', '2.1'] as const;

describe('a visit', () => {
  let world: Awaited<ReturnType<typeof gatewayHere>>;
  let csms: Awaited<ReturnType<typeof startCsms>>;

  beforeAll(async () => {
    world = await gatewayHere();
    csms = await startCsms();
  });
  afterAll(async () => {
    await world.close();
    await csms.close();
  });

  it.each(versions)(
    'OCPP %s: create, start, throttle, pause, stop; every frame valid and in order',
    async (ocpp_version) => {
      const { client } = world;
      const identity = `VISIT-${ocpp_version}`;
      const { id } = await client.create({ identity, ocpp_version, ws_url: csms.url });

      expect(await client.command(id, 'start-session', { id_tag: 'DEADBEEF' })).toMatchObject({
        status: 'succeeded',
        error: null,
      });
      const charging = await client.live(identity);
      expect(charging).toMatchObject({
        ocpp_version,
        runtime: { desired: 'running', actual: 'running' },
        connection: { state: 'connected', url: `${csms.url}/${identity}` },
        boot: { status: 'Accepted' },
        connectors: [
          {
            evse_id: 1,
            connector_id: 1,
            status: 'Charging',
            plugged: true,
            power_w: 22_000,
            transaction: { id_tag: 'DEADBEEF' },
          },
        ],
      });

      const throttled = await client.command(id, 'power-update', { power_w: 7_000 });
      expect(throttled).toMatchObject({ status: 'succeeded', result: { offered_w: 7_000, drawn_w: 7_000 } });
      expect(throttled.exchanges.map((exchange: Json) => exchange.action)).toEqual([
        ocpp_version === '1.6' ? 'MeterValues' : 'TransactionEvent',
      ]);

      expect(await client.command(id, 'ev-stops-energy')).toMatchObject({
        event_type: 'ev_stops_energy',
        status: 'succeeded',
      });
      if (ocpp_version === '1.6') {
        await csms.recorder.waitFor(
          identity,
          'StatusNotification',
          (payload: Json) => payload.status === 'SuspendedEV',
        );
      } else {
        await csms.recorder.waitFor(
          identity,
          'TransactionEvent',
          (payload: Json) => payload.transactionInfo.chargingState === 'SuspendedEV',
        );
      }
      expect((await client.live(identity)).connectors[0]).toMatchObject({ status: 'SuspendedEV', power_w: 0 });

      expect(await client.command(id, 'ev-requests-energy')).toMatchObject({ status: 'succeeded' });
      expect(await client.command(id, 'stop-session')).toMatchObject({ status: 'succeeded' });
      expect((await client.live(identity)).connectors[0]).toMatchObject({
        status: 'Available',
        plugged: false,
        transaction: null,
      });
      expect(await client.command(id, 'stop-session')).toMatchObject({ status: 'failed', error_code: 'no_session' });
      expect(csms.recorder.violations()).toEqual([]);
    },
  );

  it.each(versions)('OCPP %s: EV stops energy on an idle connector', async (ocpp_version) => {
    const { client } = world;
    const identity = `IDLE-${ocpp_version}`;
    const { id } = await client.create({ identity, ocpp_version, ws_url: csms.url });
    expect(await client.command(id, 'ev-stops-energy')).toMatchObject({ status: 'succeeded' });
    expect((await client.live(identity)).connectors[0]).toMatchObject({
      status: 'SuspendedEV',
      plugged: true,
      transaction: null,
    });
    const word = ocpp_version === '1.6' ? 'SuspendedEV' : 'Occupied';
    await csms.recorder.waitFor(
      identity,
      'StatusNotification',
      (payload: Json) => (payload.status ?? payload.connectorStatus) === word,
    );
  });

  it.each(versions)(
    'OCPP %s: a tag that the CSMS refuses fails the command, with the CSMS’s word',
    async (ocpp_version) => {
      const { client } = world;
      const { id } = await client.create({ ocpp_version, ws_url: csms.url });
      const outcome = await client.command(id, 'start-session', { id_tag: 'BLOCKED-1' });
      expect(outcome).toMatchObject({ status: 'failed', error_code: 'token_refused' });
      expect(outcome.error).toContain('Blocked');
    },
  );

  it('the log shows every frame exactly as it went, newest first, page by page', async () => {
    const { client } = world;
    const { id } = await client.create({ identity: 'LOGGED', ws_url: csms.url });
    await client.command(id, 'start-session', { id_tag: 'A' });
    const entries: Json[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await client.get(`/ocpp/simulators/LOGGED/logs?limit=5${cursor === '' ? '' : `&cursor=${cursor}`}`);
      entries.push(...page.data);
      cursor = page.next_cursor;
    }
    const frames = entries
      .filter((entry) => entry.direction !== 'internal')
      .map((entry) => entry.raw)
      .toReversed();
    expect(frames).toEqual(csms.recorder.frames('LOGGED').map((frame) => frame.text));
    expect(entries.find((entry) => entry.action === 'Authorize' && entry.direction === 'out')).toMatchObject({
      kind: 'call',
      payload: { idTag: 'A' },
      command_id: expect.any(String),
    });
  });

  it('is ended by a reset of the CSMS, after which the charger is back by itself', async () => {
    const { client } = world;
    const identity = 'RESET-1.6';
    const { id } = await client.create({ identity, ocpp_version: '1.6', ws_url: csms.url });
    await client.command(id, 'start-session', { id_tag: 'DEADBEEF' });
    expect(await csms.csms.call('test', identity, 'Reset', { type: 'Soft' })).toEqual({ status: 'Accepted' });
    const stopped = await csms.recorder.waitFor(
      identity,
      'StopTransaction',
      (payload: Json) => payload.reason === 'SoftReset',
    );
    await csms.recorder.waitFor(identity, 'BootNotification', () => true, 10_000, stopped.order);
    await client.untilConnected(identity);
    expect(csms.recorder.violations()).toEqual([]);
  });

  it('answers what nobody knows, and what it cannot do, as OCPP-J says', async () => {
    const { client } = world;
    for (const ocpp_version of versions) {
      const identity = `ASKED-${ocpp_version}`;
      await client.create({ identity, ocpp_version, ws_url: csms.url });
      await client.untilConnected(identity);
      await expect(csms.csms.call('test', identity, 'MakeCoffee', {})).rejects.toMatchObject({
        code: 'NotImplemented',
      });
    }
  });
});
