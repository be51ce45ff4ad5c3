// What breaks on a 1.6 charger, what of it stops a connector, and what is left when it is mended.

import { describe, expect, it } from 'vitest';
import { booted, charging, station } from '../../test/talk.ts';
import { faultKinds } from './faults.ts';

const codes = Object.keys(faultKinds);
const stopping = codes.filter((code) => faultKinds[code]?.blocking);
const warnings = codes.filter((code) => !faultKinds[code]?.blocking && code !== 'EVCommunicationError');
const wire = (code: string): string => (code === 'EmergencyStop' ? 'OtherError' : code);

describe('a fault', () => {
  it.each(stopping)(
    '%s stops the connector and ends its transaction; the cable is still in afterwards',
    async (code) => {
      const talk = await charging('1.6');
      talk.command('inject-fault', { error_code: code });
      const reason = code === 'EmergencyStop' ? 'EmergencyStop' : 'Other';
      expect(talk.saidInShort()).toEqual([`StatusNotification 1 Faulted ${wire(code)}`, `StopTransaction ${reason}`]);
      talk.command('clear-fault', { error_code: code });
      expect(talk.saidInShort()).toEqual(['StatusNotification 1 Finishing']);
    },
  );

  it.each(warnings)('%s only warns: the status stays, the transaction goes on', async (code) => {
    const talk = await charging('1.6');
    talk.command('inject-fault', { error_code: code });
    expect(talk.saidInShort()).toEqual([`StatusNotification 1 Charging ${code}`]);
    talk.command('clear-fault', { error_code: code });
    expect(talk.saidInShort()).toEqual(['StatusNotification 1 Charging']);
  });

  it('EVCommunicationError pauses the transaction, and no energy flows until it is over', async () => {
    const talk = await charging('1.6');
    talk.command('inject-fault', { error_code: 'EVCommunicationError' });
    expect(talk.saidInShort()).toEqual(['StatusNotification 1 SuspendedEVSE EVCommunicationError']);
    const { meterWh } = talk.conversation.charger.connectors[0] ?? {};
    talk.pass(600);
    expect(talk.conversation.charger.connectors[0]?.meterWh).toBe(meterWh);
    talk.said();
    talk.command('clear-fault', {});
    expect(talk.saidInShort()).toEqual(['StatusNotification 1 Charging']);
  });

  it('that is the newest of several is the one that shows', async () => {
    const talk = await booted('1.6');
    talk.command('inject-fault', { error_code: 'GroundFailure' });
    talk.command('inject-fault', { error_code: 'OverVoltage' });
    talk.said();
    talk.command('clear-fault', { error_code: 'OverVoltage' });
    expect(talk.saidInShort()).toEqual(['StatusNotification 1 Faulted GroundFailure']);
    talk.command('clear-fault', { error_code: 'GroundFailure' });
    expect(talk.saidInShort()).toEqual(['StatusNotification 1 Available']);
  });

  it('keeps drivers away without asking the CSMS', async () => {
    const talk = await booted('1.6');
    talk.command('inject-fault', { error_code: 'GroundFailure' });
    talk.said();
    const outcome = talk.command('authorize', { id_tag: 'A', id_token_type: 'ISO14443' });
    expect(outcome?.failure).toMatchObject({ refused: 'faulted' });
    expect(talk.saidInShort()).toEqual([]);
  });

  it('of one connector leaves the other alone', async () => {
    const talk = await charging('1.6', { station: station({ connectorCount: 2 }) });
    talk.command('inject-fault', { error_code: 'GroundFailure', evse_id: 2, connector_id: 1 });
    expect(talk.saidInShort()).toEqual(['StatusNotification 2 Faulted GroundFailure']);
  });

  it('is gone after a restart, and with it the reason to be faulted', async () => {
    const talk = await booted('1.6');
    talk.command('inject-fault', { error_code: 'InternalError', evse_id: 0, connector_id: 0 });
    talk.request('Reset', { type: 'Hard' });
    talk.said();
    expect(talk.pass(5).reconnect().saidInShort()).toEqual([
      'BootNotification',
      'StatusNotification 0 Available',
      'StatusNotification 1 Available',
    ]);
  });

  it('lets the availability be changed underneath', async () => {
    const talk = await booted('1.6');
    talk.command('inject-fault', { error_code: 'GroundFailure' });
    talk.said();
    expect(talk.request('ChangeAvailability', { connectorId: 1, type: 'Inoperative' })?.[2]).toEqual({
      status: 'Accepted',
    });
    expect(talk.saidInShort()).toEqual([]);
    talk.command('clear-fault', {});
    expect(talk.saidInShort()).toEqual(['StatusNotification 1 Unavailable']);
  });
});
