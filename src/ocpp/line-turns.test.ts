// What a charger does on its line by itself: heartbeats, and the silence while the line goes down.

import { describe, expect, it } from 'vitest';
import { booted, versions } from '../../test/talk.ts';
import { wakeAtMs } from './line-turns.ts';

describe.each(versions)('OCPP %s: the line', (version) => {
  it('that is being closed wants no heartbeats and no retries, however long that takes', async () => {
    const breaks = ['heartbeats come after the interval without a call, and not sooner'];
    const talk = await booted(version, { breaks });
    const { conversation } = talk;
    talk.conversation = { ...conversation, line: { ...conversation.line, redial: true } };
    talk.pass(3_600);
    expect(talk.said()).toEqual([]);
    expect(talk.conversation.outbox.queue).toEqual([]);
    expect(wakeAtMs(talk.conversation)).toBeGreaterThan(talk.nowMs);
  });

  it('is not asked for a heartbeat when there is something else to say at that moment', async () => {
    const talk = await booted(version);
    const event =
      version === '1.6'
        ? { key: 'ClockAlignedDataInterval', value: '300' }
        : { component: 'AlignedDataCtrlr', variable: 'Interval', value: '300' };
    talk.command('set-configuration', event);
    talk.pass(3_000);
    expect(talk.saidInShort().filter((said) => said === 'Heartbeat')).toEqual([]);
  });
});
