// A station's power among its outlets, whatever limits it and whoever charges.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { offersW, profile, set } from '../../test/profiles.ts';
import { booted, type Payload, station, type Talk } from '../../test/talk.ts';
import { powerW } from './meter.ts';

const drawnW = (talk: Talk): number[] => talk.conversation.charger.connectors.map(powerW);
const max: Payload = { chargingProfilePurpose: 'ChargePointMaxProfile' };

describe('a maximum that is shared', () => {
  it('is never exceeded, gives nobody less than a car can take, and leaves nothing that one more could use', async () => {
    const cars = fc.record({ phases: fc.constantFrom(1, 2, 3), max_power_w: fc.integer({ min: 1_500, max: 22_000 }) });
    const property = fc.asyncProperty(
      fc.array(cars, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 0, max: 64 }),
      async (evs, limit) => {
        const talk = await booted('1.6', { station: station({ connectorCount: 4, maxPowerW: 22_000 }) });
        set(talk, profile([[0, limit]], max), 0);
        for (const [index, ev] of evs.entries()) {
          talk.command('start-session', { id_tag: `TAG${index}`, evse_id: index + 1, ev });
        }
        const totalW = Math.min(22_000, limit * 690);
        const drawn = drawnW(talk);
        const usedW = drawn.reduce((sum, watts) => sum + watts, 0);
        expect(usedW).toBeLessThanOrEqual(totalW + 1e-6);
        for (const [index, ev] of evs.entries()) {
          const ownW = talk.conversation.charger.connectors[index]?.ev?.battery.maxPowerW ?? 0;
          const leastW = Math.min(ownW, 6 * 230 * ev.phases);
          const watts = drawn[index] ?? 0;
          if (watts > 0) expect(watts).toBeGreaterThanOrEqual(leastW - 1e-6);
          else expect(limit < 6 || totalW - usedW < leastW).toBe(true);
        }
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });

  const drawnBy = async (limit: number, evs: readonly { phases: number; max_power_w: number }[]): Promise<number[]> => {
    const talk = await booted('1.6', { station: station({ connectorCount: 4, maxPowerW: 22_000 }) });
    set(talk, profile([[0, limit]], max), 0);
    for (const [index, ev] of evs.entries()) {
      talk.command('start-session', { id_tag: `TAG${index}`, evse_id: index + 1, ev });
    }
    return drawnW(talk).map(Math.round);
  };

  it('is not given twice to those who were passed over', async () => {
    const small = { phases: 3, max_power_w: 1_500 };
    const watts = await drawnBy(6, [{ phases: 2, max_power_w: 22_000 }, small, small, small]);
    expect(watts).toEqual([0, 1_500, 1_500, 0]);
  });

  it('serves all when their needs add up to a hair more than there is', async () => {
    const large = { phases: 1, max_power_w: 4_260 };
    const watts = await drawnBy(22, [{ phases: 3, max_power_w: 2_402 }, large, large, large]);
    expect(watts).toEqual([2_402, 4_259, 4_259, 4_259]);
  });

  it('goes to whoever comes when there is enough, and is whole again when they go', async () => {
    const talk = await booted('1.6', { station: station({ connectorCount: 2, maxPowerW: 22_000 }) });
    set(talk, profile([[0, 24]], max), 0);
    talk.command('start-session', { id_tag: 'A', evse_id: 1 });
    expect(offersW(talk)[0]).toBe(24 * 690);
    talk.command('start-session', { id_tag: 'B', evse_id: 2 });
    expect(offersW(talk)).toEqual([12 * 690, 12 * 690]);
    talk.command('stop-session', { evse_id: 1 });
    expect(offersW(talk)[1]).toBe(24 * 690);
  });
});
