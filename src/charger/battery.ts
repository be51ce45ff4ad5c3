// The car's battery: how much it takes at a limit, solved in closed form so that no clock tick is needed.

/** What a driver may say of the car; anything left out is the default car of the connector. */
export interface EvSpec {
  readonly batteryKwh?: number;
  readonly socPercent?: number;
  readonly maxPowerW?: number;
  readonly maxDischargeW?: number;
  readonly phases?: number;
  readonly protocol?: string;
  readonly emaid?: string;
}

export interface Battery {
  readonly capacityWh: number;
  /** State of charge from 0 to 1. */
  readonly soc: number;
  readonly maxPowerW: number;
  /** What reaches the cells of what passes the meter. */
  readonly efficiency: number;
}

/** Above this charge a car takes less and less, down to `endFraction` of its maximum when full. */
const taperStart = 0.8;
const endFraction = 0.05;
const taperSlope = (1 - endFraction) / (1 - taperStart);

export const isFull = (battery: Battery): boolean => battery.soc >= 1;

/** The power that the car takes right now when `limitW` is offered. */
export function drawnW(battery: Battery, limitW: number): number {
  return isFull(battery) ? 0 : Math.min(limitW, acceptedW(battery, battery.soc));
}

export interface Charged {
  readonly battery: Battery;
  /** What passed the meter. */
  readonly energyWh: number;
}

/** Charges for some seconds at an offered limit. */
export function charge(battery: Battery, limitW: number, seconds: number): Charged {
  let energyWh = 0;
  let left = seconds;
  let soc = battery.soc;
  for (const phase of phases(battery, limitW)) {
    if (left <= 0) break;
    const used = Math.min(left, phase.seconds);
    const passedWh = phase.energyWhAfter(used);
    energyWh += passedWh;
    soc = used === phase.seconds ? phase.endSoc : soc + (passedWh * battery.efficiency) / battery.capacityWh;
    left -= used;
  }
  return { battery: { ...battery, soc: Math.min(1, soc) }, energyWh };
}

/** Seconds until the battery is full at this limit; Infinity when it never will be. */
export function secondsToFull(battery: Battery, limitW: number): number {
  if (isFull(battery) || limitW <= 0) return Number.POSITIVE_INFINITY;
  return phases(battery, limitW).reduce((sum, phase) => sum + phase.seconds, 0);
}

/** Seconds until this energy has passed the meter; Infinity when the battery is full before. */
export function secondsToEnergy(battery: Battery, limitW: number, energyWh: number): number {
  let seconds = 0;
  let missingWh = energyWh;
  for (const phase of phases(battery, limitW)) {
    const wholeWh = phase.energyWhAfter(phase.seconds);
    if (wholeWh >= missingWh) return seconds + phase.secondsForWh(missingWh);
    seconds += phase.seconds;
    missingWh -= wholeWh;
  }
  return Number.POSITIVE_INFINITY;
}

interface Phase {
  readonly seconds: number;
  readonly endSoc: number;
  energyWhAfter(seconds: number): number;
  secondsForWh(energyWh: number): number;
}

function acceptedW(battery: Battery, soc: number): number {
  return soc <= taperStart ? battery.maxPowerW : battery.maxPowerW * (1 - taperSlope * (soc - taperStart));
}

/** At most two: constant power while the limit or the car's maximum binds, then the taper, in which power decays exponentially. */
function phases(battery: Battery, limitW: number): readonly Phase[] {
  if (limitW <= 0 || isFull(battery)) return [];
  const constantW = Math.min(limitW, battery.maxPowerW);
  const fromTaper = constantW / battery.maxPowerW;
  const taperFrom = Math.min(1, taperStart + (1 - fromTaper) / taperSlope);
  const found: Phase[] = [];
  if (battery.soc < taperFrom) {
    const energyWh = ((taperFrom - battery.soc) * battery.capacityWh) / battery.efficiency;
    found.push({
      seconds: (energyWh * 3600) / constantW,
      endSoc: taperFrom,
      energyWhAfter: (seconds) => (constantW * seconds) / 3600,
      secondsForWh: (wantedWh) => (wantedWh * 3600) / constantW,
    });
  }
  if (taperFrom < 1) {
    const startW = acceptedW(battery, Math.max(battery.soc, taperFrom));
    const endW = battery.maxPowerW * endFraction;
    const decayPerSecond = (battery.maxPowerW * taperSlope * battery.efficiency) / (3600 * battery.capacityWh);
    found.push({
      seconds: Math.log(startW / endW) / decayPerSecond,
      endSoc: 1,
      energyWhAfter: (seconds) => (startW * (1 - Math.exp(-decayPerSecond * seconds))) / decayPerSecond / 3600,
      secondsForWh: (wantedWh) => -Math.log(1 - (wantedWh * 3600 * decayPerSecond) / startW) / decayPerSecond,
    });
  }
  return found;
}
