// Checks which chargers of a location a command reaches, and what is said of the others.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Front, makeLocation, startFront, tokenOf } from '../../test/http-front.ts';

let front: Front;
beforeAll(async () => {
  front = await startFront();
});
beforeEach(() => front.newTenant());
afterAll(() => front.close());

const send = (target: unknown, event: unknown = {}) =>
  front.call('POST', '/ocpp/commands/ev-stops-energy', { body: { target, event } });

const enqueued = () => front.items.flatMap((item) => (item.kind === 'command' ? [item.command] : []));

/** `charger_id` of each result. */
const reached = (body: { results: readonly { charger_id: string }[] }) => body.results.map((each) => each.charger_id);

describe('a command to a location', () => {
  it('reaches every charger of it, and no other', async () => {
    const { location, ids } = await makeLocation(front);
    await makeLocation(front);
    const { status, body } = await send({ location_id: location.id });
    expect(status).toBe(202);
    expect(body).toMatchObject({ targeted_count: 2, queued_count: 2, failed_count: 0, failed: [] });
    expect(reached(body)).toEqual(ids);
    expect(enqueued().map(({ id, chargerId }) => [id, chargerId])).toEqual(
      body.results.map((each: { charger_id: string; command: { id: string } }) => [each.command.id, each.charger_id]),
    );
  });

  it('reaches those named, each once, in the order given', async () => {
    const { location, ids } = await makeLocation(front, { template: 'townhouse-street' });
    const named = [ids[5], ids[1], ids[5], ids[1]];
    const { body } = await send({ location_id: location.id, charger_ids: named });
    expect(body).toMatchObject({ targeted_count: 2, queued_count: 2, failed_count: 0 });
    expect(reached(body)).toEqual([ids[5], ids[1]]);
  });

  it('tells of each charger that cannot take it, and still is 202', async () => {
    const { location, ids } = await makeLocation(front, { template: 'home-duo', identity_prefix: 'HOME' });
    const { ids: others } = await makeLocation(front, { template: 'home-duo', identity_prefix: 'OTHER' });
    const { body: nowhere } = await front.call('POST', '/ocpp/chargers', { body: { identity: 'NOWHERE' } });
    const foreign = await front.call('POST', '/ocpp/chargers', { body: {}, token: await tokenOf('other') });
    await front.call('POST', '/ocpp/simulators/HOME-0002/stop');
    const charger_ids = [...ids, others[0], nowhere.id, foreign.body.id, 'nobody', 'nobody'];
    const { status, body } = await send({ location_id: location.id, charger_ids });
    expect(status).toBe(202);
    expect(reached(body)).toEqual([ids[0]]);
    expect(body.failed).toEqual([
      { identity: 'OTHER-0001', error: 'the charger is not in this location' },
      { identity: 'NOWHERE', error: 'the charger is not in this location' },
      { identity: null, error: `charger ${foreign.body.id} does not exist` },
      { identity: null, error: 'charger nobody does not exist' },
      { identity: 'HOME-0002', error: 'the charger is stopped' },
    ]);
    expect(body).toMatchObject({ targeted_count: 6, queued_count: 1, failed_count: 5 });
    expect(enqueued()).toHaveLength(1);
  });

  it('is 202 when nobody can take it', async () => {
    const { location } = await makeLocation(front);
    const { status, body } = await send({ location_id: location.id }, { evse_id: 9 });
    expect(status).toBe(202);
    expect(body).toMatchObject({ targeted_count: 2, queued_count: 0, failed_count: 2, results: [] });
    const { status: emptied, body: nobody } = await send({ location_id: location.id, charger_ids: ['nobody'] });
    expect(emptied).toBe(202);
    expect(nobody).toMatchObject({ targeted_count: 1, queued_count: 0, failed_count: 1 });
    expect(enqueued()).toEqual([]);
  });

  it('is 202 without anything to do for a location without chargers', async () => {
    const { location, ids } = await makeLocation(front);
    for (const id of ids) await front.call('DELETE', `/ocpp/chargers/${id}`);
    const { status, body } = await send({ location_id: location.id });
    expect(status).toBe(202);
    expect(body).toEqual({ targeted_count: 0, queued_count: 0, failed_count: 0, results: [], failed: [] });
  });

  it('is 404 when there is no such location, and just so when it is another tenant’s', async () => {
    const { location } = await makeLocation(front);
    expect((await send({ location_id: 'nowhere' })).status).toBe(404);
    const body = { target: { location_id: location.id }, event: {} };
    expect(
      await front.call('POST', '/ocpp/commands/ev-stops-energy', { body, token: await tokenOf('other') }),
    ).toMatchObject({ status: 404, body: { detail: `location ${location.id} does not exist` } });
  });

  it('reaches 2000 chargers in one answer', async () => {
    const { location } = await makeLocation(front, { template: 'delivery-depot', count_multiplier: 10 });
    const { body } = await send({ location_id: location.id });
    expect(body).toMatchObject({ targeted_count: 2_000, queued_count: 2_000, failed_count: 0 });
    expect(new Set(body.results.map((each: { command: { id: string } }) => each.command.id)).size).toBe(2_000);
    expect(enqueued()).toHaveLength(2_000);
  });
});
