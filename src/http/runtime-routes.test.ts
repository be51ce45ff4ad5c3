// Checks how chargers are started, stopped and restarted.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Front, startFront, tokenOf } from '../../test/http-front.ts';
import { Failure } from '../errors.ts';

let front: Front;
beforeAll(async () => {
  front = await startFront();
});
beforeEach(() => front.newTenant());
afterAll(() => front.close());

const create = async (autostart: boolean) => {
  const { body } = await front.call('POST', '/ocpp/chargers', { body: { identity: 'CP-1', autostart } });
  front.items.length = 0;
  return body.id;
};

/** What a charger answers of itself, or why it does not. */
const isNow = (actual: string) => () => {
  if (actual === 'not_running' || actual === 'no_answer') throw new Failure(actual);
  return { runtime: { actual } };
};

describe.each([
  ['start', 'stopped', 'not_running', 'starting', { desired: 'running', generation: 1 }],
  ['start', 'stopped', 'stopping', 'starting', { desired: 'running', generation: 1 }],
  ['start', 'stopped', 'no_answer', 'starting', { desired: 'running', generation: 1 }],
  ['start', 'running', 'crashed', 'starting', { desired: 'running', generation: 2 }],
  ['start', 'running', 'running', 'running', null],
  ['start', 'running', 'starting', 'starting', null],
  ['start', 'running', 'not_running', 'starting', null],
  ['stop', 'running', 'running', 'stopping', { desired: 'stopped', generation: 1 }],
  ['stop', 'running', 'starting', 'stopping', { desired: 'stopped', generation: 1 }],
  ['stop', 'running', 'no_answer', 'stopping', { desired: 'stopped', generation: 1 }],
  ['stop', 'running', 'not_running', 'stopped', { desired: 'stopped', generation: 1 }],
  ['stop', 'stopped', 'not_running', 'stopped', null],
  ['stop', 'stopped', 'stopped', 'stopped', null],
  ['stop', 'stopped', 'stopping', 'stopping', null],
  ['restart', 'running', 'running', 'starting', { desired: 'running', generation: 2 }],
  ['restart', 'running', 'no_answer', 'starting', { desired: 'running', generation: 2 }],
  ['restart', 'stopped', 'not_running', 'starting', { desired: 'running', generation: 2 }],
])('%s of a charger that shall be %s and is %s', (name, before, actual, becoming, changed) => {
  it(`answers ${becoming} and ${changed === null ? 'changes nothing' : 'tells its owner'}`, async () => {
    const id = await create(before === 'running');
    front.answer = isNow(actual);
    const { status, body } = await front.call('POST', `/ocpp/simulators/CP-1/${name}`);
    expect(status).toBe(202);
    expect(body).toEqual({ identity: 'CP-1', desired: name === 'stop' ? 'stopped' : 'running', actual: becoming });
    expect(await front.store.charger(front.org, id)).toMatchObject(changed ?? { desired: before, generation: 1 });
    expect(front.items).toEqual(changed === null ? [] : [{ kind: 'refresh', chargerId: id }]);
  });
});

describe.each(['start', 'stop', 'restart'])('%s', (name) => {
  it('is 404 when there is no such charger, and just so when it is another tenant’s', async () => {
    await create(true);
    const token = await tokenOf('other');
    for (const reply of [
      await front.call('POST', `/ocpp/simulators/CP-2/${name}`),
      await front.call('POST', `/ocpp/simulators/CP-1/${name}`, { token }),
    ]) {
      expect(reply).toMatchObject({ status: 404, body: { detail: /simulator CP-\d does not exist/ } });
    }
  });

  it('takes no body, an empty one or {}', async () => {
    await create(true);
    const path = `/ocpp/simulators/CP-1/${name}`;
    expect((await front.call('POST', path, { headers: { 'content-type': 'application/json' } })).status).toBe(202);
    expect((await front.call('POST', path, { body: {} })).status).toBe(202);
    for (const body of ['[1]', '7', '{"now":true}', '{']) {
      expect((await front.call('POST', path, { body })).status, body).toBe(422);
    }
  });
});
