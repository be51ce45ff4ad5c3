// Charging profiles and their schedules as plain data, and what a schedule says at one moment.

/** `station`: the whole of it. Otherwise the outlets of one EVSE or connector; none when there is no such place. */
export type ProfilePlace = 'station' | readonly number[];

/** The words of the 2.x family, which has one more than 1.6. */
export type ProfilePurpose =
  | 'ChargingStationExternalConstraints'
  | 'ChargingStationMaxProfile'
  | 'TxDefaultProfile'
  | 'TxProfile';

export type RateUnit = 'A' | 'W';

export interface SchedulePeriod {
  /** Seconds after the start of the schedule. */
  readonly startS: number;
  /** In the unit of the schedule; amperes are per phase. */
  readonly limit: number;
  /** Null: not said, which means three where there are three. */
  readonly phases: number | null;
}

export interface ChargingSchedule {
  /** 2.x numbers its schedules. */
  readonly id: number | null;
  readonly startMs: number | null;
  /** Null: the last period has no end. */
  readonly durationS: number | null;
  readonly unit: RateUnit;
  readonly minRate: number | null;
  readonly periods: readonly SchedulePeriod[];
}

export interface ChargingProfile {
  readonly id: number;
  readonly place: ProfilePlace;
  readonly purpose: ProfilePurpose;
  readonly stackLevel: number;
  readonly kind: 'Absolute' | 'Recurring' | 'Relative';
  readonly recurrency: 'Daily' | 'Weekly' | null;
  readonly validFromMs: number | null;
  readonly validToMs: number | null;
  /** Of a TxProfile: the only session it is for. */
  readonly sessionId: string | null;
  /** Alternatives, of which the first one counts. */
  readonly schedules: readonly ChargingSchedule[];
}

/** What a profile says at a moment: one of its periods, or nothing. */
export interface Moment {
  readonly period: SchedulePeriod | null;
  /** It says the same until then at least. */
  readonly untilMs: number;
}

const never = Number.POSITIVE_INFINITY;
const cyclesMs = { Daily: 86_400_000, Weekly: 7 * 86_400_000 } as const;

export const scheduleOf = ({ schedules }: ChargingProfile): ChargingSchedule => {
  const [first] = schedules;
  if (first === undefined) throw new Error('a charging profile without a schedule');
  return first;
};

/** `sinceMs`: the start of the session, from which a relative schedule counts; null: it has not begun to count. */
export function momentOf(profile: ChargingProfile, atMs: number, sinceMs: number | null): Moment {
  const fromMs = profile.validFromMs ?? -never;
  const toMs = profile.validToMs ?? never;
  if (atMs < fromMs) return { period: null, untilMs: fromMs };
  if (atMs >= toMs) return { period: null, untilMs: never };
  const { period, untilMs } = scheduledAt(profile, atMs, sinceMs);
  return { period, untilMs: Math.min(untilMs, toMs) };
}

function scheduledAt(profile: ChargingProfile, atMs: number, sinceMs: number | null): Moment {
  const { startMs: firstMs, durationS, periods } = scheduleOf(profile);
  if (profile.kind === 'Relative' && sinceMs === null) return { period: periods[0] ?? null, untilMs: never };
  const cycleMs = profile.kind === 'Recurring' ? cyclesMs[profile.recurrency ?? 'Daily'] : never;
  const startMs = currentStartMs((profile.kind === 'Relative' ? sinceMs : firstMs) ?? atMs, cycleMs, atMs);
  if (atMs < startMs) return { period: null, untilMs: startMs };
  const cycleEndMs = startMs + cycleMs;
  // What is longer than its cycle is cut off by the next one.
  const endMs = Math.min(cycleEndMs, durationS === null ? never : startMs + durationS * 1000);
  if (atMs >= endMs) return { period: null, untilMs: cycleEndMs };
  const index = indexAt(periods, (atMs - startMs) / 1000);
  const next = periods[index + 1];
  return {
    period: periods[index] ?? null,
    untilMs: next === undefined ? endMs : Math.min(endMs, startMs + next.startS * 1000),
  };
}

const currentStartMs = (firstMs: number, cycleMs: number, atMs: number): number =>
  cycleMs === never || atMs < firstMs ? firstMs : firstMs + Math.floor((atMs - firstMs) / cycleMs) * cycleMs;

/** The last period that has begun; by halves, for there may be a thousand. */
function indexAt(periods: readonly SchedulePeriod[], seconds: number): number {
  let low = 0;
  let high = periods.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((periods[middle]?.startS ?? never) <= seconds) low = middle;
    else high = middle - 1;
  }
  return low;
}
