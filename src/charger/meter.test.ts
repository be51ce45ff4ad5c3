// The meter: what it reads over time, and that its readings agree with each other.

import { describe, expect, it } from 'vitest';
import { type Payload, startMs, station, Talk, versions } from '../../test/talk.ts';
import { chanceFrom, draw } from './random.ts';
import { connectorKind } from './station.ts';

/** Every energy reading sent, with its time, in Wh. */
function energies(talk: Talk): { atMs: number; wh: number; w: number }[] {
  return talk.said().flatMap(({ payload }) =>
    ((payload['meterValue'] ?? []) as Payload[]).flatMap((value) => {
      // The end repeats how it began.
      if (payload['eventType'] === 'Ended' && value['sampledValue'][0].context === 'Transaction.Begin') return [];
      const read = (measurand: string) =>
        (value['sampledValue'] as Payload[]).find((sampled) => sampled['measurand'] === measurand)?.['value'];
      const wh = read('Energy.Active.Import.Register');
      return wh === undefined
        ? []
        : [{ atMs: Date.parse(value['timestamp']), wh: Number(wh), w: Number(read('Power.Active.Import')) }];
    }),
  );
}

for (const version of versions) {
  describe(`OCPP ${version}: the meter`, () => {
    it('agrees over an hour with the integral of the power to 1 Wh, however the power changes', async () => {
      const talk = await Talk.with(version);
      talk.connect().command('start-session', { id_tag: 'A', ev: { battery_kwh: 100, soc_percent: 1 } });
      let chance = chanceFrom('powers');
      let integralWh = 0;
      let powerW = 22_000;
      for (let minute = 0; minute < 60; minute++) {
        const [part, rest] = draw(chance);
        chance = rest;
        talk.pass(60 * part);
        integralWh += (powerW * 60 * part) / 3600;
        powerW = Math.round(22_000 * part);
        talk.command('power-update', { power_w: powerW });
        talk.pass(60 * (1 - part));
        integralWh += (powerW * 60 * (1 - part)) / 3600;
      }
      const last = energies(talk).at(-1);
      expect(last?.atMs).toBe(startMs + 3_600_000);
      expect(Math.abs((last?.wh ?? 0) - integralWh)).toBeLessThanOrEqual(1);
    });

    it('does not re-price the past: an hour at 10 kW, then a change, reads 10 kWh', async () => {
      const talk = await Talk.with(version);
      talk.connect().command('power-update', { power_w: 10_000 });
      talk.command('start-session', { id_tag: 'A' });
      talk.pass(3_600).command('power-update', { power_w: 22_000 });
      expect(energies(talk).at(-1)).toMatchObject({ wh: 10_000, w: 22_000 });
    });

    it('does not meter the time before a session, between two, or while it is paused', async () => {
      const talk = await Talk.with(version);
      talk.connect().command('plug-connector');
      talk.pass(40_000).command('start-session', { id_tag: 'A' });
      talk.pass(600).command('ev-stops-energy');
      talk.pass(40_000).command('ev-requests-energy');
      talk.pass(600).command('stop-session');
      talk.pass(40_000).command('start-session', { id_tag: 'A' });
      talk.pass(600);
      expect(talk.conversation.charger.connectors[0]?.meterWh).toBeCloseTo((22_000 * 1_800) / 3600, 3);
      for (const { payload, atMs } of talk.said()) {
        if (payload['timestamp'] !== undefined) expect(Date.parse(payload['timestamp'])).toBe(atMs);
      }
    });

    it('is on record every few minutes, samples or none', async () => {
      const talk = await Talk.with(version);
      const off =
        version === '1.6'
          ? { key: 'MeterValueSampleInterval', value: '0' }
          : { component: 'SampledDataCtrlr', variable: 'TxUpdatedInterval', value: '0' };
      talk.connect().command('set-configuration', off);
      talk.command('start-session', { id_tag: 'A' });
      talk.pass(3_600).powerCut();
      expect(talk.conversation.charger.connectors[0]?.meterWh).toBeGreaterThan(20_000);
    });

    it('samples on a new interval from the moment it is set', async () => {
      const talk = await Talk.with(version);
      const interval = (value: string) =>
        version === '1.6'
          ? { key: 'MeterValueSampleInterval', value }
          : { component: 'SampledDataCtrlr', variable: 'TxUpdatedInterval', value };
      talk.connect().command('set-configuration', interval('0'));
      talk.command('start-session', { id_tag: 'A' });
      talk.pass(100).said();
      talk.command('set-configuration', interval('10'));
      expect(talk.pass(60).said()).toHaveLength(6);
    });

    it('samples on its interval and never counts down, through taper, sessions and power cuts', async () => {
      const talk = await Talk.with(version);
      talk.connect();
      for (let session = 0; session < 3; session++) {
        talk.command('start-session', { id_tag: 'A', ev: { battery_kwh: 20, soc_percent: 70 } });
        talk.pass(1_800);
        if (session === 1) talk.powerCut();
        else talk.command('stop-session');
        talk.command('unplug-connector');
      }
      const readings = energies(talk);
      expect(readings.length).toBeGreaterThan(80);
      readings.reduce((before, reading) => {
        expect(reading.wh).toBeGreaterThanOrEqual(before.wh);
        return reading;
      });
      expect(readings.at(-1)?.wh).toBeGreaterThan(10_000);
    });
  });
}

describe('readings that belong together', () => {
  const sampled = async (plate: Parameters<typeof station>[0], ev: Payload = {}): Promise<Payload[]> => {
    const talk = await Talk.with('1.6', { station: station(plate) });
    talk.connect().command('start-session', { id_tag: 'A', ev });
    const values = talk
      .pass(60)
      .said()
      .flatMap(({ action, payload }) => (action === 'MeterValues' ? [payload] : []));
    return values[0]?.['meterValue'][0].sampledValue as Payload[];
  };
  const sum = (values: Payload[]): number => {
    const read = (measurand: string) =>
      values.filter((value) => value['measurand'] === measurand).map((value) => Number(value['value']));
    const volts = read('Voltage');
    return read('Current.Import').reduce((watts, amps, phase) => watts + amps * (volts[phase] ?? 0), 0);
  };
  const power = (values: Payload[]): number =>
    Number(values.find((value) => value['measurand'] === 'Power.Active.Import')?.['value']);

  it('on three phases P is the sum of U times I', async () => {
    const values = await sampled({ maxPowerW: 22_000 });
    expect(values.filter((value) => value['measurand'] === 'Current.Import').map((value) => value['phase'])).toEqual([
      'L1',
      'L2',
      'L3',
    ]);
    expect(Math.abs(sum(values) - power(values))).toBeLessThan(10);
  });

  it('a single-phase car on three phases leaves two of them without current', async () => {
    const values = await sampled({ maxPowerW: 22_000 }, { phases: 1 });
    expect(
      values.filter((value) => value['measurand'] === 'Current.Import').map((value) => Number(value['value']) > 0),
    ).toEqual([true, false, false]);
    expect(Math.abs(sum(values) - power(values))).toBeLessThan(10);
  });

  it('a DC session reports the battery’s voltage, not the mains’', async () => {
    const kind = connectorKind('CCS2', 150_000);
    const connectors = [{ evseId: 1, connectorId: 1, type: 'CCS2', ...kind, hasLock: false, maxPowerW: 150_000 }];
    const values = await sampled({ maxPowerW: 150_000, connectors });
    const volts = Number(values.find((value) => value['measurand'] === 'Voltage')?.['value']);
    expect(volts).toBeGreaterThan(320);
    expect(Math.abs(sum(values) - power(values))).toBeLessThan(10);
  });
});

describe('two cars at one station', () => {
  it('share its power, and the one that stays gets it all', async () => {
    const talk = await Talk.with('1.6', { station: station({ connectorCount: 2, maxPowerW: 22_000 }) });
    talk.connect().command('start-session', { id_tag: 'A', evse_id: 1 });
    talk.command('start-session', { id_tag: 'B', evse_id: 2 });
    const offers = () => talk.conversation.charger.connectors.map((connector) => Math.round(connector.offeredW));
    expect(offers()).toEqual([11_000, 11_000]);
    talk.command('ev-stops-energy', { evse_id: 1 });
    expect(offers()[1]).toBe(22_000);
    talk.command('ev-requests-energy', { evse_id: 1 });
    talk.command('power-update', { power_w: 5_000, evse_id: 1 });
    expect(offers()).toEqual([5_000, 17_000]);
  });
});

describe('the same seed', () => {
  it.each(versions)('gives byte-identical frames in OCPP %s, another seed gives others', async (version) => {
    const story = async (seed: number): Promise<string[]> => {
      const talk = await Talk.with(version, { seed });
      talk.connect().command('start-session', { id_tag: 'A' });
      talk.pass(1_000).cut().pass(500).reconnect();
      talk.command('stop-session');
      return talk.pass(1_000).texts;
    };
    expect(await story(7)).toEqual(await story(7));
    expect(await story(7)).not.toEqual(await story(8));
  });
});
