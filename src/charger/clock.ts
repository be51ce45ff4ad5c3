// The charger's own clock: it shows what the CSMS has told it, while the charger counts in the time of its host.

import type { Charger } from './charger.ts';
import { nextAligned } from './metering.ts';
import type { Report } from './report.ts';

/** Less than this is the time that the answer took, or the CSMS's rounding. */
const toleranceMs = 1_500;

export const clockMs = (charger: Charger, atMs: number): number => atMs + charger.clockOffsetMs;
/** When the clock of the charger will show this. */
export const whenClockShows = (charger: Charger, shownMs: number): number => shownMs - charger.clockOffsetMs;

/** The CSMS has said what time it is. What was said before keeps its time. */
export function withClockSet(charger: Charger, currentTimeMs: number, atMs: number): Charger {
  const clockOffsetMs = currentTimeMs - atMs;
  // Written so that a time that cannot be read changes nothing.
  const isOff = Math.abs(clockOffsetMs - charger.clockOffsetMs) > toleranceMs;
  if (!isOff) return charger;
  const set = { ...charger, clockOffsetMs: Math.abs(clockOffsetMs) > toleranceMs ? clockOffsetMs : 0 };
  // What is due by this clock is due at other moments now.
  return {
    ...set,
    offersUntilMs: charger.offersUntilMs === null ? null : atMs,
    aligned: charger.aligned === null ? null : nextAligned(set, atMs),
  };
}

/** A report as the charger's clock dates it. */
export function onClock<Some extends Report>(report: Some, offsetMs: number): Some {
  if (offsetMs === 0 || !('atMs' in report)) return report;
  const dated = { ...report, atMs: report.atMs + offsetMs };
  if (!('samples' in dated)) return dated;
  return { ...dated, samples: dated.samples.map((sample) => ({ ...sample, atMs: sample.atMs + offsetMs })) };
}
