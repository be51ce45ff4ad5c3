// Calls of the CSMS to a charger.
import { afterEach, describe, expect, it } from 'vitest';
import { BareClient } from './bare-client.ts';
import { Csms } from './csms.ts';
import { Recorder } from './recorder.ts';

const opened: Csms[] = [];
afterEach(() => Promise.all(opened.splice(0).map((csms) => csms.close())));

async function connected(protocol: string) {
  const recorder = new Recorder();
  let messageCount = 0;
  const csms = new Csms({
    reserveTransactionIds: async () => 1,
    now: Date.now,
    newMessageId: () => `csms-${++messageCount}`,
    onFrame: recorder.onFrame,
  });
  opened.push(csms);
  const client = await BareClient.connect(`${await csms.listen(0)}/acme/CP-1`, protocol);
  return { csms, recorder, client };
}

describe('a call', () => {
  it('resolves to the answer', async () => {
    const { csms, recorder, client } = await connected('ocpp1.6');
    const answer = csms.call('acme', 'CP-1', 'Reset', { type: 'Soft' });
    expect(await client.next()).toBe('[2,"csms-1","Reset",{"type":"Soft"}]');
    client.send([3, 'csms-1', { status: 'Accepted' }]);
    expect(await answer).toEqual({ status: 'Accepted' });
    expect(recorder.violations()).toEqual([]);
  });

  it('rejects with the code and the description of an error', async () => {
    const { csms, client } = await connected('ocpp2.0.1');
    const answer = csms.call('acme', 'CP-1', 'ClearCache', {});
    await client.next();
    client.send([4, 'csms-1', 'NotSupported', 'no cache', {}]);
    await expect(answer).rejects.toMatchObject({
      code: 'NotSupported',
      description: 'no cache',
      message: 'NotSupported: no cache',
    });
  });

  it('waits until the one before it is answered, while calls of the charger are served', async () => {
    const { csms, client } = await connected('ocpp1.6');
    const answers = Promise.allSettled(
      [1, 2, 3].map((connectorId) => csms.call('acme', 'CP-1', 'UnlockConnector', { connectorId })),
    );
    expect(await client.next()).toContain('"connectorId":1');
    expect(await client.call('Heartbeat')).toHaveProperty('payload.currentTime');
    client.send([3, 'csms-1', { status: 'Unlocked' }]);
    expect(await client.next()).toContain('"connectorId":2');
    client.send([4, 'csms-2', 'InternalError', '', {}]);
    expect(await client.next()).toContain('"connectorId":3');
    client.send([3, 'csms-3', { status: 'NotSupported' }]);
    expect(await answers).toMatchObject([
      { value: { status: 'Unlocked' } },
      { reason: { message: 'InternalError' } },
      { value: { status: 'NotSupported' } },
    ]);
  });

  it('gives up after its time, and an answer that comes late is no violation', async () => {
    const { csms, recorder, client } = await connected('ocpp1.6');
    await expect(csms.call('acme', 'CP-1', 'ClearCache', {}, 20)).rejects.toMatchObject({ code: 'Timeout' });
    await client.next();
    client.send([3, 'csms-1', { status: 'Accepted' }]);
    await client.call('Heartbeat');
    expect(recorder.violations()).toEqual([]);
    client.send([3, 'never-asked', {}]);
    await client.call('Heartbeat');
    expect(recorder.violations()).toMatchObject([{ problem: 'answers no open call' }]);
  });

  it('rejects when the charger goes away, also those in line', async () => {
    const { csms, client } = await connected('ocpp1.6');
    const answers = [csms.call('acme', 'CP-1', 'ClearCache', {}), csms.call('acme', 'CP-1', 'ClearCache', {})];
    await client.next();
    client.socket.terminate();
    for (const { status, reason } of (await Promise.allSettled(answers)) as PromiseRejectedResult[]) {
      expect([status, reason.code]).toEqual(['rejected', 'Disconnected']);
    }
    await expect(csms.call('acme', 'CP-1', 'ClearCache', {})).rejects.toMatchObject({ code: 'NotConnected' });
  });

  it('rejects at once when a hundred others wait', async () => {
    const { csms } = await connected('ocpp1.6');
    const answers = Array.from({ length: 102 }, () => csms.call('acme', 'CP-1', 'ClearCache', {}));
    await expect(answers[101]).rejects.toMatchObject({ code: 'TooManyCalls' });
    csms.disconnect('acme', 'CP-1', 'drop');
    const codes = (await Promise.allSettled(answers)).map((result) => (result as PromiseRejectedResult).reason.code);
    expect(codes.filter((code) => code === 'Disconnected')).toHaveLength(101);
  });

  it('rejects when the answer does not fit its schema, which a 2.1 charger is told', async () => {
    for (const protocol of ['ocpp1.6', 'ocpp2.1']) {
      const { csms, recorder, client } = await connected(protocol);
      const answer = csms.call('acme', 'CP-1', 'ClearCache', {});
      await client.next();
      client.send([3, 'csms-1', { status: 'Perhaps' }]);
      await expect(answer).rejects.toMatchObject({ code: 'BadAnswer' });
      expect(recorder.violations()).toMatchObject([{ direction: 'in', problem: expect.stringContaining('status') }]);
      if (protocol === 'ocpp2.1') {
        expect(JSON.parse(await client.next()).slice(0, 3)).toEqual([5, 'csms-1', 'PropertyConstraintViolation']);
      } else {
        expect(await client.call('Heartbeat')).toHaveProperty('payload');
      }
    }
  });

  it('goes out even when it is wrong, and is reported', async () => {
    const { csms, recorder, client } = await connected('ocpp1.6');
    const answer = csms.call('acme', 'CP-1', 'Dance', {});
    expect(await client.next()).toBe('[2,"csms-1","Dance",{}]');
    client.send([4, 'csms-1', 'NotImplemented', '', {}]);
    await expect(answer).rejects.toMatchObject({ code: 'NotImplemented' });
    expect(recorder.violations()).toMatchObject([{ direction: 'out', problem: 'action Dance is not known' }]);
  });

  it('is not needed to send any text at all', async () => {
    const { csms, client } = await connected('ocpp1.6');
    expect(csms.sendRaw('acme', 'CP-1', '{broken')).toBe(true);
    expect(await client.next()).toBe('{broken');
    expect(csms.sendRaw('acme', 'CP-2', '{broken')).toBe(false);
  });
});
