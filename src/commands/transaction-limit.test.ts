// A driver's limit on the running transaction: what is told of it, and what becomes of the transaction.

import { describe, expect, it } from 'vitest';
import { charging, type Talk, told, versions } from '../../test/talk.ts';

/** The test charger gives 22 kW: a kilowatt-hour takes 164 seconds. */
const limit = (talk: Talk, event: object) => talk.command('transaction-limit', event);
const statuses = (talk: Talk): string[] =>
  talk.saidInShort().filter((each) => !each.startsWith('MeterValues') && !each.includes('MeterValuePeriodic'));
const drawnWh = (talk: Talk): number => {
  const connector = talk.conversation.charger.connectors[0];
  return (connector?.meterWh ?? 0) - (connector?.session?.startWh ?? 0);
};

describe('a limit on the transaction', () => {
  it.each(versions)('OCPP %s: of energy pauses it when so much has flowed, and leaves it open', async (version) => {
    const talk = await charging(version);
    limit(talk, { max_energy_wh: 1_000 });
    talk.said();
    expect(statuses(talk.pass(163))).toEqual([]);
    expect(statuses(talk.pass(1))).toEqual(
      told(
        version,
        ['StatusNotification 1 SuspendedEVSE'],
        ['TransactionEvent Updated EnergyLimitReached SuspendedEVSE'],
      ),
    );
    expect(statuses(talk.pass(3_600))).toEqual([]);
    expect(drawnWh(talk)).toBeCloseTo(1_000, 1);
    expect(talk.command('stop-transaction', { reason: 'Local' })?.failure).toBeNull();
  });

  it.each(versions)('OCPP %s: of time pauses it so long after its start', async (version) => {
    const talk = await charging(version);
    talk.pass(30);
    limit(talk, { max_time_s: 90 });
    talk.said();
    expect(statuses(talk.pass(59))).toEqual([]);
    expect(statuses(talk.pass(1))).toEqual(
      told(
        version,
        ['StatusNotification 1 SuspendedEVSE'],
        ['TransactionEvent Updated TimeLimitReached SuspendedEVSE'],
      ),
    );
  });

  it.each(versions)('OCPP %s: that lies behind already pauses it at once', async (version) => {
    const talk = await charging(version);
    talk.pass(30).said();
    limit(talk, { max_time_s: 10 });
    expect(statuses(talk)).toEqual([
      ...(version === '2.1' ? ['TransactionEvent Updated LimitSet Charging'] : []),
      ...told(
        version,
        ['StatusNotification 1 SuspendedEVSE'],
        ['TransactionEvent Updated TimeLimitReached SuspendedEVSE'],
      ),
    ]);
  });

  it.each(versions)('OCPP %s: that is raised lets it go on', async (version) => {
    const talk = await charging(version);
    limit(talk, { max_energy_wh: 1_000 });
    talk.pass(600).said();
    limit(talk, { max_energy_wh: 2_000 });
    expect(statuses(talk)).toEqual([
      ...(version === '2.1' ? ['TransactionEvent Updated LimitSet SuspendedEVSE'] : []),
      ...told(version, ['StatusNotification 1 Charging'], ['TransactionEvent Updated ChargingStateChanged Charging']),
    ]);
    expect(drawnWh(talk.pass(600))).toBeCloseTo(2_000, 1);
  });

  it.each(versions)('OCPP %s: leaves no gap in the numbers of its messages', async (version) => {
    const talk = await charging(version);
    limit(talk, { max_energy_wh: 1_000, max_time_s: 3_600 });
    talk.pass(600).command('stop-session');
    const numbers = talk.said().flatMap(({ payload }) => payload['seqNo'] ?? []);
    expect(numbers).toEqual(numbers.map((_, index) => index + (numbers[0] as number)));
    expect(numbers.length > 0).toBe(version !== '1.6');
  });

  it('is told as a whole in 2.1, with a cost that only the CSMS can see to', async () => {
    const talk = await charging('2.1');
    expect(limit(talk, { max_energy_wh: 1_000.5, max_time_s: 60, max_cost: 2.25 })?.failure).toBeNull();
    expect(talk.said()[0]?.payload['transactionInfo']).toMatchObject({
      transactionLimit: { maxEnergy: 1_000.5, maxTime: 60, maxCost: 2.25 },
    });
    limit(talk, { max_cost: 2.25 });
    expect(talk.said()[0]?.payload['transactionInfo'].transactionLimit).toEqual({ maxCost: 2.25 });
    expect(statuses(talk.pass(3_600))).toEqual([]);
  });

  it.each([1_000, 2_000])('of %i Wh does not keep a visit from ending as planned at 1000', async (max_energy_wh) => {
    const talk = await charging('2.0.1');
    talk.command('stop-session');
    talk.command('start-session', { id_tag: 'A', energy_wh: 1_000 });
    limit(talk, { max_energy_wh });
    talk.said();
    expect(statuses(talk.pass(200))).toEqual([
      'TransactionEvent Ended EnergyLimitReached EVConnected EnergyLimitReached',
    ]);
  });

  it('survives a sleep, and ends with its transaction', async () => {
    const talk = await charging('1.6');
    limit(talk, { max_energy_wh: 1_000 });
    talk.sleepAndWake(10).said();
    expect(statuses(talk.pass(600))).toEqual(['StatusNotification 1 SuspendedEVSE']);
    talk.command('stop-session');
    talk.command('start-session', { id_tag: 'B' });
    talk.said();
    expect(statuses(talk.pass(600))).toEqual([]);
  });
});
