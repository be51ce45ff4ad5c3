// Checks the list of commands, and what happens when too many wait for one charger.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Front, frontSettings, startFront, tokenOf } from '../../test/http-front.ts';

let front: Front;
beforeAll(async () => {
  front = await startFront();
});
beforeEach(() => front.newTenant());
afterAll(() => front.close());

const newCharger = async (): Promise<{ id: string }> => (await front.call('POST', '/ocpp/chargers', { body: {} })).body;
const send = (name: string, target: unknown, event: unknown = {}) =>
  front.call('POST', `/ocpp/commands/${name}`, { body: { target, event } });
const enqueued = () => front.items.flatMap((item) => (item.kind === 'command' ? [item.command] : []));

describe('the list of commands', () => {
  const list = (query = '') => front.call('GET', `/ocpp/commands${query}`);

  it('has the newest first, by charger and by status', async () => {
    const [one, other] = [await newCharger(), await newCharger()];
    await send('plug-connector', { charger_id: one.id });
    await send('authorize', { charger_id: other.id }, { id_tag: 'TAG' });
    const { status, body } = await list();
    expect(status).toBe(200);
    expect(body).toMatchObject({
      data: [{ event_type: 'authorize' }, { event_type: 'plug_connector' }],
      total: 2,
      page: 1,
      limit: 20,
    });
    const [queued] = enqueued();
    const outcome = { status: 'failed', errorCode: 'x', error: 'y', result: null, exchanges: [] } as const;
    const ended = { commandId: queued?.id ?? '', startedAtMs: 1, finishedAtMs: 2, ...outcome };
    await front.store.commit([{ chargerId: one.id, outcomes: [ended] }]);
    expect((await list('?status=failed')).body.data).toMatchObject([{ id: queued?.id, error_code: 'x' }]);
    expect((await list(`?charger_id=${other.id}&status=queued`)).body).toMatchObject({ total: 1 });
    expect((await list(`?charger_id=${other.id}&status=running`)).body).toMatchObject({ data: [], total: 0 });
    expect((await list('?status=')).body.total).toBe(2);
  });

  it('refuses a status that there is not', async () => {
    const { status, body } = await list('?status=done');
    expect(status).toBe(422);
    expect(body.errors[0].field).toBe('status');
  });

  it('is that of one tenant', async () => {
    await send('plug-connector', { charger_id: (await newCharger()).id });
    const token = await tokenOf('somebody else');
    expect((await front.call('GET', '/ocpp/commands', { token })).body.total).toBe(0);
  });
});

describe('a queue that is full', () => {
  it('takes no more for that charger, says so, and takes again when one has ended', async () => {
    const crowded = await startFront({ settings: { ...frontSettings, queueLimit: 2 } });
    const made = await crowded.call('POST', '/ocpp/chargers', { body: { identity: 'CP-1' } });
    const body = { target: { charger_id: made.body.id }, event: {} };
    const plug = () => crowded.call('POST', '/ocpp/commands/plug-connector', { body });
    const first = (await plug()).body.results[0].command.id;
    await plug();
    const { status, body: full } = await plug();
    expect(status).toBe(202);
    expect(full).toEqual({
      targeted_count: 1,
      queued_count: 0,
      failed_count: 1,
      results: [],
      failed: [{ identity: 'CP-1', error: 'its queue is full: 2 commands wait for it' }],
    });
    const outcome = { status: 'succeeded', errorCode: null, error: null, result: null, exchanges: [] } as const;
    const ended = { commandId: first, startedAtMs: 1, finishedAtMs: 2, ...outcome };
    await crowded.store.commit([{ chargerId: made.body.id, outcomes: [ended] }]);
    expect((await plug()).body.queued_count).toBe(1);
    await crowded.close();
  });
});
