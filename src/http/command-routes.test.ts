// Checks how commands are addressed, queued and read back.
import type Type from 'typebox';
import { Compile } from 'typebox/compile';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Front, startFront, tokenOf } from '../../test/http-front.ts';
import { commands } from '../commands/index.ts';
import type { QueuedCommand } from '../ports/queue.ts';

let front: Front;
beforeAll(async () => {
  front = await startFront();
});
beforeEach(() => front.newTenant());
afterAll(() => front.close());

const newCharger = async (body: unknown = {}): Promise<{ id: string; identity: string }> =>
  (await front.call('POST', '/ocpp/chargers', { body })).body;

const send = (name: string, target: unknown, event: unknown = {}) =>
  front.call('POST', `/ocpp/commands/${name}`, { body: { target, event } });

const enqueued = (): readonly QueuedCommand[] =>
  front.items.flatMap((item) => (item.kind === 'command' ? [item.command] : []));

const queuedCommands = commands.filter((command) => command.answer === undefined);
const answeredCommands = commands.filter((command) => command.answer !== undefined);

describe.each(answeredCommands.map((command) => [command.name, command] as const))('%s', (name, command) => {
  it('is put to the charger, whose own words are the answer', async () => {
    const { id: charger_id } = await newCharger();
    front.answer = () => ({ result: command.answer?.example });
    const { status, body } = await send(name, { charger_id }, command.example);
    expect(status).toBe(200);
    expect(body).toEqual(command.answer?.example);
    expect(front.questions.at(-1)?.question).toMatchObject({ kind: 'run', eventType: command.eventType });
  });

  it('is 422 for a location, 404 for a charger that does not exist, 400 when nobody answers', async () => {
    expect((await send(name, { location_id: 'anywhere' }, command.example)).status).toBe(422);
    expect((await send(name, {}, command.example)).status).toBe(422);
    expect((await send(name, { charger_id: 'nobody' }, command.example)).status).toBe(404);
    const { id: charger_id } = await newCharger({ autostart: false });
    const silent = await send(name, { charger_id }, command.example);
    expect(silent.status).toBe(400);
    expect(silent.body.detail).toContain('stopped');
  });
});

describe.each(queuedCommands.map((command) => [command.name, command] as const))('%s', (name, command) => {
  it('queues its example, answers exactly as described, and can be read back', async () => {
    const { id: charger_id, identity } = await newCharger({ ocpp_version: '2.0.1' });
    const payload = Compile(command.event).Default({ ...command.example });
    const { status, body } = await send(name, { charger_id }, command.example);
    expect(status).toBe(202);
    const [queued] = enqueued();
    expect(body).toEqual({
      targeted_count: 1,
      queued_count: 1,
      failed_count: 0,
      results: [
        {
          charger_id,
          identity,
          command: {
            id: queued?.id,
            event_type: name.replaceAll('-', '_'),
            ocpp_version: '2.0.1',
            payload,
          },
        },
      ],
      failed: [],
    });
    expect(queued).toMatchObject({ org: front.org, chargerId: charger_id, identity, payload });
    const { status: readStatus, body: read } = await front.call('GET', `/ocpp/commands/${queued?.id}`);
    expect(readStatus).toBe(200);
    expect(read).toEqual({
      id: queued?.id,
      event_type: command.eventType,
      charger_id,
      identity,
      ocpp_version: '2.0.1',
      payload,
      status: 'queued',
      error_code: null,
      error: null,
      result: null,
      accepted_at: expect.stringMatching(/Z$/),
      started_at: null,
      finished_at: null,
      exchanges: [],
    });
  });

  it('is 422 without a target or an event, and with a field too many', async () => {
    const post = (body: unknown) => front.call('POST', `/ocpp/commands/${name}`, { body });
    const both = await post({});
    expect(both.status).toBe(422);
    expect(both.body.errors).toEqual([
      { field: 'target', message: 'is required' },
      { field: 'event', message: 'is required' },
    ]);
    const extra = await post({ target: { charger_id: 'x' }, event: command.example, when: 'now' });
    expect(extra.body).toEqual({
      detail: 'when is not known here; known: target, event',
      errors: [{ field: 'when', message: 'is not known here; known: target, event' }],
    });
    const known = Object.keys((command.event as Type.TObject).properties).join(', ');
    const wrong = await post({ target: { charger_id: 'x' }, event: { ...command.example, colour: 'red' } });
    expect(wrong.body.errors).toEqual([
      { field: 'event.colour', message: `is not known here; known: ${known || 'nothing'}` },
    ]);
    expect(enqueued()).toEqual([]);
  });
});

describe('the event of a command', () => {
  it('is echoed with its defaults filled in', async () => {
    const { id: charger_id } = await newCharger();
    const { body } = await send('power-update', { charger_id }, { power_w: 7_400 });
    const payload = { power_w: 7_400, evse_id: 1, connector_id: 1 };
    expect(body.results[0].command.payload).toEqual(payload);
    expect(enqueued()[0]?.payload).toEqual(payload);
  });

  it.each([
    ['power-update', {}, 'event.power_w', 'is required'],
    ['power-update', { power_w: -1 }, 'event.power_w', 'must be >= 0'],
    ['power-update', { power_w: '7' }, 'event.power_w', 'must be number'],
    ['power-update', { power_w: null }, 'event.power_w', 'must be number'],
    ['ev-stops-energy', { evse_id: 0 }, 'event.evse_id', 'must be >= 1'],
    ['ev-stops-energy', { connector_id: 1.5 }, 'event.connector_id', 'must be integer'],
    ['ev-stops-energy', { evse_id: '1' }, 'event.evse_id', 'must be integer'],
    ['ev-stops-energy', { evse_id: 1001 }, 'event.evse_id', 'must be <= 1000'],
    ['ev-stops-energy', [], 'event', 'must be object'],
    ['start-session', {}, 'event.id_tag', 'is required'],
    ['start-session', { id_tag: 'a\u0000' }, 'event.id_tag', 'must not contain control characters'],
    ['start-session', { id_tag: 'A', energy_wh: 0 }, 'event.energy_wh', 'must be > 0'],
    ['start-session', { id_tag: 'A', energy_wh: 'x' }, 'event.energy_wh', 'must be number or null'],
    ['plug-connector', { ev: 5 }, 'event.ev', 'must be object or null'],
    ['plug-connector', { ev: { soc_percent: 101 } }, 'event.ev.soc_percent', 'must be <= 100'],
  ])('%s with %j is 422', async (name, event, field, message) => {
    const { status, body } = await send(name, { charger_id: 'whoever' }, event);
    expect(status).toBe(422);
    expect(body).toEqual({ detail: `${field} ${message}`, errors: [{ field, message }] });
  });
});

describe('the target of a command', () => {
  const eitherOr = 'provide either charger_id or location_id, not both';

  it.each([
    [{}],
    [{ charger_id: null, location_id: null }],
    [{ charger_id: 'a', location_id: 'b' }],
    [{ charger_id: 'a', location_id: 'b', charger_ids: ['c'] }],
  ])('%j names neither or both', async (target) => {
    expect(await send('ev-stops-energy', target)).toMatchObject({
      status: 422,
      body: { detail: `invalid target: ${eitherOr}`, errors: [{ field: 'target', message: eitherOr }] },
    });
  });

  it.each([
    [{ charger_ids: ['a'] }, 'target.charger_ids', 'is valid only together with location_id'],
    [{ charger_id: 'a', charger_ids: ['a'] }, 'target.charger_ids', 'is valid only together with location_id'],
    [{ location_id: 'a', charger_ids: [] }, 'target.charger_ids', 'must not be empty'],
    [{ location_id: 'a', charger_ids: [7] }, 'target.charger_ids[0]', 'must be string'],
    [{ location_id: 'a', charger_ids: 'a' }, 'target.charger_ids', 'must be array or null'],
    [{ charger_id: '' }, 'target.charger_id', 'must not be empty'],
    [{ charger_id: 7 }, 'target.charger_id', 'must be string or null'],
    [{ chargerid: 'a' }, 'target.chargerid', 'is not known here; known: charger_id, location_id, charger_ids'],
    ['a', 'target', 'must be object'],
  ])('%j is 422', async (target, field, message) => {
    const { status, body } = await send('ev-stops-energy', target);
    expect(status).toBe(422);
    expect(body).toEqual({ detail: `${field} ${message}`, errors: [{ field, message }] });
  });

  it('takes null for not given', async () => {
    const { id: charger_id } = await newCharger();
    const target = { charger_id, location_id: null, charger_ids: null };
    expect((await send('ev-stops-energy', target)).status).toBe(202);
  });

  it('is 404 when it does not exist, and just so when it is another tenant’s', async () => {
    const { id: charger_id } = await newCharger();
    const missing = await send('ev-stops-energy', { charger_id: 'nobody' });
    expect(missing).toMatchObject({ status: 404, body: { detail: 'charger nobody does not exist' } });
    const foreign = await front.call('POST', '/ocpp/commands/ev-stops-energy', {
      body: { target: { charger_id }, event: {} },
      token: await tokenOf('other'),
    });
    expect(foreign).toMatchObject({ status: 404, body: { detail: `charger ${charger_id} does not exist` } });
    expect(await send('ev-stops-energy', { location_id: 'nowhere', charger_ids: ['a'] })).toMatchObject({
      status: 404,
      body: { detail: 'location nowhere does not exist' },
    });
  });
});

describe('a charger that cannot take a command', () => {
  const failure = (identity: string, error: string) => ({
    status: 202,
    body: {
      targeted_count: 1,
      queued_count: 0,
      failed_count: 1,
      results: [],
      failed: [{ identity, error }],
    },
  });

  it('because it is stopped is in failed', async () => {
    const { id: charger_id, identity } = await newCharger({ autostart: false });
    expect(await send('ev-stops-energy', { charger_id })).toMatchObject(failure(identity, 'the charger is stopped'));
    expect(enqueued()).toEqual([]);
  });

  it.each([
    ['1.6', { evse_id: 2, connector_id: 2 }],
    ['1.6', { evse_id: 3 }],
    ['2.0.1', { evse_id: 1, connector_id: 2 }],
    ['2.1', { evse_id: 3 }],
  ])('of version %s because it has no outlet %j is in failed', async (ocpp_version, event) => {
    const { id: charger_id, identity } = await newCharger({ ocpp_version, number_of_connectors: 2 });
    const { evse_id, connector_id } = { connector_id: 1, ...event };
    const sentence = `the charger has no connector ${connector_id} on EVSE ${evse_id}`;
    expect(await send('ev-stops-energy', { charger_id }, event)).toMatchObject(failure(identity, sentence));
  });

  it.each([
    ['inject-fault', { evse_id: 0, connector_id: 0, error_code: 'GroundFailure' }],
    ['authorize', { id_tag: 'A' }],
    ['reset-auth-cache', {}],
  ])('is not one whose station as a whole is meant: %s %j', async (name, event) => {
    const { id: charger_id } = await newCharger({ ocpp_version: '2.1' });
    expect((await send(name, { charger_id }, event)).body).toMatchObject({ queued_count: 1, failed_count: 0 });
  });

  it.each([
    [{ evse_id: 0 }, 'event.evse_id'],
    [{ connector_id: 0 }, 'event.connector_id'],
  ])('is none of these when %j names neither a connector nor the station', async (event, field) => {
    const { status, body } = await send('clear-fault', { charger_id: 'whoever' }, event);
    expect(status).toBe(422);
    expect(body.errors).toEqual([{ field, message: 'must be >= 1, unless both are 0' }]);
  });

  it.each([{ evse_id: 2 }, { connector_id: 2 }, { evse_id: 2, connector_id: 1 }])(
    'is not one of version 1.6 whose second outlet is meant by %j',
    async (event) => {
      const { id: charger_id } = await newCharger({ number_of_connectors: 2 });
      const { body } = await send('ev-stops-energy', { charger_id }, event);
      expect(body.results[0].command.payload).toEqual({ evse_id: 1, connector_id: 1, ...event });
    },
  );
});

describe('a command that is read', () => {
  const outcome = (commandId: string) => ({
    commandId,
    status: 'failed' as const,
    errorCode: 'not_plugged',
    error: 'no car is plugged in',
    result: { tried: true },
    startedAtMs: 1_700_000_000_000,
    finishedAtMs: 1_700_000_000_500,
    exchanges: [
      { atMs: 1_700_000_000_100, action: 'Authorize', messageId: 'm1', request: { a: 1 }, response: {}, error: null },
    ],
  });

  it('is told with its outcome', async () => {
    const { id: charger_id } = await newCharger();
    await send('unplug-connector', { charger_id });
    const [{ id } = { id: '' }] = enqueued();
    await front.store.commit([{ chargerId: charger_id, outcomes: [outcome(id)] }]);
    expect((await front.call('GET', `/ocpp/commands/${id}`)).body).toMatchObject({
      status: 'failed',
      error_code: 'not_plugged',
      error: 'no car is plugged in',
      result: { tried: true },
      started_at: '2023-11-14T22:13:20.000Z',
      finished_at: '2023-11-14T22:13:20.500Z',
      exchanges: [
        {
          at: '2023-11-14T22:13:20.100Z',
          action: 'Authorize',
          message_id: 'm1',
          request: { a: 1 },
          response: {},
          error: null,
        },
      ],
    });
  });

  it('is waited for until it has ended', async () => {
    const { id: charger_id } = await newCharger();
    await send('unplug-connector', { charger_id });
    const [{ id } = { id: '' }] = enqueued();
    const waiting = front.call('GET', `/ocpp/commands/${id}?wait_s=30`);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await front.store.commit([{ chargerId: charger_id, outcomes: [outcome(id)] }]);
    expect((await waiting).body.status).toBe('failed');
  });

  it('is told as it is when the time is up', async () => {
    const { id: charger_id } = await newCharger();
    await send('unplug-connector', { charger_id });
    const { status, body } = await front.call('GET', `/ocpp/commands/${enqueued()[0]?.id}?wait_s=1`);
    expect(status).toBe(200);
    expect(body.status).toBe('queued');
  });

  it.each([
    ['wait_s=31', 'must be <= 30'],
    ['wait_s=-1', 'must be >= 0'],
    ['wait_s=1.5', 'must be integer'],
  ])('is 422 with %s', async (query, message) => {
    const { status, body } = await front.call('GET', `/ocpp/commands/x?${query}`);
    expect(status).toBe(422);
    expect(body.errors).toEqual([{ field: 'wait_s', message }]);
  });

  it('is 404 when it does not exist, is another tenant’s, or is the name of a command', async () => {
    const { id: charger_id } = await newCharger();
    await send('unplug-connector', { charger_id });
    const [{ id } = { id: '' }] = enqueued();
    const foreign = await front.call('GET', `/ocpp/commands/${id}`, { token: await tokenOf('other') });
    expect(foreign).toMatchObject({ status: 404, body: { detail: `command ${id} does not exist` } });
    expect((await front.call('GET', '/ocpp/commands/none?wait_s=30')).status).toBe(404);
    expect((await front.call('GET', '/ocpp/commands/power-update')).status).toBe(404);
  });
});

describe('a command that there is none of', () => {
  it('is 404, with those that there are', async () => {
    const { status, body } = await send('make-tea', { charger_id: 'x' });
    expect(status).toBe(404);
    expect(body.detail).toMatch(/^there is no command make-tea; there are: .*power-update/);
  });
});
