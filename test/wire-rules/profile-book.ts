// What a CSMS of 1.6 knows of the charging profiles that it has set on a charger, and what they allow: read off the standard, not off the product.

import type { Json, Transaction16 } from './listener.ts';

interface Installed {
  readonly connectorId: number;
  readonly profile: Json;
  /** Whose it is, of a TxProfile. */
  readonly transaction: Transaction16 | null;
}

export interface Allowed {
  readonly unit: 'A' | 'W';
  readonly limit: number;
}

const cyclesS: Readonly<Record<string, number>> = { Daily: 86_400, Weekly: 7 * 86_400 };

export class ProfileBook {
  #installed: Installed[] = [];
  #changedMs = 0;

  /** Of what was before nobody knows any more. */
  changed(atMs: number): void {
    this.#changedMs = atMs;
  }

  set(connectorId: number, profile: Json, transaction: Transaction16 | null, atMs: number): void {
    this.#changedMs = atMs;
    const { chargingProfileId, chargingProfilePurpose, stackLevel } = profile;
    this.#installed = this.#installed.filter(
      (other) =>
        other.profile.chargingProfileId !== chargingProfileId &&
        !(
          other.connectorId === connectorId &&
          other.profile.chargingProfilePurpose === chargingProfilePurpose &&
          other.profile.stackLevel === stackLevel
        ),
    );
    this.#installed.push({ connectorId, profile, transaction });
  }

  clear({ id, connectorId, chargingProfilePurpose, stackLevel }: Json, atMs: number): void {
    this.#changedMs = atMs;
    this.#installed = this.#installed.filter((each) => {
      if (id !== undefined) return each.profile.chargingProfileId !== id;
      const isMeant =
        (connectorId === undefined || each.connectorId === connectorId) &&
        (chargingProfilePurpose === undefined || each.profile.chargingProfilePurpose === chargingProfilePurpose) &&
        (stackLevel === undefined || each.profile.stackLevel === stackLevel);
      return !isMeant;
    });
  }

  /** With a transaction its profiles go. */
  ended(transaction: Transaction16): void {
    this.#installed = this.#installed.filter((each) => each.transaction !== transaction);
  }

  /** Of a connector: what its transaction may take. Of 0: what the station may take. Before the last change nobody knows. */
  allowed(connectorId: number, transaction: Transaction16 | null, atMs: number): Allowed[] {
    if (atMs <= this.#changedMs) return [];
    const of = (purpose: string, isMeant: (each: Installed) => boolean): Allowed | null =>
      this.#strongest(purpose, isMeant, atMs, transaction?.startedMs ?? null);
    const max = of('ChargePointMaxProfile', () => true);
    if (connectorId === 0) return max === null ? [] : [max];
    const own = of('TxProfile', (each) => transaction !== null && each.transaction === transaction);
    const usual = of('TxDefaultProfile', (each) => each.connectorId === 0 || each.connectorId === connectorId);
    return [own ?? usual, max].filter((each) => each !== null);
  }

  #strongest(
    purpose: string,
    isMeant: (each: Installed) => boolean,
    atMs: number,
    sinceMs: number | null,
  ): Allowed | null {
    let found: { readonly level: number; readonly isHere: boolean; readonly allowed: Allowed } | null = null;
    for (const each of this.#installed) {
      if (each.profile.chargingProfilePurpose !== purpose || !isMeant(each)) continue;
      const allowed = allowedBy(each.profile, atMs, sinceMs);
      if (allowed === null) continue;
      const level = each.profile.stackLevel as number;
      const isHere = each.connectorId !== 0;
      if (found === null || level > found.level || (level === found.level && isHere && !found.isHere)) {
        found = { level, isHere, allowed };
      }
    }
    return found?.allowed ?? null;
  }
}

function allowedBy(profile: Json, atMs: number, sinceMs: number | null): Allowed | null {
  const { validFrom, validTo, chargingSchedule, chargingProfileKind, recurrencyKind } = profile;
  if (validFrom !== undefined && atMs < Date.parse(validFrom)) return null;
  if (validTo !== undefined && atMs >= Date.parse(validTo)) return null;
  const startMs = chargingProfileKind === 'Relative' ? sinceMs : Date.parse(chargingSchedule.startSchedule);
  if (startMs === null || atMs < startMs) return null;
  const cycleS = chargingProfileKind === 'Recurring' ? (cyclesS[recurrencyKind] ?? 0) : Number.POSITIVE_INFINITY;
  const elapsedS = cycleS === Number.POSITIVE_INFINITY ? (atMs - startMs) / 1000 : ((atMs - startMs) / 1000) % cycleS;
  if (chargingSchedule.duration !== undefined && elapsedS >= chargingSchedule.duration) return null;
  const periods = chargingSchedule.chargingSchedulePeriod as Json[];
  const period = periods.findLast(({ startPeriod }) => startPeriod <= elapsedS);
  return period === undefined ? null : { unit: chargingSchedule.chargingRateUnit, limit: period.limit };
}
