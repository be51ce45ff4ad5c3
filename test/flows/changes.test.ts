// Chargers changed, stopped, restarted and deleted while they run: what the CSMS gets to see of it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayHere, type Json, startCsms } from './gateway.ts';

const versions = ['1.6', '2.0.1', '2.1'] as const;

let world: Awaited<ReturnType<typeof gatewayHere>>;
let csms: Awaited<ReturnType<typeof startCsms>>;
let other: Awaited<ReturnType<typeof startCsms>>;

beforeAll(async () => {
  world = await gatewayHere();
  csms = await startCsms();
  other = await startCsms();
});
afterAll(async () => {
  await world.close();
  await csms.close();
  await other.close();
});

const seen = (at: typeof csms, identity: string) =>
  at.csms.connected().find((charger) => charger.identity === identity);

/** The end of a transaction, in every version. */
const ending = (version: string): [action: string, matches: (payload: Json) => boolean] =>
  version === '1.6'
    ? ['StopTransaction', (payload) => payload.reason === 'Reboot']
    : [
        'TransactionEvent',
        (payload) => payload.eventType === 'Ended' && payload.transactionInfo.stoppedReason === 'Reboot',
      ];

async function charging(identity: string, ocpp_version: string): Promise<string> {
  const { id } = await world.client.create({ identity, ocpp_version, ws_url: csms.url });
  expect(await world.client.command(id, 'start-session', { id_tag: 'TAG' })).toMatchObject({ status: 'succeeded' });
  return id;
}

/** What the charger said from the cursor on ends a transaction for a reboot, on the connection on which it ran. */
async function expectEnd(identity: string, version: string, cursor: number): Promise<void> {
  const [action, matches] = ending(version);
  const { connection } = await csms.recorder.waitFor(identity, action, matches, 10_000, cursor);
  const [boot] = csms.recorder.calls(identity, 'BootNotification');
  expect(connection).toBe(boot?.connection);
}

describe('a change', () => {
  it.each([
    ['1.6', '2.0.1'],
    ['2.0.1', '2.1'],
    ['2.1', '1.6'],
  ])('of the version from %s to %s ends the transaction and restarts the charger onto it', async (from, to) => {
    const identity = `FROM-${from}-TO-${to}`;
    const id = await charging(identity, from);
    const cursor = csms.recorder.cursor();
    const { status, body } = await world.client.fetch('PUT', `/ocpp/chargers/${id}`, { ocpp_version: to });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id, identity, ocpp_version: to });
    await expectEnd(identity, from, cursor);
    const boot = await csms.recorder.waitFor(
      identity,
      'BootNotification',
      (payload: Json) => (to === '1.6' ? 'chargePointVendor' in payload : 'chargingStation' in payload),
      10_000,
      cursor,
    );
    const frame = csms.recorder.frames(identity).find(({ order }) => order === boot.order);
    expect(frame?.version).toBe(to);
    await world.client.untilConnected(identity);
    expect(seen(csms, identity)?.version).toBe(to);
    expect(await world.client.live(identity)).toMatchObject({ ocpp_version: to, connectors: [{ transaction: null }] });
    expect(await world.client.command(id, 'start-transaction', { id_tag: 'TAG' })).toMatchObject({
      ocpp_version: to,
      status: 'succeeded',
    });
  });

  it.each(versions)('of the address moves a charger (OCPP %s) to the other CSMS', async (version) => {
    const identity = `MOVED-${version}`;
    const id = await charging(identity, version);
    const cursor = csms.recorder.cursor();
    const { status, body } = await world.client.fetch('PUT', `/ocpp/chargers/${id}`, { ws_url: other.url });
    expect(status).toBe(200);
    expect(body.ws_url).toBe(other.url);
    await expectEnd(identity, version, cursor);
    await other.recorder.waitFor(identity, 'BootNotification', undefined, 10_000);
    await world.client.until('the first CSMS is left', async () => seen(csms, identity) === undefined);
    await world.client.untilConnected(identity);
    expect(await world.client.live(identity)).toMatchObject({ connection: { url: `${other.url}/${identity}` } });
  });

  it('of the name or the location leaves the connection and the transaction alone', async () => {
    const id = await charging('NAMED', '1.6');
    const cursor = csms.recorder.cursor();
    const { status, body } = await world.client.fetch('PUT', `/ocpp/chargers/${id}`, { name: 'North' });
    expect(status).toBe(200);
    expect(body.name).toBe('North');
    expect(await world.client.command(id, 'power-update', { power_w: 3_000 })).toMatchObject({ status: 'succeeded' });
    const said = csms.recorder.calls('NAMED').filter(({ order }) => order >= cursor);
    expect(said.map(({ action }) => action)).toEqual(['MeterValues']);
    expect((await world.client.live('NAMED')).connectors[0].transaction).not.toBeNull();
  });
});

describe('a runtime', () => {
  it.each(versions)('of OCPP %s stops, starts and restarts, and ends what runs as for a reboot', async (version) => {
    const { client } = world;
    const identity = `RUN-${version}`;
    const id = await charging(identity, version);
    const control = (name: string) => client.fetch('POST', `/ocpp/simulators/${identity}/${name}`);
    const actual = async () => (await client.live(identity)).runtime.actual;

    let cursor = csms.recorder.cursor();
    const stopped = await control('stop');
    expect(stopped.status).toBe(202);
    expect(stopped.body).toMatchObject({ identity, desired: 'stopped' });
    await expectEnd(identity, version, cursor);
    await client.until('it has stopped', async () => (await actual()) === 'stopped');
    await client.until('it has hung up', async () => seen(csms, identity) === undefined);
    const target = { charger_id: id };
    expect((await client.fetch('POST', '/ocpp/commands/plug-connector', { target, event: {} })).body).toMatchObject({
      queued_count: 0,
      failed: [{ identity, error: expect.stringContaining('stopped') }],
    });
    expect((await client.get('/ocpp/chargers?status=stopped')).data.map((each: Json) => each.id)).toContain(id);

    cursor = csms.recorder.cursor();
    expect((await control('start')).body).toMatchObject({ identity, desired: 'running', actual: 'starting' });
    await csms.recorder.waitFor(identity, 'BootNotification', undefined, 10_000, cursor);
    await client.untilConnected(identity);
    expect((await control('start')).body).toMatchObject({ desired: 'running', actual: 'running' });

    cursor = csms.recorder.cursor();
    expect((await control('restart')).body).toMatchObject({ desired: 'running', actual: 'starting' });
    await csms.recorder.waitFor(identity, 'BootNotification', undefined, 10_000, cursor);
    await client.untilConnected(identity);
    expect((await client.fetch('POST', '/ocpp/simulators/NOBODY/restart')).status).toBe(404);
  });
});

describe('a deletion', () => {
  it.each(versions)('of a charger (OCPP %s) ends its transaction before the connection closes', async (version) => {
    const { client } = world;
    const identity = `DELETED-${version}`;
    const id = await charging(identity, version);
    const cursor = csms.recorder.cursor();
    expect((await client.fetch('DELETE', `/ocpp/chargers/${id}`)).status).toBe(204);
    await expectEnd(identity, version, cursor);
    await client.until('it has hung up', async () => seen(csms, identity) === undefined);
    // It is gone for good: nothing more is heard of it, and its name is free.
    expect((await client.fetch('GET', `/ocpp/chargers/${id}`)).status).toBe(404);
    expect((await client.fetch('GET', `/ocpp/simulators/${identity}`)).status).toBe(404);
    expect((await client.fetch('DELETE', `/ocpp/chargers/${id}`)).status).toBe(404);
    const after = await client.create({ identity, ocpp_version: version, ws_url: csms.url });
    await client.untilConnected(identity);
    expect(after.id).not.toBe(id);
    expect((await client.live(identity)).connectors[0]).toMatchObject({ status: 'Available', energy_wh: 0 });
  });

  it('has made no charger send anything that OCPP does not allow', () => {
    expect(csms.recorder.violations()).toEqual([]);
    expect(other.recorder.violations()).toEqual([]);
  });
});
