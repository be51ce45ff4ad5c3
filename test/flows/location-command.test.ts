// One command for a thousand running chargers of all versions: one answer names them all, and each of them does it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, GatewayProcess, type Json, startCsms, temporaryFolder } from './gateway.ts';

/** Twelve chargers on three versions of OCPP, so many times. */
const template = { template: 'interoperability-lab', count_multiplier: 84, identity_prefix: 'LAB' };
const total = 12 * 84;
const identities = Array.from({ length: total }, (_, number) => `LAB-${String(number + 1).padStart(4, '0')}`);
const patienceMs = 60_000;

describe(`a command for a location of ${total} running chargers`, () => {
  const folder = temporaryFolder();
  const gateway = new GatewayProcess(folder.path);
  let csms: Awaited<ReturnType<typeof startCsms>>;
  let client: Client;
  let locationId: string;
  let ids: string[];
  let elsewhere: Json;

  beforeAll(async () => {
    csms = await startCsms();
    client = await (await gateway.start()).client();
    const cpo = { name: 'Sun', country_code: 'NL', party_id: 'SUN' };
    const { body } = await client.fetch('POST', '/ocpi/cpos', cpo);
    const path = `/ocpi/cpos/${body.id}/locations`;
    const made = await client.fetch('POST', path, { ...template, ws_url: csms.url });
    expect(made.status).toBe(202);
    ids = made.body.charger_ids;
    locationId = made.body.location.id;
    elsewhere = await client.create({ identity: 'ELSEWHERE', ws_url: csms.url });
    const allReady = async () => (await client.get(`${path}/${locationId}/provisioning`)).ready === total;
    await client.until('all are ready', allReady, patienceMs);
    await client.untilConnected('ELSEWHERE');
  }, 2 * patienceMs);
  afterAll(async () => {
    await gateway.end('SIGKILL');
    await csms.close();
    folder.remove();
  });

  const send = (name: string, target: Json, event: Json = {}) =>
    client.fetch('POST', `/ocpp/commands/${name}`, { target, event });

  /** All that was ever sent to this location has ended. */
  const allEnded = async (): Promise<void> => {
    const left = async (status: string) => (await client.get(`/ocpp/commands?limit=1&status=${status}`)).total;
    await client.until(
      'all have ended',
      async () => (await left('queued')) + (await left('running')) === 0,
      patienceMs,
    );
  };

  const succeeded = async (): Promise<number> => (await client.get('/ocpp/commands?limit=1&status=succeeded')).total;

  /** The chargers that have said such a thing. */
  const sayers = (matches: (action: string, payload: Json) => boolean): Set<string> =>
    new Set(
      [...identities, 'ELSEWHERE'].filter((identity) =>
        csms.recorder.calls(identity).some(({ action, payload }) => matches(action, payload)),
      ),
    );

  it('is answered once with all of them, and each plugs in and tells its CSMS', async () => {
    const { status, body } = await send('plug-connector', { location_id: locationId });
    expect(status).toBe(202);
    expect(body).toMatchObject({ targeted_count: total, queued_count: total, failed_count: 0, failed: [] });
    expect(body.results.map((result: Json) => result.charger_id).sort()).toEqual([...ids].sort());
    expect(body.results.map((result: Json) => result.identity).sort()).toEqual(identities);
    expect(new Set(body.results.map((result: Json) => result.command.id)).size).toBe(total);
    const versions = body.results.map((result: Json) => result.command.ocpp_version);
    for (const version of ['1.6', '2.0.1', '2.1'])
      expect(versions.filter((each: string) => each === version)).toHaveLength(total / 3);
    await allEnded();
    expect(await succeeded()).toBe(total);
    const isPlugged = (action: string, { status: of16, connectorStatus }: Json) =>
      action === 'StatusNotification' && (of16 ?? connectorStatus) === (of16 ? 'Preparing' : 'Occupied');
    expect(sayers(isPlugged)).toEqual(new Set(identities));
  });

  it('starts as many sessions, each with its own transaction', async () => {
    const { body } = await send('start-transaction', { location_id: locationId }, { id_tag: 'TAG' });
    expect(body).toMatchObject({ targeted_count: total, queued_count: total, failed_count: 0 });
    await allEnded();
    expect(await succeeded()).toBe(2 * total);
    const isStart = (action: string, { eventType }: Json) =>
      action === 'StartTransaction' || (action === 'TransactionEvent' && eventType === 'Started');
    expect(sayers(isStart)).toEqual(new Set(identities));
  });

  it('reaches those that are named, each once; strangers fail and nobody else hears of it', async () => {
    const named = [ids[5], ids[400], ids[5], 'nobody', ids[1_000], elsewhere.id, 'nobody'];
    const { status, body } = await send(
      'power-update',
      { location_id: locationId, charger_ids: named },
      { power_w: 1_380 },
    );
    expect(status).toBe(202);
    expect(body).toMatchObject({ targeted_count: 5, queued_count: 3, failed_count: 2 });
    expect(body.results.map((result: Json) => result.charger_id)).toEqual([ids[5], ids[400], ids[1_000]]);
    expect(body.failed).toHaveLength(2);
    expect(body.failed).toEqual(
      expect.arrayContaining([
        { identity: null, error: expect.stringContaining('nobody') },
        { identity: 'ELSEWHERE', error: expect.stringContaining('not in this location') },
      ]),
    );
    await allEnded();
    expect(await succeeded()).toBe(2 * total + 3);
    const sampled = (action: string, payload: Json) =>
      (action === 'MeterValues' || action === 'TransactionEvent') && /"value":"?1380\b/.test(JSON.stringify(payload));
    expect(sayers(sampled)).toEqual(new Set(body.results.map((result: Json) => result.identity)));
  });

  it('has made no charger send anything that OCPP does not allow', () => {
    expect(csms.recorder.violations()).toEqual([]);
  });
});
