// A CSMS restarts a 1.6 charger, opens its locks, and wants to hear things now.

import { describe, expect, it } from 'vitest';
import { booted, charging, type Payload, startMs, station, Talk } from '../../test/talk.ts';

const ask = (talk: Talk, action: string, payload: Payload): string => talk.ask(action, payload)['status'];
const fixedCable = () => {
  const plate = station();
  return { station: { ...plate, connectors: plate.connectors.map((spec) => ({ ...spec, hasLock: false })) } };
};

describe('Reset', () => {
  it.each([
    ['Soft', 2],
    ['Hard', 5],
  ] as const)('%s: answers, hangs up, is off for a while, boots and tells its statuses', async (type, offS) => {
    const talk = await booted('1.6');
    expect(ask(talk, 'Reset', { type })).toBe('Accepted');
    expect(talk.conversation.line.state).toBe('offline');
    talk.pass(offS - 1);
    expect(talk.dialled).toBe(false);
    talk.pass(1);
    expect(talk.dialled).toBe(true);
    expect(talk.reconnect().saidInShort()).toEqual([
      'BootNotification',
      'StatusNotification 0 Available',
      'StatusNotification 1 Available',
    ]);
  });

  it.each(['Soft', 'Hard'] as const)('%s: ends the transaction first and lets the CSMS hear of it', async (type) => {
    const talk = await charging('1.6');
    expect(ask(talk, 'Reset', { type })).toBe('Accepted');
    expect(talk.saidInShort()).toEqual([`StopTransaction ${type}Reset`, 'StatusNotification 1 Finishing']);
    expect(talk.conversation.line.state).toBe('offline');
    expect(talk.pass(5).reconnect().saidInShort()).toEqual([
      'BootNotification',
      'StatusNotification 0 Available',
      'StatusNotification 1 Finishing',
    ]);
  });

  it('does not wait for ever for a CSMS that does not answer; the message is told after the boot', async () => {
    const talk = await charging('1.6');
    talk.answers = { StopTransaction: () => null };
    ask(talk, 'Reset', { type: 'Soft' });
    expect(talk.saidInShort()).toEqual(['StopTransaction SoftReset']);
    talk.pass(29);
    expect(talk.conversation.line.state).toBe('connected');
    talk.pass(1);
    expect(talk.conversation.line.state).toBe('offline');
    talk.answers = {};
    talk.said();
    expect(talk.pass(2).reconnect().saidInShort().at(-1)).toBe('StopTransaction SoftReset');
  });

  it('that fails is tried again as often as it may be, and then not any more', async () => {
    const stuck = { evse_id: 0, connector_id: 0, error_code: 'ResetFailure' };
    const talk = await booted('1.6');
    talk.command('inject-fault', stuck);
    expect(ask(talk, 'Reset', { type: 'Hard' })).toBe('Accepted');
    talk.pass(9);
    expect(talk.conversation.line.restart).not.toBeNull();
    talk.pass(1);
    expect(talk.conversation.line.restart).toBeNull();
    ask(talk, 'Reset', { type: 'Hard' });
    talk.command('clear-fault', { evse_id: 0, connector_id: 0 });
    talk.pass(10);
    expect(talk.conversation.line.state).toBe('offline');
  });

  it('never repeats a message id of the life before', async () => {
    const talk = await booted('1.6');
    ask(talk, 'Reset', { type: 'Soft' });
    talk.pass(2).reconnect();
    const ids = talk.texts.map((text) => JSON.parse(text)).filter(([type]) => type === 2);
    expect(new Set(ids.map(([, id]) => id)).size).toBe(ids.length);
  });
});

describe('UnlockConnector', () => {
  it('releases a socket', async () => {
    const talk = await booted('1.6');
    talk.command('plug-connector');
    expect(ask(talk, 'UnlockConnector', { connectorId: 1 })).toBe('Unlocked');
    expect(talk.conversation.charger.connectors[0]?.locked).toBe(false);
  });

  it('ends a transaction, after its answer', async () => {
    const talk = await charging('1.6');
    expect(ask(talk, 'UnlockConnector', { connectorId: 1 })).toBe('Unlocked');
    expect(talk.saidInShort()).toEqual(['StopTransaction UnlockCommand', 'StatusNotification 1 Finishing']);
  });

  it('is not possible where there is no lock or no connector; a transaction goes on', async () => {
    const talk = await charging('1.6', fixedCable());
    expect(ask(talk, 'UnlockConnector', { connectorId: 1 })).toBe('NotSupported');
    expect(ask(talk, 'UnlockConnector', { connectorId: 9 })).toBe('NotSupported');
    expect(talk.request('UnlockConnector', { connectorId: 0 })?.[2]).toEqual({ status: 'NotSupported' });
    expect(talk.saidInShort()).toEqual([]);
  });

  it('fails while the lock is jammed, and the transaction goes on', async () => {
    const talk = await charging('1.6');
    talk.command('inject-fault', { error_code: 'ConnectorLockFailure', blocking: false });
    expect(talk.saidInShort()).toEqual(['StatusNotification 1 Charging ConnectorLockFailure']);
    expect(ask(talk, 'UnlockConnector', { connectorId: 1 })).toBe('UnlockFailed');
    expect(talk.saidInShort()).toEqual([]);
  });
});

describe('TriggerMessage', () => {
  const two = { station: station({ connectorCount: 2 }) };
  const trigger = (talk: Talk, requestedMessage: string, connectorId?: number): string =>
    ask(talk, 'TriggerMessage', { requestedMessage, ...(connectorId === undefined ? {} : { connectorId }) });

  it('brings forth the message, after the answer', async () => {
    const talk = await booted('1.6', two);
    expect(trigger(talk, 'Heartbeat')).toBe('Accepted');
    expect(talk.saidInShort()).toEqual(['Heartbeat']);
    expect(trigger(talk, 'BootNotification')).toBe('Accepted');
    expect(talk.saidInShort()).toEqual(['BootNotification']);
    expect(trigger(talk, 'StatusNotification', 2)).toBe('Accepted');
    expect(talk.saidInShort()).toEqual(['StatusNotification 2 Available']);
    expect(trigger(talk, 'StatusNotification', 0)).toBe('Accepted');
    expect(talk.saidInShort()).toEqual(['StatusNotification 0 Available']);
    expect(trigger(talk, 'StatusNotification')).toBe('Accepted');
    expect(talk.saidInShort()).toEqual([
      'StatusNotification 0 Available',
      'StatusNotification 1 Available',
      'StatusNotification 2 Available',
    ]);
  });

  it('of meter values gives a sample of what is asked for, in a transaction with its number', async () => {
    const talk = await charging('1.6', two);
    expect(trigger(talk, 'MeterValues', 1)).toBe('Accepted');
    const [values] = talk.said();
    expect(values?.payload).toMatchObject({ connectorId: 1, transactionId: 1 });
    expect(values?.payload['meterValue'][0].sampledValue[0].context).toBe('Trigger');
    expect(trigger(talk, 'MeterValues', 2)).toBe('Accepted');
    const [idle] = talk.said();
    expect(idle?.payload['connectorId']).toBe(2);
    expect(idle?.payload['transactionId']).toBeUndefined();
  });

  it('is rejected for a connector that does not exist', async () => {
    const talk = await booted('1.6');
    expect(trigger(talk, 'StatusNotification', 9)).toBe('Rejected');
    expect(trigger(talk, 'MeterValues', 9)).toBe('Rejected');
    expect(talk.saidInShort()).toEqual([]);
  });

  it('of meter values is rejected where nothing is to be measured', async () => {
    const talk = await booted('1.6');
    talk.ask('ChangeConfiguration', { key: 'MeterValuesSampledData', value: '' });
    expect(trigger(talk, 'MeterValues')).toBe('Rejected');
    expect(talk.saidInShort()).toEqual([]);
  });

  it('is heard while the CSMS lets the charger wait, and then only what was asked for is said', async () => {
    let status = 'Pending';
    const BootNotification = () => ({ status, currentTime: new Date(startMs).toISOString(), interval: 600 });
    const talk = await Talk.with('1.6', { answers: { BootNotification } });
    talk.connect().said();
    expect(trigger(talk, 'StatusNotification', 1)).toBe('Accepted');
    expect(talk.saidInShort()).toEqual(['StatusNotification 1 Available']);
    talk.command('plug-connector');
    expect(talk.saidInShort()).toEqual([]);
    status = 'Accepted';
    expect(trigger(talk, 'BootNotification')).toBe('Accepted');
    expect(talk.saidInShort()).toEqual([
      'BootNotification',
      'StatusNotification 0 Available',
      'StatusNotification 1 Preparing',
    ]);
    expect(talk.pass(601).saidInShort()).not.toContain('BootNotification');
  });
});
