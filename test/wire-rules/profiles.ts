// Rules of OCPP 1.6 for charging profiles: what a CSMS has set, a charger keeps to.

import type { Word } from './listener.ts';
import { isHeldBack, isUpToDate, type Json, type Known, numbered, openAt, type Transaction16 } from './listener.ts';
import { readingsOf } from './meter.ts';
import { ProfileBook } from './profile-book.ts';
import type { Rule } from './rule.ts';
import { hasDelay } from './v16.ts';

type Unit = 'A' | 'W';

const units: Readonly<Record<string, Unit>> = { 'Power.Active.Import': 'W', 'Current.Import': 'A' };
/** Values are rounded. */
const slack: Readonly<Record<Unit, number>> = { A: 0.1, W: 1 };
/** A limit that changes at this very moment may hold from the next on. */
const momentMs = 1_000;

/** What the CSMS knows of the limits, by what was said. */
class Limits {
  readonly #book = new ProfileBook();
  readonly #known: Known;
  /** Connectors whose next transaction may bring a profile along. */
  readonly #awaited = new Map<number, { readonly profile: Json; readonly idTag: string; readonly atMs: number }>();
  /** Transactions that may have a profile that nobody has heard of being in force. */
  readonly #unsure = new WeakSet<Transaction16>();
  #offsetMs = 0;

  constructor(known: Known) {
    this.#known = known;
  }

  /** To be told of every word, before it is known. */
  hear(word: Word): void {
    const nowMs = word.atMs + this.#known.clockOffsetMs;
    if (this.#known.clockOffsetMs !== this.#offsetMs) this.#book.changed(nowMs);
    this.#offsetMs = this.#known.clockOffsetMs;
    if (word.kind === 'result' && word.from === 'charger' && word.payload?.status === 'Accepted') {
      this.#answered(word.call?.action ?? '', word.call?.payload, nowMs);
    }
    if (word.kind === 'result' && word.call?.action === 'StartTransaction') this.#started(word.call.payload, nowMs);
    if (word.kind === 'call' && word.action === 'StopTransaction') {
      const transaction = numbered(this.#known, word.payload.transactionId);
      if (transaction !== undefined) this.#book.ended(transaction);
    }
  }

  /** What a transaction may take at this time of the charger; Infinity where nobody knows of a limit. */
  at(connectorId: number, transaction: Transaction16 | undefined, unit: Unit, atMs: number): number {
    const place = transaction !== undefined && this.#unsure.has(transaction) ? 0 : connectorId;
    const limitAt = (ms: number): number =>
      this.#book
        .allowed(place, transaction ?? null, ms)
        .filter((allowed) => allowed.unit === unit)
        .reduce((least, { limit }) => Math.min(least, limit), Number.POSITIVE_INFINITY);
    return Math.max(limitAt(atMs), limitAt(atMs - momentMs));
  }

  /** Neither watts nor amperes. */
  isNothing = (connectorId: number, transaction: Transaction16, atMs: number): boolean =>
    this.at(connectorId, transaction, 'A', atMs) === 0 || this.at(connectorId, transaction, 'W', atMs) === 0;

  #answered(action: string, asked: Json, nowMs: number): void {
    if (action === 'ClearChargingProfile') this.#book.clear(asked, nowMs);
    if (action === 'RemoteStartTransaction' && asked.chargingProfile !== undefined) {
      const { idTag, chargingProfile: profile } = asked;
      const places = asked.connectorId === undefined ? [...this.#known.connectors] : [asked.connectorId];
      for (const place of places) this.#awaited.set(place, { profile, idTag, atMs: nowMs });
    }
    if (action !== 'SetChargingProfile') return;
    const { connectorId, csChargingProfiles: profile } = asked;
    const isOwn = profile.chargingProfilePurpose === 'TxProfile';
    const transaction = isOwn ? openAt(this.#known, connectorId) : undefined;
    if (transaction !== undefined && !isUpToDate(this.#known)) this.#unsure.add(transaction);
    if (!isOwn || transaction !== undefined) this.#book.set(connectorId, profile, transaction ?? null, nowMs);
  }

  /** It has its profile when it has begun at once; else it may have begun without one, or waited for its car with it. */
  #started({ connectorId, idTag, timestamp }: Json, nowMs: number): void {
    const awaited = this.#awaited.get(connectorId);
    const transaction = openAt(this.#known, connectorId);
    if (awaited === undefined || transaction === undefined) return;
    this.#awaited.delete(connectorId);
    const isAtOnce = this.#known.instant && awaited.idTag === idTag && Date.parse(timestamp) === awaited.atMs;
    if (isAtOnce) this.#book.set(connectorId, awaited.profile, transaction, nowMs);
    else this.#unsure.add(transaction);
  }
}

/** A rule that knows the limits. */
const limited = (look: (word: Word, known: Known, limits: Limits) => string | null | undefined) => (known: Known) => {
  const limits = new Limits(known);
  return (word: Word): string | null | undefined => {
    const problem = look(word, known, limits);
    limits.hear(word);
    return problem;
  };
};

export const profileRules: readonly Rule[] = [
  {
    name: 'a transaction takes no more than its profiles allow',
    versions: '1.6',
    watch: limited((word, known, limits) => {
      if (word.kind !== 'call' || word.action !== 'MeterValues' || word.payload.transactionId === undefined)
        return null;
      const { connectorId, transactionId } = word.payload;
      for (const { measurand, value, phase, timestamp } of readingsOf(word.payload)) {
        const unit = units[measurand];
        if (unit === undefined || (unit === 'W' && phase !== undefined)) continue;
        const limit = limits.at(connectorId, numbered(known, transactionId), unit, Date.parse(timestamp));
        if (Number(value) > limit + slack[unit]) return `connector ${connectorId} takes ${value} ${unit} of ${limit}`;
      }
      return null;
    }),
  },
  {
    name: 'where nothing may be taken nothing charges: it is suspended by the EVSE',
    versions: '1.6',
    watch: limited((word, known, limits) => {
      const nowMs = word.atMs + known.clockOffsetMs;
      const problem = (connectorId: number, atMs: number): string | null => {
        const transaction = openAt(known, connectorId);
        if (transaction === undefined || isHeldBack(known) || hasDelay(known, word.atMs)) return null;
        return limits.isNothing(connectorId, transaction, atMs) ? `connector ${connectorId} is Charging` : null;
      };
      if (word.kind === 'call' && word.action === 'StatusNotification' && word.payload.status === 'Charging') {
        return problem(word.payload.connectorId, Date.parse(word.payload.timestamp));
      }
      if (word.kind !== 'time' || !known.isOpen || !isUpToDate(known)) return null;
      const charging = [...known.shown].find(([, { status }]) => status === 'Charging')?.[0];
      return charging === undefined ? null : problem(charging, nowMs);
    }),
  },
  {
    name: 'a composite schedule begins with no more than the profiles allow now',
    versions: '1.6',
    watch: limited((word, known, limits) => {
      if (word.kind !== 'result' || word.from !== 'charger' || word.call?.action !== 'GetCompositeSchedule')
        return null;
      const { connectorId } = word.call.payload;
      const { chargingRateUnit: unit, chargingSchedulePeriod: periods } = word.payload?.chargingSchedule ?? {};
      const transaction = openAt(known, connectorId);
      // Without a transaction it tells of one that begins now.
      if (periods === undefined || transaction === undefined || !isUpToDate(known)) return null;
      const limit = limits.at(connectorId, transaction, unit, word.atMs + known.clockOffsetMs);
      return periods[0].limit > limit + 0.1 ? `it begins with ${periods[0].limit} ${unit}, not ${limit}` : null;
    }),
  },
];
