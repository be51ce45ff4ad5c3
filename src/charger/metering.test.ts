// Meter values on the wire: what is sampled when, in which words, and what each setting does to it.

import { describe, expect, it } from 'vitest';
import { result } from '../../test/profiles.ts';
import { booted, charging, type Payload, type SentCall, startMs, station, Talk } from '../../test/talk.ts';
import { maxCollected } from './metering.ts';
import { connectorKind } from './station.ts';

const configure = (talk: Talk, key: string, value: string): void => {
  expect(talk.command('set-configuration', { key, value })?.failure).toBeNull();
};

const meterValues = (talk: Talk): SentCall[] => talk.said().filter(({ action }) => action === 'MeterValues');

/** `L1 Current.Import 16 A` for each value of a sample. */
const inWords = (sample: Payload): string[] =>
  sample['sampledValue'].map((value: Payload) =>
    [value['phase'], value['measurand'], value['value'], value['unit']].filter((word) => word !== undefined).join(' '),
  );

const contexts = (samples: Payload[]): string[] =>
  samples.flatMap((sample) => [...new Set<string>(sample['sampledValue'].map((value: Payload) => value['context']))]);

const secondsIn = (timestamp: string): number => (Date.parse(timestamp) - startMs) / 1000;

describe('sampled meter values', () => {
  it('come every interval of a transaction, all measurands of one moment together', async () => {
    const talk = await charging('1.6');
    configure(talk, 'MeterValueSampleInterval', '10');
    const sent = meterValues(talk.pass(30));
    expect(sent.map(({ payload }) => secondsIn(payload['meterValue'][0].timestamp))).toEqual([10, 20, 30]);
    expect(sent[0]?.payload).toMatchObject({ connectorId: 1, transactionId: 1 });
    expect(sent[0]?.payload['meterValue']).toHaveLength(1);
    expect(inWords(sent[0]?.payload['meterValue'][0])).toEqual([
      'Energy.Active.Import.Register 61 Wh',
      'Power.Active.Import 22000 W',
      'L1 Current.Import 31.88 A',
      'L2 Current.Import 31.88 A',
      'L3 Current.Import 31.88 A',
      'L1-N Voltage 230 V',
      'L2-N Voltage 230 V',
      'L3-N Voltage 230 V',
      'SoC 20 Percent',
    ]);
    expect(contexts(sent[0]?.payload['meterValue'])).toEqual(['Sample.Periodic']);
  });

  it('are what MeterValuesSampledData lists, in its order, and none for an empty list', async () => {
    const talk = await charging('1.6');
    configure(
      talk,
      'MeterValuesSampledData',
      'SoC,Power.Offered,Current.Offered,Frequency,Power.Factor,Temperature,Power.Active.Export,Power.Reactive.Import,Energy.Active.Import.Interval',
    );
    expect(inWords(meterValues(talk.pass(60))[0]?.payload['meterValue'][0])).toEqual([
      'SoC 20 Percent',
      'Power.Offered 22000 W',
      'Current.Offered 31.9 A',
      'Frequency 50',
      'Power.Factor 1',
      'Temperature 45 Celsius',
      'Power.Active.Export 0 W',
      'Power.Reactive.Import 0 var',
      'Energy.Active.Import.Interval 366 Wh',
    ]);
    configure(talk, 'MeterValuesSampledData', '');
    expect(meterValues(talk.pass(300))).toEqual([]);
  });

  it('of one phase alone come when that phase is listed', async () => {
    const talk = await booted('1.6');
    talk.command('start-session', { id_tag: 'A', ev: { phases: 2 } });
    configure(
      talk,
      'MeterValuesSampledData',
      'Voltage.L2-N,Voltage.L1,Current.Import.L1,Current.Import.L3,Power.Active.Import.L2,Power.Active.Import.L3',
    );
    expect(inWords(meterValues(talk.pass(60))[0]?.payload['meterValue'][0])).toEqual([
      'L2-N Voltage 230 V',
      'L1-N Voltage 230 V',
      'L1 Current.Import 31.88 A',
      'L3 Current.Import 0 A',
      'L2 Power.Active.Import 7333 W',
      'L3 Power.Active.Import 0 W',
    ]);
  });

  it('the energies of the intervals add up to the register', async () => {
    const talk = await charging('1.6');
    configure(talk, 'MeterValuesSampledData', 'Energy.Active.Import.Register,Energy.Active.Import.Interval');
    configure(talk, 'MeterValueSampleInterval', '7');
    const values = meterValues(talk.pass(700)).map(({ payload }) =>
      payload['meterValue'][0].sampledValue.map((value: Payload) => Number(value['value'])),
    );
    expect(values).toHaveLength(100);
    expect(values.reduce((sum, [, interval]) => sum + interval, 0)).toBe(values.at(-1)?.[0]);
  });

  it('of a DC outlet without a car show no voltage', async () => {
    const kind = connectorKind('CCS2', 150_000);
    const connectors = [{ evseId: 1, connectorId: 1, type: 'CCS2', ...kind, hasLock: false, maxPowerW: 150_000 }];
    const talk = await booted('1.6', { station: station({ maxPowerW: 150_000, connectors }) });
    talk.request('TriggerMessage', { requestedMessage: 'MeterValues', connectorId: 1 });
    expect(inWords(meterValues(talk)[0]?.payload['meterValue'][0])).toEqual([
      'Energy.Active.Import.Register 0 Wh',
      'Power.Active.Import 0 W',
      'Current.Import 0 A',
      'Voltage 0 V',
    ]);
  });
});

describe('clock-aligned meter values', () => {
  it('come at the multiples of the interval since midnight, whether anybody charges or not', async () => {
    const talk = await booted('1.6');
    talk.pass(100);
    configure(talk, 'ClockAlignedDataInterval', '900');
    const idle = meterValues(talk.pass(1_800));
    expect(idle.map(({ payload }) => secondsIn(payload['meterValue'][0].timestamp))).toEqual([900, 1_800]);
    expect(idle[0]?.payload).toEqual({
      connectorId: 1,
      meterValue: [
        {
          timestamp: new Date(startMs + 900_000).toISOString(),
          sampledValue: [
            { value: '0', context: 'Sample.Clock', measurand: 'Energy.Active.Import.Register', unit: 'Wh' },
          ],
        },
      ],
    });
    talk.command('start-session', { id_tag: 'A' });
    configure(talk, 'MeterValueSampleInterval', '0');
    const busy = meterValues(talk.pass(900));
    expect(busy).toHaveLength(1);
    expect(busy[0]?.payload).toMatchObject({ transactionId: 1 });
    configure(talk, 'ClockAlignedDataInterval', '0');
    expect(meterValues(talk.pass(1_800))).toEqual([]);
  });

  it('come from every connector, and from the main meter where there are several', async () => {
    const talk = await booted('1.6', { station: station({ connectorCount: 2, maxPowerW: 22_000 }) });
    configure(talk, 'MeterValuesAlignedData', 'Energy.Active.Import.Register,Power.Active.Import,Current.Import,SoC');
    configure(talk, 'ClockAlignedDataInterval', '600');
    talk.command('start-session', { id_tag: 'A', evse_id: 1 });
    talk.command('start-session', { id_tag: 'B', evse_id: 2, ev: { phases: 1 } });
    const sent = meterValues(talk.pass(600)).filter(
      ({ payload }) => contexts(payload['meterValue'])[0] === 'Sample.Clock',
    );
    expect(sent.map(({ payload }) => [payload['connectorId'], payload['transactionId']])).toEqual([
      [0, undefined],
      [1, 1],
      [2, 2],
    ]);
    expect(inWords(sent[0]?.payload['meterValue'][0])).toEqual([
      'Energy.Active.Import.Register 3666 Wh',
      'Power.Active.Import 22000 W',
      'L1 Current.Import 53.14 A',
      'L2 Current.Import 21.26 A',
      'L3 Current.Import 21.26 A',
    ]);
    expect(sent[0]?.payload['meterValue'][0].sampledValue[0].location).toBe('Inlet');
  });

  it('wait in the queue when they are of a transaction and the line is down; the others are not made up for', async () => {
    const talk = await booted('1.6', { station: station({ connectorCount: 2, maxPowerW: 22_000 }) });
    configure(talk, 'ClockAlignedDataInterval', '600');
    configure(talk, 'MeterValueSampleInterval', '0');
    talk.command('start-session', { id_tag: 'A' });
    talk.cut().pass(1_200).said();
    talk.reconnect();
    const sent = meterValues(talk);
    expect(sent.map(({ payload }) => payload['connectorId'])).toEqual([1, 1]);
    expect(sent.map(({ payload }) => secondsIn(payload['meterValue'][0].timestamp))).toEqual([600, 1_200]);
  });

  it('go on after a power cut and after a sleep', async () => {
    const talk = await booted('1.6');
    configure(talk, 'ClockAlignedDataInterval', '600');
    talk.command('start-session', { id_tag: 'A' });
    talk.powerCut().said();
    expect(meterValues(talk.pass(600))).toHaveLength(1);
    talk.sleepAndWake(300).said();
    expect(meterValues(talk.pass(300))).toHaveLength(1);
  });

  it('tell the energy since the last of them', async () => {
    const talk = await booted('1.6');
    configure(talk, 'MeterValuesAlignedData', 'Energy.Active.Import.Interval');
    configure(talk, 'ClockAlignedDataInterval', '600');
    configure(talk, 'MeterValueSampleInterval', '0');
    talk.pass(300).command('start-session', { id_tag: 'A' });
    const values = meterValues(talk.pass(1_500)).map(({ payload }) => inWords(payload['meterValue'][0])[0]);
    expect(values).toEqual([
      'Energy.Active.Import.Interval 1833 Wh',
      'Energy.Active.Import.Interval 3667 Wh',
      'Energy.Active.Import.Interval 3666 Wh',
    ]);
  });
});

describe('the data of a transaction at its end', () => {
  const stopped = (talk: Talk): Payload | undefined =>
    talk.said().find(({ action }) => action === 'StopTransaction')?.payload;

  it('is left out unless it is asked for', async () => {
    const talk = await charging('1.6');
    talk.pass(600).command('stop-session');
    expect(stopped(talk)).not.toHaveProperty('transactionData');
  });

  it('holds the beginning, a sample of every interval, those on the clock, and the end', async () => {
    const talk = await booted('1.6');
    configure(talk, 'StopTxnSampledData', 'Energy.Active.Import.Register,SoC');
    configure(talk, 'StopTxnAlignedData', 'Voltage');
    configure(talk, 'ClockAlignedDataInterval', '120');
    talk.pass(30).command('start-session', { id_tag: 'A' });
    talk.pass(150).command('stop-session');
    const stop = stopped(talk);
    const data = stop?.['transactionData'] as Payload[];
    expect(contexts(data)).toEqual([
      'Transaction.Begin',
      'Sample.Periodic',
      'Sample.Clock',
      'Sample.Periodic',
      'Transaction.End',
    ]);
    expect(data.map((sample) => secondsIn(sample['timestamp']))).toEqual([30, 90, 120, 150, 180]);
    expect(inWords(data[0] as Payload)).toEqual(['Energy.Active.Import.Register 0 Wh', 'SoC 20 Percent']);
    expect(data.at(-1)?.['sampledValue'][0].value).toBe(String(stop?.['meterStop']));
    expect(inWords(data[2] as Payload)[0]).toBe('L1-N Voltage 230 V');
  });

  it('is thinned out when it grows too long, and keeps its beginning and its end', async () => {
    const talk = await booted('1.6');
    configure(talk, 'StopTxnSampledData', 'Energy.Active.Import.Register');
    configure(talk, 'MeterValueSampleInterval', '10');
    talk.command('start-session', { id_tag: 'A', ev: { max_power_w: 100 } });
    talk.pass(3_000).command('stop-session');
    const data = stopped(talk)?.['transactionData'] as Payload[];
    expect(data.length).toBeGreaterThan(maxCollected / 2);
    expect(data.length).toBeLessThanOrEqual(maxCollected + 1);
    expect([contexts(data).at(0), contexts(data).at(-1)]).toEqual(['Transaction.Begin', 'Transaction.End']);
  });

  it('tells where the power was cut', async () => {
    const talk = await booted('1.6');
    configure(talk, 'StopTxnSampledData', 'Energy.Active.Import.Register');
    talk.command('start-session', { id_tag: 'A' });
    talk.pass(90).powerCut();
    const stop = stopped(talk);
    expect(stop?.['reason']).toBe('PowerLoss');
    expect(contexts(stop?.['transactionData'])).toEqual([
      'Transaction.Begin',
      'Sample.Periodic',
      'Interruption.Begin',
      'Transaction.End',
    ]);
  });
});

describe('meter values on demand', () => {
  it('are of the transaction where one runs, and of the connector alone elsewhere', async () => {
    const talk = await booted('1.6', { station: station({ connectorCount: 2 }) });
    talk.command('start-session', { id_tag: 'A' });
    talk.pass(5).said();
    talk.request('TriggerMessage', { requestedMessage: 'MeterValues', connectorId: 1 });
    talk.request('TriggerMessage', { requestedMessage: 'MeterValues', connectorId: 2 });
    const sent = meterValues(talk);
    expect(sent.map(({ payload }) => [payload['connectorId'], payload['transactionId']])).toEqual([
      [1, 1],
      [2, undefined],
    ]);
    expect(sent.flatMap(({ payload }) => contexts(payload['meterValue']))).toEqual(['Trigger', 'Trigger']);
  });

  it('are refused where nothing can be measured: not even in a transaction is a battery seen that has gone', async () => {
    const talk = await booted('1.6');
    configure(talk, 'StopTransactionOnEVSideDisconnect', 'false');
    configure(talk, 'MeterValuesSampledData', 'SoC');
    talk.command('start-session', { id_tag: 'A' });
    const demand = { requestedMessage: 'MeterValues', connectorId: 1 };
    expect(talk.ask('TriggerMessage', demand)).toEqual({ status: 'Accepted' });
    talk.command('unplug-connector');
    expect(talk.ask('TriggerMessage', demand)).toEqual({ status: 'Rejected' });
  });
});

describe('what the CSMS configures', () => {
  const change = (talk: Talk, key: string, value: string): string =>
    result(talk.request('ChangeConfiguration', { key, value }))['status'];

  it('has its effect at once, and only what the meters can measure is taken', async () => {
    const talk = await charging('1.6');
    expect(change(talk, 'ClockAlignedDataInterval', '60')).toBe('Accepted');
    expect(change(talk, 'MeterValueSampleInterval', '0')).toBe('Accepted');
    expect(change(talk, 'MeterValuesAlignedData', 'Power.Active.Import,Voltage.L1-N')).toBe('Accepted');
    expect(change(talk, 'MeterValuesAlignedData', 'Power.Active.Import,RPM')).toBe('Rejected');
    expect(change(talk, 'MeterValuesAlignedDataMaxLength', '30')).toBe('Rejected');
    const many = Array.from({ length: 21 }, () => 'SoC').join(',');
    expect(change(talk, 'StopTxnSampledData', many)).toBe('Rejected');
    expect(meterValues(talk.pass(60)).map(({ payload }) => inWords(payload['meterValue'][0]))).toEqual([
      ['Power.Active.Import 22000 W', 'L1-N Voltage 230 V'],
    ]);
  });

  it('is read on the clock that the CSMS has set', async () => {
    const aheadMs = 1_000_000;
    const talk = await Talk.with('1.6', {
      answers: {
        BootNotification: () => ({
          status: 'Accepted',
          currentTime: new Date(startMs + aheadMs).toISOString(),
          interval: 86_400,
        }),
      },
    });
    talk.connect().said();
    expect(change(talk, 'ClockAlignedDataInterval', '900')).toBe('Accepted');
    const sent = meterValues(talk.pass(1_000));
    expect(sent.map(({ atMs }) => (atMs - startMs) / 1000)).toEqual([800]);
    expect(sent.map(({ payload }) => secondsIn(payload['meterValue'][0].timestamp))).toEqual([1_800]);
  });
});

describe('the 2.x family', () => {
  it('tells samples on the clock as MeterValues, and in a transaction as TransactionEvent', async () => {
    const talk = await booted('2.0.1');
    const set = (component: string, variable: string, value: string) =>
      expect(talk.command('set-configuration', { component, variable, value })?.failure).toBeNull();
    set('AlignedDataCtrlr', 'Interval', '600');
    set('SampledDataCtrlr', 'TxUpdatedInterval', '0');
    set('SampledDataCtrlr', 'TxEndedInterval', '250');
    expect(meterValues(talk.pass(600))).toMatchObject([{ payload: { evseId: 1 } }]);
    talk.command('start-session', { id_tag: 'A' });
    talk.said();
    expect(talk.pass(600).saidInShort()).toContain('TransactionEvent Updated MeterValueClock Charging');
    talk.command('stop-session');
    const ended = talk.said().find(({ payload }) => payload['eventType'] === 'Ended');
    expect(contexts(ended?.payload['meterValue'])).toEqual([
      'Transaction.Begin',
      'Sample.Periodic',
      'Sample.Periodic',
      'Transaction.End',
    ]);
  });

  it('knows no temperature', async () => {
    const talk = await booted('2.1');
    const event = { component: 'SampledDataCtrlr', variable: 'TxUpdatedMeasurands', value: 'Temperature' };
    expect(talk.command('set-configuration', event)?.failure?.refused).toBe('bad_value');
  });
});
