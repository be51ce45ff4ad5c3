// The charger's clock follows its CSMS: what it says from then on is dated by it.

import { describe, expect, it } from 'vitest';
import { charging, startMs, Talk, versions } from '../../test/talk.ts';

const hourMs = 3_600_000;

for (const version of versions) {
  describe(`OCPP ${version}: the clock`, () => {
    it('is set by the boot, and dates statuses and samples', async () => {
      const currentTime = new Date(startMs + hourMs).toISOString();
      const BootNotification = () => ({ status: 'Accepted', currentTime, interval: 300 });
      const talk = await Talk.with(version, { answers: { BootNotification } });
      talk.connect().said();
      talk.pass(10).command('start-session', { id_tag: 'A' });
      const dates = talk.said().flatMap(({ payload }) => payload['timestamp'] ?? []);
      expect(new Set(dates)).toEqual(new Set([new Date(startMs + hourMs + 10_000).toISOString()]));
      const sample = talk.pass(60).said().at(-1)?.payload['meterValue'][0].timestamp;
      expect(sample).toBe(new Date(startMs + hourMs + 70_000).toISOString());
    });

    it('is set by a heartbeat; what waits to be told keeps its time', async () => {
      const talk = await charging(version);
      talk.cut().pass(10).command('stop-session');
      const stoppedMs = talk.nowMs;
      talk.answers = { StopTransaction: () => 'InternalError', TransactionEvent: () => 'InternalError' };
      talk.pass(20).reconnect().said();
      talk.answers = { Heartbeat: () => ({ currentTime: new Date(talk.nowMs - hourMs).toISOString() }) };
      talk.command('set-configuration', longRetries(version));
      talk.command('proxy-message', { action: 'Heartbeat', payload: {}, validate: true });
      talk.pass(4_000);
      const told = talk.said().find(({ action }) => action === 'StopTransaction' || action === 'TransactionEvent');
      expect(told?.payload['timestamp']).toBe(new Date(stoppedMs).toISOString());
      talk.command('plug-connector');
      const status = talk.said().at(-1);
      expect(status?.payload['timestamp']).toBe(new Date(talk.nowMs - hourMs).toISOString());
    });

    it('does not follow the time that an answer takes, nor one that nobody can read', async () => {
      const talk = await charging(version, { unchecked: true });
      for (const currentTime of [new Date(startMs + 300_900).toISOString(), 'half past ten']) {
        talk.answers = { Heartbeat: () => ({ currentTime }) };
        talk.pass(300);
        expect(talk.conversation.charger.clockOffsetMs).toBe(0);
      }
    });
  });
}

const longRetries = (version: string) =>
  version === '1.6'
    ? { key: 'TransactionMessageRetryInterval', value: '1000' }
    : { component: 'OCPPCommCtrlr', variable: 'MessageAttemptInterval', value: '1000' };

describe('OCPP 1.6: readings on the clock', () => {
  it('begin their interval anew when the clock is set, with what the registers show then', async () => {
    const talk = await charging('1.6');
    talk.command('set-configuration', { key: 'ClockAlignedDataInterval', value: '3600' });
    talk.command('set-configuration', { key: 'MeterValueSampleInterval', value: '0' });
    talk.answers = { Heartbeat: () => ({ currentTime: new Date(talk.nowMs + 60_000).toISOString() }) };
    while (talk.conversation.charger.clockOffsetMs === 0) talk.pass(10);
    const { aligned, connectors } = talk.conversation.charger;
    expect(connectors[0]?.meterWh).toBeGreaterThan(0);
    expect(aligned?.registersWh[0]).toBe(Math.floor(connectors[0]?.meterWh ?? Number.NaN));
    expect(connectors[0]?.meteredAtMs).toBeGreaterThan(talk.nowMs - 11_000);
  });
});
