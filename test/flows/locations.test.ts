// Sites from templates with all their chargers, from the HTTP call to the frames that the CSMS receives.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayHere, type Json, startCsms } from './gateway.ts';

const operator = { name: 'Sunny Charging', country_code: 'NL', party_id: 'SUN' };

describe('locations', () => {
  let world: Awaited<ReturnType<typeof gatewayHere>>;
  let csms: Awaited<ReturnType<typeof startCsms>>;
  let cpoPath: string;

  beforeAll(async () => {
    world = await gatewayHere();
    csms = await startCsms();
    const { status, body, headers } = await world.client.fetch('POST', '/ocpi/cpos', operator);
    expect(status).toBe(201);
    cpoPath = `/ocpi/cpos/${body.id}`;
    expect(headers.get('location')).toBe(cpoPath);
  });
  afterAll(async () => {
    await world.close();
    await csms.close();
  });

  async function create(body: Record<string, unknown>) {
    const answer = await world.client.fetch('POST', `${cpoPath}/locations`, { ws_url: csms.url, ...body });
    expect(answer.status, JSON.stringify(answer.body)).toBe(202);
    const path = `${cpoPath}/locations/${answer.body.location.id}`;
    expect(answer.headers.get('location')).toBe(path);
    return { path, id: answer.body.location.id as string, made: answer.body };
  }

  const untilReady = (path: string, total: number) =>
    world.client.until(`${total} chargers are ready`, async () => {
      const progress = await world.client.get(`${path}/provisioning`);
      expect(progress.total).toBe(total);
      expect(progress.ready + progress.failed).toBeLessThanOrEqual(total);
      return progress.ready === total;
    });

  const statuses = async (path: string): Promise<string[]> =>
    (await world.client.get(path)).evses.map((evse: Json) => evse.status);

  const connected = (prefix: string): string[] =>
    csms.csms
      .connected('test')
      .map(({ identity }) => identity)
      .filter((identity) => identity.startsWith(prefix))
      .sort();
  const untilGone = (prefix: string) =>
    world.client.until(`${prefix} has hung up`, async () => connected(prefix).length === 0);

  it('are OCPI objects whose EVSEs say what their chargers do', async () => {
    const { client } = world;
    const { path, id, made } = await create({ template: 'home-duo', name: 'At home', identity_prefix: 'HOME' });
    expect(made.provisioning).toEqual({ total: 2, ready: 0, failed: 0 });
    expect(made.charger_ids).toHaveLength(2);
    expect(made.location).toMatchObject({
      country_code: 'NL',
      party_id: 'SUN',
      name: 'At home',
      country: 'NLD',
      operator: { name: operator.name },
      evses: [{ status: 'PLANNED' }, { status: 'PLANNED' }],
    });
    await untilReady(path, 2);
    expect(connected('HOME-')).toEqual(['HOME-0001', 'HOME-0002']);
    expect(await statuses(path)).toEqual(['AVAILABLE', 'AVAILABLE']);

    expect(await client.command(made.charger_ids[1], 'plug-connector')).toMatchObject({ status: 'succeeded' });
    expect(await statuses(path)).toEqual(['AVAILABLE', 'CHARGING']);
    const listed = await client.get(`${cpoPath}/locations`);
    expect(listed.data.find((each: Json) => each.id === id)).toEqual(await client.get(path));
    await client.command(made.charger_ids[0], 'inject-fault', { error_code: 'GroundFailure' });
    expect(await statuses(path)).toEqual(['OUTOFORDER', 'CHARGING']);
    await client.command(made.charger_ids[1], 'unplug-connector');
    expect(await statuses(path)).toEqual(['OUTOFORDER', 'AVAILABLE']);
    await client.fetch('POST', '/ocpp/simulators/HOME-0002/stop');
    await client.until('it has stopped', async () => (await statuses(path))[1] === 'UNKNOWN');

    const page = await client.get(`/ocpp/locations/${id}/chargers`);
    expect(page.total).toBe(2);
    expect(page.data.map((charger: Json) => charger.identity).sort()).toEqual(['HOME-0001', 'HOME-0002']);
    for (const charger of page.data) {
      expect(charger).toMatchObject({ vendor_name: 'Zaptec', model: 'Go', ocpp_version: '1.6', location_id: id });
    }
    expect((await client.fetch('DELETE', path)).status).toBe(204);
  });

  it('take all versions of OCPP, one of them for all, and identities that are taken only once', async () => {
    const mixed = await create({ template: 'interoperability-lab', identity_prefix: 'LAB' });
    const total = mixed.made.charger_ids.length;
    await untilReady(mixed.path, total);
    const versions = () =>
      new Set(
        csms.csms.connected('test').flatMap(({ identity, version }) => (identity.startsWith('LAB') ? [version] : [])),
      );
    expect([...versions()].sort()).toEqual(['1.6', '2.0.1', '2.1']);
    const again = { template: 'home-duo', ws_url: csms.url, identity_prefix: 'LAB' };
    const taken = await world.client.fetch('POST', `${cpoPath}/locations`, again);
    expect(taken.status).toBe(400);
    expect(taken.body.detail).toContain('LAB-0001');
    expect((await world.client.get('/ocpp/chargers?q=LAB-')).total).toBe(total);
    expect((await world.client.fetch('DELETE', mixed.path)).status).toBe(204);

    const same = await create({ template: 'interoperability-lab', identity_prefix: 'LAB', ocpp_version: '2.1' });
    await untilReady(same.path, total);
    expect([...versions()]).toEqual(['2.1']);
    await world.client.fetch('DELETE', same.path);
  });

  it('of 200 chargers become ready, take a command as one, in whole and in part, and are deleted with all of them', async () => {
    const { client } = world;
    const { path, id, made } = await create({ template: 'home-duo', identity_prefix: 'DEPOT', count_multiplier: 100 });
    const other = await create({ template: 'home-duo', identity_prefix: 'OTHER' });
    const ids: string[] = made.charger_ids;
    expect(new Set(ids).size).toBe(200);
    expect(made.location.evses).toHaveLength(200);
    await untilReady(path, 200);
    expect(new Set(connected('DEPOT-')).size).toBe(200);

    const plug = (target: Json) => client.fetch('POST', '/ocpp/commands/plug-connector', { target, event: {} });
    const all = await plug({ location_id: id });
    expect(all.status).toBe(202);
    expect(all.body).toMatchObject({ targeted_count: 200, queued_count: 200, failed_count: 0, failed: [] });
    expect(all.body.results.map((result: Json) => result.charger_id).sort()).toEqual([...ids].sort());
    expect(all.body.results[0].command).toMatchObject({ event_type: 'plug_connector', ocpp_version: '1.6' });
    await client.until('all are plugged in', async () => (await statuses(path)).every((word) => word === 'CHARGING'));

    await client.fetch('POST', '/ocpp/simulators/DEPOT-0003/stop');
    const [foreign] = other.made.charger_ids;
    const named = [ids[0], ids[0], ids[1], ids[2], foreign, 'nobody'];
    const some = await client.fetch('POST', '/ocpp/commands/unplug-connector', {
      target: { location_id: id, charger_ids: named },
      event: {},
    });
    expect(some.status).toBe(202);
    expect(some.body).toMatchObject({ targeted_count: 5, queued_count: 2, failed_count: 3 });
    expect(some.body.results.map((result: Json) => result.identity)).toEqual(['DEPOT-0001', 'DEPOT-0002']);
    expect(some.body.failed).toEqual(
      expect.arrayContaining([
        { identity: 'DEPOT-0003', error: expect.stringContaining('stopped') },
        { identity: 'OTHER-0001', error: expect.stringContaining('not in this location') },
        { identity: null, error: expect.stringContaining('nobody') },
      ]),
    );
    for (const { command } of some.body.results) {
      expect(await client.get(`/ocpp/commands/${command.id}?wait_s=10`)).toMatchObject({ status: 'succeeded' });
    }
    const words = await statuses(path);
    expect(words.slice(0, 2)).toEqual(['AVAILABLE', 'AVAILABLE']);
    expect(words.filter((word) => word === 'CHARGING')).toHaveLength(197);

    expect((await client.fetch('DELETE', cpoPath)).status).toBe(400);
    expect((await client.fetch('DELETE', path)).status).toBe(204);
    await untilGone('DEPOT-');
    expect((await client.get('/ocpp/chargers?q=DEPOT-')).total).toBe(0);
    expect((await client.fetch('GET', path)).status).toBe(404);
    expect((await plug({ location_id: id })).status).toBe(404);
    expect((await client.fetch('GET', `/ocpp/chargers/${ids[0]}`)).status).toBe(404);
    expect(connected('OTHER-')).toHaveLength(2);
  });

  it('go with their CPO when it is deleted with everything', async () => {
    const { client } = world;
    const made = await client.fetch('POST', '/ocpi/cpos', { ...operator, party_id: 'TMP' });
    const path = `/ocpi/cpos/${made.body.id}`;
    const body = { template: 'home-duo', ws_url: csms.url, identity_prefix: 'GONE' };
    const location = await client.fetch('POST', `${path}/locations`, body);
    await untilReady(`${path}/locations/${location.body.location.id}`, 2);
    expect((await client.fetch('DELETE', path)).status).toBe(400);
    expect((await client.fetch('DELETE', `${path}?cascade=true`)).status).toBe(204);
    expect((await client.fetch('GET', path)).status).toBe(404);
    await untilGone('GONE-');
  });

  it('have made no charger send anything that OCPP does not allow', () => {
    expect(csms.recorder.violations()).toEqual([]);
  });
});
