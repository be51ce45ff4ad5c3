// The battery: closed forms held against brute force.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Battery, charge, drawnW, secondsToEnergy, secondsToFull } from './battery.ts';

const battery = fc.record({
  capacityWh: fc.double({ min: 5_000, max: 200_000, noNaN: true }),
  soc: fc.double({ min: 0, max: 0.999, noNaN: true }),
  maxPowerW: fc.double({ min: 1_000, max: 350_000, noNaN: true }),
  efficiency: fc.constantFrom(0.92, 0.97),
});
const limitW = fc.double({ min: 500, max: 400_000, noNaN: true });

describe('a battery', () => {
  it('takes what it is offered until it is nearly full, then less and less', () => {
    const at = (soc: number): Battery => ({ capacityWh: 60_000, soc, maxPowerW: 100_000, efficiency: 0.97 });
    expect(drawnW(at(0.2), 50_000)).toBe(50_000);
    expect(drawnW(at(0.8), 150_000)).toBe(100_000);
    expect(drawnW(at(0.9), 150_000)).toBeCloseTo(52_500);
    expect(drawnW(at(1), 150_000)).toBe(0);
  });

  it('agrees with small steps of time, whatever the car and the limit', () => {
    fc.assert(
      fc.property(battery, limitW, fc.integer({ min: 1, max: 7_200 }), (start, limit, seconds) => {
        let stepped = start;
        let steppedWh = 0;
        for (let second = 0; second < seconds; second++) {
          const wh = Math.min(drawnW(stepped, limit) / 3600, ((1 - stepped.soc) * start.capacityWh) / start.efficiency);
          steppedWh += wh;
          stepped = { ...stepped, soc: Math.min(1, stepped.soc + (wh * start.efficiency) / start.capacityWh) };
        }
        const { energyWh } = charge(start, limit, seconds);
        expect(Math.abs(energyWh - steppedWh)).toBeLessThan(Math.max(1, steppedWh * 0.005));
      }),
      { numRuns: 60 },
    );
  });

  it('does not care how often it is looked at', () => {
    fc.assert(
      fc.property(
        battery,
        limitW,
        fc.array(fc.integer({ min: 1, max: 600 }), { minLength: 1, maxLength: 30 }),
        (start, limit, steps) => {
          const whole = charge(
            start,
            limit,
            steps.reduce((sum, seconds) => sum + seconds, 0),
          );
          let parts = { battery: start as Battery, energyWh: 0 };
          for (const seconds of steps) {
            const next = charge(parts.battery, limit, seconds);
            parts = { battery: next.battery, energyWh: parts.energyWh + next.energyWh };
          }
          expect(parts.energyWh).toBeCloseTo(whole.energyWh, 3);
          expect(parts.battery.soc).toBeCloseTo(whole.battery.soc, 9);
        },
      ),
    );
  });

  it('is full exactly when it says it will be, and has passed an energy when it says it will have', () => {
    fc.assert(
      fc.property(battery, limitW, fc.double({ min: 0.01, max: 0.99, noNaN: true }), (start, limit, part) => {
        const full = charge(start, limit, secondsToFull(start, limit));
        expect(full.battery.soc).toBeCloseTo(1, 9);
        const wantedWh = full.energyWh * part;
        expect(charge(start, limit, secondsToEnergy(start, limit, wantedWh)).energyWh).toBeCloseTo(wantedWh, 3);
      }),
    );
  });

  it('never is full, and never has passed any energy, at a limit of 0', () => {
    const start: Battery = { capacityWh: 60_000, soc: 0.2, maxPowerW: 11_000, efficiency: 0.92 };
    expect(secondsToFull(start, 0)).toBe(Number.POSITIVE_INFINITY);
    expect(secondsToEnergy(start, 0, 1)).toBe(Number.POSITIVE_INFINITY);
    expect(charge(start, 0, 3600)).toEqual({ battery: start, energyWh: 0 });
  });
});
