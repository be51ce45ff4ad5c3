// Checks how the live state and the log of a charger are told.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Front, startFront, tokenOf } from '../../test/http-front.ts';
import { Failure } from '../errors.ts';
import type { LiveState } from '../ports/ask.ts';
import type { LogPage, StoredLogEntry } from '../ports/journal.ts';

let front: Front;
beforeAll(async () => {
  front = await startFront();
});
beforeEach(() => front.newTenant());
afterAll(() => front.close());

const create = async (body: object = {}) =>
  (await front.call('POST', '/ocpp/chargers', { body: { identity: 'CP-1', ...body } })).body;

const fault = { errorCode: 'GroundFailure', blocking: true, info: 'wet', vendorErrorCode: null, untilMs: 60_000 };

const live: LiveState = {
  runtime: { desired: 'running', actual: 'running', sinceMs: 1_000, lastError: null },
  connection: { state: 'connected', url: 'ws://csms/CP-1', sinceMs: 2_000, attempts: 0, lastError: null },
  charger: {
    localListVersion: 0,
    boot: { status: 'Accepted', atMs: 3_000 },
    connectors: [
      {
        evseId: 1,
        connectorId: 1,
        status: 'Faulted',
        underlyingStatus: 'Charging',
        errorCode: 'GroundFailure',
        plugged: true,
        locked: true,
        powerW: 11_000,
        offeredW: 22_000,
        energyWh: 5_321,
        socPercent: 41.5,
        transaction: { sessionId: 's-1', idTag: 'DEADBEEF', startedAtMs: 4_000, energyWh: 321 },
        reservationId: 7,
        faults: [fault],
      },
    ],
    faults: [],
  },
  transactionIds: { 's-1': '17' },
  queuedMessages: 2,
};

describe('the live state of a charger', () => {
  it('is what the charger says of itself', async () => {
    const { id } = await create();
    front.answer = () => live;
    const { status, body } = await front.call('GET', '/ocpp/simulators/CP-1');
    expect(status).toBe(200);
    expect(front.questions).toEqual([{ chargerId: id, question: { kind: 'live' } }]);
    expect(body).toEqual({
      identity: 'CP-1',
      charger_id: id,
      ocpp_version: '1.6',
      runtime: { desired: 'running', actual: 'running', since: '1970-01-01T00:00:01.000Z', last_error: null },
      connection: {
        state: 'connected',
        url: 'ws://csms/CP-1',
        since: '1970-01-01T00:00:02.000Z',
        attempts: 0,
        last_error: null,
      },
      boot: { status: 'Accepted', at: '1970-01-01T00:00:03.000Z' },
      connectors: [
        {
          evse_id: 1,
          connector_id: 1,
          status: 'Faulted',
          underlying_status: 'Charging',
          error_code: 'GroundFailure',
          plugged: true,
          locked: true,
          power_w: 11_000,
          offered_w: 22_000,
          energy_wh: 5_321,
          soc_percent: 41.5,
          transaction: { id: '17', id_tag: 'DEADBEEF', started_at: '1970-01-01T00:00:04.000Z', energy_wh: 321 },
          reservation_id: 7,
          faults: [
            {
              error_code: 'GroundFailure',
              blocking: true,
              info: 'wet',
              vendor_error_code: null,
              until: '1970-01-01T00:01:00.000Z',
            },
          ],
        },
      ],
      faults: [],
      local_list_version: 0,
      queued_messages: 2,
    });
  });

  it('has no boot status and no transaction id before the CSMS has given them', async () => {
    await create();
    const charger = { ...live.charger, boot: { status: 'none', atMs: 3_000 } };
    front.answer = () => ({ ...live, charger, transactionIds: { 's-1': null } });
    const { body } = await front.call('GET', '/ocpp/simulators/CP-1');
    expect(body.boot).toEqual({ status: null, at: null });
    expect(body.connectors[0].transaction.id).toBe(null);
  });

  it('of a stopped one is made from its deployment', async () => {
    const { id, updated_at: since } = await create({ autostart: false, number_of_connectors: 2, ocpp_version: '2.1' });
    const { status, body } = await front.call('GET', '/ocpp/simulators/CP-1');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      charger_id: id,
      ocpp_version: '2.1',
      runtime: { desired: 'stopped', actual: 'stopped', since },
      connection: { state: 'closed', url: `ws://127.0.0.1:8080/csms/${front.org}/CP-1` },
      boot: { status: null, at: null },
      queued_messages: 0,
    });
    expect(body.connectors).toHaveLength(2);
    expect(body.connectors[1]).toMatchObject({ evse_id: 2, connector_id: 1, status: 'Unavailable', energy_wh: null });
  });

  it('of one that is about to run is starting', async () => {
    await create();
    const { body } = await front.call('GET', '/ocpp/simulators/CP-1');
    expect(body.runtime).toMatchObject({ desired: 'running', actual: 'starting' });
  });

  it('of one whose process does not answer is crashed, and says so', async () => {
    await create();
    front.answer = () => {
      throw new Failure('no_answer');
    };
    const { status, body } = await front.call('GET', '/ocpp/simulators/CP-1');
    expect(status).toBe(200);
    expect(body.runtime).toMatchObject({
      desired: 'running',
      actual: 'crashed',
      last_error: 'the process that runs the charger does not answer',
    });
  });

  it('is found by a percent-encoded identity', async () => {
    await create({ identity: 'A|B+C=D' });
    const { body } = await front.call('GET', `/ocpp/simulators/${encodeURIComponent('A|B+C=D')}`);
    expect(body.identity).toBe('A|B+C=D');
  });

  it('is 404 when there is no such charger, and just so when it is another tenant’s', async () => {
    await create();
    const token = await tokenOf('other');
    for (const path of ['', '/logs']) {
      expect((await front.call('GET', `/ocpp/simulators/CP-2${path}`)).status).toBe(404);
      expect(await front.call('GET', `/ocpp/simulators/CP-1${path}`, { token })).toMatchObject({
        status: 404,
        body: { detail: 'simulator CP-1 does not exist' },
      });
    }
  });
});

describe('the log of a charger', () => {
  const entry = (change: Partial<StoredLogEntry>): StoredLogEntry => ({
    id: 'a-1',
    atMs: 1_000,
    direction: 'out',
    kind: 'call',
    action: 'Heartbeat',
    messageId: 'm1',
    raw: '[2,"m1","Heartbeat",{"x":1}]',
    latencyMs: null,
    commandId: null,
    ...change,
  });
  const read = async (page: LogPage, query = '') => {
    front.answer = () => page;
    return front.call('GET', `/ocpp/simulators/CP-1/logs${query}`);
  };

  it('tells each entry, and where to go on', async () => {
    await create();
    const { status, body } = await read({ entries: [entry({})], next: 'a-1' });
    expect(status).toBe(200);
    expect(body).toEqual({
      data: [
        {
          id: 'a-1',
          at: '1970-01-01T00:00:01.000Z',
          direction: 'out',
          kind: 'call',
          action: 'Heartbeat',
          message_id: 'm1',
          payload: { x: 1 },
          raw: '[2,"m1","Heartbeat",{"x":1}]',
          latency_ms: null,
          command_id: null,
        },
      ],
      next_cursor: 'a-1',
    });
  });

  it.each<[Partial<StoredLogEntry>, unknown]>([
    [{ kind: 'result', raw: '[3,"m1",{"y":2}]', latencyMs: 4 }, { y: 2 }],
    [
      { kind: 'error', raw: '[4,"m1","InternalError","oops",{"z":3}]' },
      { code: 'InternalError', description: 'oops', details: { z: 3 } },
    ],
    [
      { kind: 'error', raw: '[4,"m1","InternalError"]' },
      { code: 'InternalError', description: null, details: null },
    ],
    [{ kind: 'lifecycle', direction: 'internal', raw: '{"code":1001}' }, { code: 1001 }],
    [{ kind: 'call', direction: 'in', raw: 'garbage' }, null],
    [{ kind: 'call', direction: 'in', raw: '[2]' }, null],
    [{ kind: 'call', direction: 'in', raw: '{}' }, null],
  ])('reads the payload of %j', async (change, payload) => {
    await create();
    const { body } = await read({ entries: [entry(change)], next: null });
    expect(body.data[0].payload).toEqual(payload);
  });

  it('hands the query on to the charger', async () => {
    await create();
    const query =
      'cursor=a-1&limit=5&direction=in&action=Reset&since=1970-01-01T00:00:01Z&until=1970-01-01T02:00:00%2B01:00';
    await read({ entries: [], next: null }, `?${query}`);
    expect(front.questions.at(-1)?.question).toEqual({
      kind: 'logs',
      query: { before: 'a-1', limit: 5, direction: 'in', action: 'Reset', sinceMs: 1_000, untilMs: 3_600_000 },
    });
    await read({ entries: [], next: null }, '?cursor=&since=');
    expect(front.questions.at(-1)?.question).toEqual({ kind: 'logs', query: { limit: 20 } });
  });

  it.each([
    ['since=yesterday', 'since', 'must be an ISO 8601 timestamp with a time zone, such as 2026-11-14T10:00:00Z'],
    ['until=2026-11-14', 'until', 'must be an ISO 8601 timestamp with a time zone, such as 2026-11-14T10:00:00Z'],
    ['since=2016-12-31T23:59:60Z', 'since', 'must be a moment that exists'],
    ['cursor=a%20b', 'cursor', 'must be a next_cursor of an earlier answer'],
    ['limit=101', 'limit', 'must be <= 100'],
    ['direction=up', 'direction', 'must be one of in, out, internal'],
  ])('is 422 with %s', async (query, field, message) => {
    await create();
    const { status, body } = await read({ entries: [], next: null }, `?${query}`);
    expect(status).toBe(422);
    expect(body.errors).toEqual([{ field, message }]);
  });

  it('is empty when nobody has run the charger yet', async () => {
    await create();
    expect(await front.call('GET', '/ocpp/simulators/CP-1/logs')).toMatchObject({
      status: 200,
      body: { data: [], next_cursor: null },
    });
  });

  it('is 503 while its keeper does not answer', async () => {
    await create();
    front.answer = () => {
      throw new Failure('no_answer', 'inner words');
    };
    expect(await front.call('GET', '/ocpp/simulators/CP-1/logs')).toMatchObject({
      status: 503,
      body: { detail: 'the charger did not answer in time' },
      headers: { 'retry-after': '1' },
    });
  });
});
