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
  if (isFull(battery) || limitW <= 0) return { battery, energyWh: 0 };
  const { capacityWh, efficiency } = battery;
  const { constantW, constantS, taperSoc, taperW, decayPerS, taperS } = courseOf(battery, limitW);
  if (seconds < constantS) {
    const energyWh = (constantW * seconds) / 3600;
    return { battery: { ...battery, soc: battery.soc + (energyWh * efficiency) / capacityWh }, energyWh };
  }
  const inTaperS = Math.min(seconds - constantS, taperS);
  const inTaperWh = taperS > 0 ? (taperW * (1 - Math.exp(-decayPerS * inTaperS))) / decayPerS / 3600 : 0;
  const soc = inTaperS === taperS ? 1 : Math.min(1, taperSoc + (inTaperWh * efficiency) / capacityWh);
  return { battery: { ...battery, soc }, energyWh: (constantW * constantS) / 3600 + inTaperWh };
}

/** Seconds until the battery is full at this limit; Infinity when it never will be. */
export function secondsToFull(battery: Battery, limitW: number): number {
  if (isFull(battery) || limitW <= 0) return Number.POSITIVE_INFINITY;
  const { constantS, taperS } = courseOf(battery, limitW);
  return constantS + taperS;
}

/** Seconds until this energy has passed the meter; Infinity when the battery is full before. */
export function secondsToEnergy(battery: Battery, limitW: number, energyWh: number): number {
  if (isFull(battery) || limitW <= 0) return Number.POSITIVE_INFINITY;
  const { constantW, constantS, taperW, decayPerS, taperS } = courseOf(battery, limitW);
  const constantWh = (constantW * constantS) / 3600;
  if (energyWh <= constantWh) return (energyWh * 3600) / constantW;
  const missingWh = energyWh - constantWh;
  const seconds = -Math.log(1 - (missingWh * 3600 * decayPerS) / taperW) / decayPerS;
  // What never passes has no logarithm.
  return seconds <= taperS ? constantS + seconds : Number.POSITIVE_INFINITY;
}

/**
 * How it goes on until it is full: constant power while the limit or the car's maximum binds, then the taper, in which power
 * decays exponentially.
 */
interface Course {
  readonly constantW: number;
  /** 0 for one that is in the taper already. */
  readonly constantS: number;
  /** The charge with which the taper begins or goes on, and the power then. */
  readonly taperSoc: number;
  readonly taperW: number;
  readonly decayPerS: number;
  /** 0 where the limit is so low that it binds until the end. */
  readonly taperS: number;
}

function courseOf(battery: Battery, limitW: number): Course {
  const { soc, maxPowerW, capacityWh, efficiency } = battery;
  const constantW = Math.min(limitW, maxPowerW);
  const taperFrom = Math.min(1, taperStart + (1 - constantW / maxPowerW) / taperSlope);
  const constantWh = (Math.max(0, taperFrom - soc) * capacityWh) / efficiency;
  const taperSoc = Math.max(soc, taperFrom);
  const taperW = acceptedW(battery, taperSoc);
  const decayPerS = (maxPowerW * taperSlope * efficiency) / (3600 * capacityWh);
  return {
    constantW,
    constantS: (constantWh * 3600) / constantW,
    taperSoc,
    taperW,
    decayPerS,
    taperS: taperFrom < 1 ? Math.log(taperW / (maxPowerW * endFraction)) / decayPerS : 0,
  };
}

function acceptedW(battery: Battery, soc: number): number {
  return soc <= taperStart ? battery.maxPowerW : battery.maxPowerW * (1 - taperSlope * (soc - taperStart));
}
